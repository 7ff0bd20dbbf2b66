/* Start, traps, setjmp and longjmp of the drawn programs. A trap is served on the stack of the code
 * that it interrupted; handle_trap receives the cause and may trap itself: mepc and mstatus are
 * kept. */
    .macro routine name
    .balign 4
    .global \name
    .type \name, @function
\name:
    .endm
    .macro end name
    .size \name, . - \name
    .endm
#define LONG (__riscv_xlen / 8)
#if __riscv_xlen == 64
#define STORE_LONG sd
#define LOAD_LONG ld
#else
#define STORE_LONG sw
#define LOAD_LONG lw
#endif
#define CALLER_SAVED(DO) DO(ra, 0) DO(t0, 1) DO(t1, 2) DO(t2, 3) DO(a0, 4) DO(a1, 5) DO(a2, 6) \
    DO(a3, 7) DO(a4, 8) DO(a5, 9) DO(a6, 10) DO(a7, 11) DO(t3, 12) DO(t4, 13) DO(t5, 14) DO(t6, 15)
#define CALLEE_SAVED(DO) DO(ra, 0) DO(sp, 1) DO(s0, 2) DO(s1, 3) DO(s2, 4) DO(s3, 5) DO(s4, 6) \
    DO(s5, 7) DO(s6, 8) DO(s7, 9) DO(s8, 10) DO(s9, 11) DO(s10, 12) DO(s11, 13)
#define STORE(register, at) STORE_LONG register, LONG * at(sp);
#define LOAD(register, at) LOAD_LONG register, LONG * at(sp);
#define KEEP(register, at) STORE_LONG register, LONG * at(a0);
#define FETCH(register, at) LOAD_LONG register, LONG * at(a0);

    .section .text.start, "ax"
routine _start
    csrr a0, mhartid
    la sp, stack_top
    slli t0, a0, 14
    sub sp, sp, t0
    la t0, trap_entry
    csrw mtvec, t0
    li s0, 0
    li ra, 0
    mv s1, a0
    call program
    bnez s1, 1f
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sw a0, 0(t0)
    sw zero, 4(t0)
1:  j 1b
end _start

    .text
routine trap_entry
    addi sp, sp, -160
    CALLER_SAVED(STORE)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mstatus
    STORE_LONG a1, 128(sp)
    STORE_LONG a2, 136(sp)
    bltz a0, 1f
    addi a1, a1, 4
    STORE_LONG a1, 128(sp)
1:  LOAD_LONG a1, 4 * LONG(sp)
    call handle_trap
    STORE_LONG a0, 4 * LONG(sp)
    LOAD_LONG a1, 128(sp)
    LOAD_LONG a2, 136(sp)
    csrw mepc, a1
    csrw mstatus, a2
    CALLER_SAVED(LOAD)
    addi sp, sp, 160
    mret
end trap_entry

routine trap
    .option push
    .option norvc
    ecall
    .option pop
    ret
end trap

routine hart
    csrr a0, mhartid
    ret
end hart

routine setjmp
    CALLEE_SAVED(KEEP)
    li a0, 0
    ret
end setjmp

routine longjmp
    CALLEE_SAVED(FETCH)
    mv a0, a1
    ret
end longjmp

    .section .tohost, "aw"
    .balign 64
    .global tohost, fromhost
tohost:
    .dword 0
    .balign 64
fromhost:
    .dword 0

    .section .bss
    .balign 4096
    .skip 65536
    .global stack_top
stack_top:
