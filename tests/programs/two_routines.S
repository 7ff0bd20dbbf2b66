/* Two routines, one called after the other, each a chain of multiplications that only its own
 * latency delays: with half the rounds, a routine takes half the time. WORKER: its rounds. */
#ifndef WORKER
#define WORKER 4000
#endif
    .text
    .macro chain name, rounds
    .global \name
    .type \name, @function
\name:
    li t0, \rounds
    li t1, 3
1:  .rept 4
    mul t1, t1, t1
    .endr
    addi t0, t0, -1
    bnez t0, 1b
    ret
    .size \name, . - \name
    .endm

    .global program
    .type program, @function
program:
    call worker
    call waiter
    li s11, 0
    j pass
    .size program, . - program

    chain worker, WORKER
    chain waiter, 1000
