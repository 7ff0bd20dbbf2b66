/* Interrupt storms: every source of interrupts interrupts. The program's results and its number of
 * instructions stay the same; every instruction interrupts, or (counter=1) every second execution
 * of each. */
#include "tests/programs/counted.h"
#include "guest/include/rvsim/indicator.h"

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s1, 20
    li s2, 0
    la s3, datum
1:  LOAD_REG t0, 0(s3)
    add t0, t0, s1
    STORE_REG t0, 0(s3)
    atomic amoadd, t0, s1, (s3)
    ecall
    add s2, s2, s1
    addi s1, s1, -1
    bnez s1, 1b
    LOAD_REG t0, 0(s3)
    demand t0, 2*210, 1
    demand s2, 210, 2
    demand s4, 20, 4
    j pass
    end_function program

    .balign 4
    function handler
    addi s4, s4, 1
    csrr t0, mepc
    addi t0, t0, 4
    prof_mark_next 31, HINT_INTERRUPT | HINT_COUNT
    csrw mepc, t0
    prof_mark_next 31, HINT_INTERRUPT | HINT_COUNT
    mret
    end_function handler

    .data
    .balign 128
datum:
    .dword 0
    .skip 120
