/* Two harts that interrupt each other by software interrupts, ROUNDS times: hart 0 works until its
 * flag says that hart 1, which waits in WFI, has served it, and the other way round. */
#include "tests/programs/counted.h"
#define ROUNDS 10
#define MSIP 0x2000000
    .section .text.start, "ax"
    .global program
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    la t0, handler
    csrw mtvec, t0
    li s2, MSIP
    slli t0, s1, 2
    add s3, s2, t0              # its own
    xori t1, s1, 1
    slli t1, t1, 2
    add s4, s2, t1              # the other's
    la s5, served               # number of interrupts of harts 0 and 1, a line each
    slli t0, s1, 7
    add s6, s5, t0
    li t0, 8
    csrw mie, t0
    li s7, 1                    # the round
    li s8, 1
    bnez s1, second
program:
first:                          # sends, then waits until it is answered
    csrsi mstatus, 8
1:  sw s8, 0(s4)
2:  lw t0, 0(s6)
    blt t0, s7, 2b
    addi s7, s7, 1
    li t1, ROUNDS
    ble s7, t1, 1b
    csrci mstatus, 8
    lw t0, 128(s5)
    demand t0, ROUNDS, 1
    lw t0, 0(s5)
    demand t0, ROUNDS, 2
    j pass
second:                         # waits, then answers
    wfi
    csrsi mstatus, 8
    nop
    csrci mstatus, 8
    lw t0, 0(s6)
    blt t0, s7, second
    sw s8, 0(s4)
    addi s7, s7, 1
    j second

    .balign 4
handler:
    sw zero, 0(s3)
    fence
    lw t2, 0(s6)
    addi t2, t2, 1
    sw t2, 0(s6)
    mret

    .data
    .balign 128
served:
    .skip 256
