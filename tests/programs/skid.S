/* Where a timer interrupt that comes in cycle DELAY is taken: the exit status is the number of the
 * instruction of the loop that its handler finds in mepc. With ENABLE = 0 it never comes. The loop
 * waits for memory, divides, mispredicts and has an instruction that acts alone. */
#define MTIMECMP 0x2004000
#define MTIE 0x80

    .option norvc
    .text
    .global program, loop
program:
    la t0, handler
    csrw mtvec, t0
    li t0, MTIMECMP
    lw t1, delay
    sd t1, 0(t0)
    lw t1, enable
    csrs mie, t1
    csrsi mstatus, 8
    la s1, stack_top
    li s2, 12345
    li s3, 7
    li s4, 0x5bd1e995
    li s6, 24

    .balign 64
loop:
    ld a1, 0(s1)
    add s1, s1, s6
    mul s2, s2, s4
    addi s2, s2, 11
    srli a2, s2, 17
    andi a2, a2, 1
    beqz a2, 1f
    xor a3, a1, s2
    add a4, a3, s2
1:  div a5, s2, s3
    addi a6, a5, 1
    slli a6, a6, 3
    add a7, a6, a1
    csrr s7, mscratch
    addi s7, s7, 1
    sd s7, 8(s1)
    ori s5, a7, 3
    j loop

handler:
    csrr a0, mepc
    la t0, loop
    sub a0, a0, t0
    srli a0, a0, 2
    j fail

    .data
delay:
    .word DELAY
enable:
    .word ENABLE * MTIE
