/* A program that a timer interrupts: the handler counts in memory, and the program waits for
 * counts, first working, then in WFI. */
#include "tests/programs/counted.h"
#ifndef PERIOD
#define PERIOD 20
#endif

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s4, 0x2004000            # mtimecmp
    li s5, 0x200bff8            # mtime
    la s3, ticks
    li t0, -1
    sw t0, 4(s4)
    lw t0, 0(s5)
    addi t0, t0, PERIOD
    sw t0, 0(s4)
    sw zero, 4(s4)
    li t0, 0x80
    csrw mie, t0
    csrsi mstatus, 8
    li s1, 12345
1:  lw t0, 0(s3)
    li t2, 1103515245
    mul s1, s1, t2
    addi s1, s1, 7
    sw s1, 4(s3)
    li t1, 5
    blt t0, t1, 1b
    csrci mstatus, 8
2:  lw t0, 0(s3)
    li t1, 8
    bge t0, t1, 3f
    wfi
    csrsi mstatus, 8
    nop
    csrci mstatus, 8
    j 2b
3:  j pass
    end_function program

    .balign 4
    function handler
    addi sp, sp, -16
    sw t0, 0(sp)
    sw t1, 4(sp)
    lw t0, 0(s3)
    addi t0, t0, 1
    sw t0, 0(s3)
    lw t1, 0(s5)
    addi t1, t1, PERIOD
    sw t1, 0(s4)
    csrr t0, mepc
    csrr t1, mcause
    lw t0, 0(sp)
    lw t1, 4(sp)
    addi sp, sp, 16
    mret
    end_function handler

    .data
    .balign 8
ticks:
    .word 0, 0
