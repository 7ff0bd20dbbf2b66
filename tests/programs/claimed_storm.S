/* A program that claims indicator interrupts, and whose handler is marked itself: between two
 * interrupts at least one instruction of the program runs. */
#include "tests/programs/counted.h"
    watch "handler * interrupt"
    watch "loop * interrupt"

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li t0, PROF_MODE_ENABLE | PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0
    li t0, 1 << 24
    csrs mie, t0
    csrsi mstatus, 8
    jal ra, loop
    csrw CSR_PROF_MODE, zero
    csrci mstatus, 8
    snez s2, s2
    demand s2, 1, 1
    demand s1, 0, 2
    j pass
    end_function program

    .balign 128
    function loop
    li s1, 30
1:  addi s1, s1, -1
    bnez s1, 1b
    ret
    end_function loop

    .balign 128
    function handler            # drops one record, and causes several
    addi s2, s2, 1
    PROF_WRITE(PROF_REG_ACK, zero)
    mret
    end_function handler
