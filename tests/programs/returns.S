/* Returns that lead to an instruction which acts alone or traps: each of the routines here calls
 * leaf, and goes on with one such instruction. Called ROUNDS times each. */
#define ROUNDS 3

    .option norelax
    .option norvc

    .macro routine name, insn:vararg
    .type \name, @function
\name:
    addi sp, sp, -16
    sd ra, 0(sp)
    jal leaf
    \insn
    ld ra, 0(sp)
    addi sp, sp, 16
    ret
    .size \name, . - \name
    .endm

    .text
    .global program
    .type program, @function
program:
    la t0, handler
    csrw mtvec, t0
    la s2, word
    li s3, 0x200bff8                /* mtime */
    li s1, ROUNDS
1:  call to_system_call
    call to_breakpoint
    call to_illegal
    call to_fault
    call to_csr
    call to_fence
    call to_atomic
    call to_device
    call to_add
    addi s1, s1, -1
    bnez s1, 1b
    j pass
    .size program, . - program

    routine to_system_call, ecall
    routine to_breakpoint, ebreak
    routine to_illegal, csrw mhartid, t0
    routine to_fault, ld t0, 0(x0)
    routine to_csr, csrrs t0, mscratch, x0
    routine to_fence, fence rw, rw
    routine to_atomic, amoadd.d t0, t1, (s2)
    routine to_device, ld t0, 0(s3)
    routine to_add, add t0, t0, t1

    .type leaf, @function
leaf:
    addi s4, s4, 1
    ret
    .size leaf, . - leaf

    /* Goes on after the instruction that trapped. */
    .balign 4
    .type handler, @function
handler:
    csrw mscratch, t0
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    csrr t0, mscratch
    mret
    .size handler, . - handler

    .data
    .balign 8
word:
    .dword 0
