/* Tries to read, write and run every part of the monitor's memory, at the top of RAM: each is an
 * access fault, and afterwards the monitor works as before. Needs 256 MiB of memory and marks that
 * need a monitor. */
#include "tests/programs/counted.h"
    watch "watched 4 counter interrupt"
#define LAST_PAGE 0x8ffff000

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s2, LAST_PAGE
    li s3, 4096
    li s4, 0                    # sum of causes
    li s1, 0
1:  add t0, s2, s1
    STORE_REG s1, 0(t0)         # cause 7
    LOAD_REG t1, 0(t0)          # cause 5
    atomic amoadd, t1, s1, (t0) # cause 7
    atomic lr, t1, (t0)         # cause 5
    addi s1, s1, 64
    bne s1, s3, 1b
    li t0, 64*(7+5+7+5)
    sub t0, t0, s4
    demand t0, 0, 1
    li s4, 0
    li t0, LAST_PAGE
    jalr ra, 0(t0)              # cause 1; the handler comes back through ra
    demand s4, 1, 2

    # Its registers are out of reach too: an access is an illegal instruction, or has no effect.
    li s4, 0
    csrw CSR_MON_VECTOR, zero   # cause 2
    demand s4, 2, 4
    li s4, 0
    csrw CSR_MON_SCRATCH, zero  # cause 2
    demand s4, 2, 4
    li s4, 0
    .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0   # cause 2
    demand s4, 2, 8
    li s4, 0
    .insn r 0x0b, PROF_F3_PROBE, 0, x5, x18, x0 # cause 2
    demand s4, 2, 16

    li s1, 20
2:  jal ra, watched
    .rept 20
    nop
    .endr
    addi s1, s1, -1
    bnez s1, 2b
    j pass
    end_function program

    .balign 64
    function watched
    addi s5, s5, 1
    ret
    end_function watched

    .balign 4
handler:
    csrr t2, mcause
    add s4, s4, t2
    csrr t3, mepc
    addi t3, t3, 4
    li t4, 1
    bne t2, t4, 1f
    mv t3, ra
1:  csrw mepc, t3
    mret
