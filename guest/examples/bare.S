/* Reset and exit of a bare-metal example that nothing interrupts but the samples of a profiler. */
    .section .text.start, "ax"
    .global _start
_start:
    la sp, stack_top
    csrsi mstatus, 8
    call main
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b
