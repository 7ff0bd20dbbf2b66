/* Several harts count at the same instruction and at the same datum: RDAC and RDIC read the sum of
 * all, in the middle of the run too, and clear all of it. Built with -DHARTS=n; hart 0 looks while
 * the others wait at a barrier. */
#include "tests/programs/counted.h"
    watch "loop 4 counter"
    watch "shared 8 counter granule=8"
    watch "limited 4 counter=13 interrupt"
    watch "area cells * granule=8 size=4 counts=counts"

/* s1: hart, s2: harts that have come so far, over all barriers. */
    .macro barrier
    addi s2, s2, HARTS
    fence
    la t0, come
    li t1, 1
    amoadd.d zero, t1, (t0)
97: ld t1, 0(t0)
    blt t1, s2, 97b
    fence
    .endm
    .macro look register, expected, number
    li t1, \expected
    beq \register, t1, 96f
    li a0, \number
    j fail
96:
    .endm

    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s2, 0
    li s11, 0
    jal ra, work                # 100 each
    barrier
    bnez s1, 2f
    la s3, shared
    rdac a1, s3
    look a1, HARTS*100, 1
    la s4, loop
    rdic a1, s4
    look a1, HARTS*100, 2
    rdac_clear a1, s3
    look a1, HARTS*100, 3
    rdac a1, s3
    look a1, 0, 4
    rdic_clear a1, s4
    look a1, HARTS*100, 5
    la s5, cells
    rdac a1, s5
    look a1, HARTS*100, 6
    la s6, counts               # what RDAC looked at is in memory
    lw a1, 0(s6)
    look a1, HARTS*100, 7
2:  barrier
    jal ra, work
    barrier
    bnez s1, 3f
    rdac a1, s3
    look a1, HARTS*100, 8
    rdic a1, s4
    look a1, HARTS*100, 9
    rdac a1, s5
    look a1, HARTS*200, 10
    lw a1, 0(s6)
    look a1, HARTS*200, 11
    j pass
3:  wfi
    j 3b

    .global program
program:
    .text
    function work
    la t0, shared
    la t2, cells
    li t3, 100
loop:
    lw t1, 0(t0)
limited:
    ld t1, 0(t2)
    addi t3, t3, -1
    bnez t3, loop
    ret
    end_function work

    .data
    .balign 4096
    .type shared, @object
    .size shared, 8
shared:
    .skip 128
    .type cells, @object
    .size cells, 64
cells:
    .skip 128
    .type counts, @object
    .size counts, 32
counts:
    .skip 128
come:
    .dword 0
