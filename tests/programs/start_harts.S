/* Several harts call hart_main(number), each with a stack of its own; the value that it returns to
 * hart 0 is the exit status. Include this file before start.S, whose stack the harts divide. */
    .section .text.start, "ax"
    .global _start
_start:
    csrr s0, mhartid
    la sp, stack_top
    slli t0, s0, 14
    sub sp, sp, t0
    mv a0, s0
    call hart_main
    beqz s0, fail
1:  wfi
    j 1b

    .text
    .weak program
program:
    j 1b
