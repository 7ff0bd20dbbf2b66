/* Reset, the trap vector, which keeps the program's registers, and the ways into the program and to
 * the end. */
    .section .text.start, "ax"
    .global _start
_start:
    la sp, stack_top
    csrw mscratch, sp
    la t0, vector
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f                 /* all of memory: read, write, execute */
    csrw pmpcfg0, t0
    call main

/* run_program(entry, stack): user mode from here on. */
    .global run_program
run_program:
    csrw mepc, a0
    mv sp, a1
    li t0, 3 << 11
    csrc mstatus, t0
    sfence.vma
    mret

/* finish(status) */
    .global finish
finish:
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
    sd a0, 0(t0)
1:  j 1b

    .macro for_all_but_sp op
    .irp i, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    \op x\i, 8 * \i(sp)
    .endr
    .irp i, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op x\i, 8 * \i(sp)
    .endr
    .endm

    .balign 4
vector:
    csrrw sp, mscratch, sp
    addi sp, sp, -256
    for_all_but_sp sd
    csrr a0, mcause
    csrr a1, mtval
    call handle_trap
    for_all_but_sp ld
    addi sp, sp, 256
    csrrw sp, mscratch, sp
    mret
