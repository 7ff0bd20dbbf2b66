/* Two harts count in cells of one byte, 200 each, and hold their counts apart until each writes
 * PROF_REG_SYNC, hart 0 first. Together they pass the top: one cell stays there, one wraps, and one
 * interrupts hart 1 once, with all that was counted until then: TAKEN. TAKEN is the sum of both
 * harts' counts where counts are merged, and the first count near the top where all count in
 * memory. */
#include "tests/programs/counted.h"
    watch "area full 8 granule=8 size=1 saturate"
    watch "area round 8 granule=8 size=1"
    watch "area close 8 granule=8 size=1 near"

    .macro wait_for number
    li t1, \number
97: ld t0, 0(s3)
    bne t0, t1, 97b
    .endm
    .macro pass_on number
    fence
    li t0, \number
    sd t0, 0(s3)
    .endm
    .macro settle
    .rept 40
    nop
    .endr
    .endm

    .section .text.start, "ax"
    .global _start
    .global program
_start:
program:
    csrr s1, mhartid
    li s11, 0
    li s4, 0                    # interrupts
    li s5, 0                    # what they had counted
    la s2, full
    la s3, turn
    la t0, handler
    csrw mtvec, t0
    li t0, PROF_MODE_ENABLE | PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0
    li t0, 16
    PROF_WRITE(PROF_REG_NEAR, t0)
    li t0, 1 << 24
    csrs mie, t0
    csrsi mstatus, 8
    bnez s1, second

first:
    li s6, 200
    jal ra, touch
    pass_on 1
    wait_for 2
    PROF_WRITE(PROF_REG_SYNC, zero)
    pass_on 3
    wait_for 4
    li s6, 5                    # far from the top again
    jal ra, touch
    PROF_WRITE(PROF_REG_SYNC, zero)
    settle
    demand s4, 0, 1
    rdac t1, s2
    demand t1, 255, 2
    addi t0, s2, 8
    rdac t1, t0
    demand t1, 405 - 256, 4
    addi t0, s2, 16
    rdac t1, t0
    demand t1, 405 - TAKEN, 8
    la t0, taken
    ld t1, 0(t0)
    demand t1, 1, 16
    ld t1, 8(t0)
    demand t1, TAKEN, 32
    j pass

second:
    wait_for 1
    li s6, 200
    jal ra, touch
    pass_on 2
    wait_for 3
    PROF_WRITE(PROF_REG_SYNC, zero)
    settle
    la t0, taken
    sd s4, 0(t0)
    sd s5, 8(t0)
    pass_on 4
1:  j 1b

    .text
touch:
    ld t0, 0(s2)
    ld t0, 8(s2)
    ld t0, 16(s2)
    addi s6, s6, -1
    bnez s6, touch
    ret

    .balign 4
handler:
    addi s4, s4, 1
    csrr s7, CSR_IND_COUNT
    add s5, s5, s7
    csrr s7, CSR_IND_FLAGS
    srli s7, s7, IND_KIND_SHIFT
    andi s7, s7, 15
    demand s7, IND_KIND_NEAR, 64
    csrr s7, CSR_IND_DADDR
    addi s7, s7, -16
    bne s7, s2, 9f
    csrr s7, CSR_IND_IADDR
    la s8, touch + 8
    bne s7, s8, 9f
    li s7, PROF_REG_ACK
    csrw CSR_PROF_INDEX, s7
    csrw CSR_PROF_DATA, zero
    mret
9:  li a0, 127
    j fail

    .data
    .balign 128
full:
    .dword 0
round:
    .dword 0
close:
    .dword 0
    .size full, 8
    .size round, 8
    .size close, 8
    .balign 128
turn:
    .dword 0
    .balign 128
taken:
    .dword 0, 0
    accessed full, 8, 255
    accessed round, 8, 405-256
    accessed close, 8, 405-TAKEN
