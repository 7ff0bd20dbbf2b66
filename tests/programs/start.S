/* Start and end of the bare-metal programs: a stack, and the exit through HTIF.
 * Weak, so that a program whose layout matters can have its own. */
#ifndef STACK_BYTES
#define STACK_BYTES 262144
#endif
    .option norelax
    .option norvc
    .section .text.start, "ax"
    .weak _start
_start:
    la sp, stack_top
    li s0, 0
    li ra, 0
    li s11, 0
    j program

    .global pass, fail
pass:
    mv a0, s11
fail:
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
#if __riscv_xlen == 64
    sd a0, 0(t0)
#else
    sw a0, 0(t0)
#endif
1:  j 1b

    .section .tohost, "aw"
    .balign 64
    .global tohost, fromhost
tohost:
    .dword 0
    .size tohost, 8
    .balign 64
fromhost:
    .dword 0
    .size fromhost, 8

    .section .bss
    .balign 4096
    .skip STACK_BYTES
    .global stack_top
stack_top:
