/* Start and end of the programs, for the machines on which they are measured:
 *   (nothing defined)  bare metal, machine mode, exit through HTIF
 *   BENCH_LINUX        a static Linux program; it says "verified" when it is, since not every
 *                      simulator hands its exit status on
 *   BENCH_MARSS        a raw image for MARSS-RISCV: its own HTIF registers, and the region to
 *                      simulate in detail marked the way it wants */
#if __riscv_xlen == 64
#define STORE sd
#else
#define STORE sw
#endif
    .section .text.start, "ax"
    .global _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
#ifndef BENCH_LINUX
#ifdef __riscv_flen
    li t0, 0x2000               # mstatus.FS
    csrs mstatus, t0
#endif
    la t0, bss_start
    la t1, bss_end
1:  bgeu t0, t1, 2f
    STORE zero, 0(t0)
    addi t0, t0, __riscv_xlen / 8
    j 1b
2:
#endif
#ifdef BENCH_MARSS
    csrs 0x800, zero
#endif
    call main
#ifdef BENCH_LINUX
    mv s0, a0
    bnez a0, 4f
    li a0, 1                    # write(stdout)
    la a1, verdict
    li a2, 9                    # its bytes
    li a7, 64
    ecall
4:  mv a0, s0
    li a7, 93
    ecall
#else
    slli a0, a0, 1
    ori a0, a0, 1
#ifdef BENCH_MARSS
    csrs 0x801, zero
    li t0, 0x40008000
    sw a0, 0(t0)
    sw zero, 4(t0)
#else
    la t0, tohost
    STORE a0, 0(t0)
#endif
#endif
3:  j 3b

#ifdef BENCH_LINUX
    .section .rodata
verdict:
    .ascii "verified\n"
#endif

#if !defined BENCH_LINUX && !defined BENCH_MARSS
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
#endif

    .section .bss
    .balign 64
    .skip 65536
stack_top:
