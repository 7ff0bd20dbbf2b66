/* Cut after any instruction: 9 instructions come before the first round (of them 6 in _start), and
 * a round has 5. The first of a round is marked, and the store of its third. With several harts the
 * first ends the run. */
    .option norvc
    .text
    .global program, round, stores, after
    .type round, @function
    .type after, @function
program:
    li t0, 13
    la s1, cell
round:
    addi t2, t2, 1
    xor t3, t2, t0
stores:
    sw t2, 0(s1)
    addi t0, t0, -1
    bnez t0, round
    .size round, . - round
after:
    csrr a0, mhartid
    beqz a0, pass
1:  wfi
    j 1b
    .size after, . - after

    .data
    .balign 64
cell:
    .dword 0
