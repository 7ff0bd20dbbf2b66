# Four harts, a stack each; hart 0 ends the run.
    .section .text.start, "ax"
    .globl _start
_start:
    csrr a0, mhartid
    la sp, stacks
    addi t0, a0, 1
    slli t0, t0, 12
    add sp, sp, t0
    mv s0, a0
    call hart_main
    bnez s0, 1f
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
1:  wfi
    j 1b
    .bss
    .balign 16
stacks: .skip 4 * 4096
    .section .tohost, "aw"
    .balign 64
    .globl tohost
tohost: .dword 0
    .globl fromhost
fromhost: .dword 0
