# Loads and their uses, unpredictable branches, calls, stores and divisions: 60 rounds.
    .section .text.start, "ax"
    .global _start
_start:
    la   sp, stack_top
    la   s0, table
    li   s1, 60
    li   s2, 12345
    li   s3, 1103515245
round:
    mul  s2, s2, s3             # the next number at random
    addi s2, s2, 1013
    srli t0, s2, 20
    andi t1, t0, 0x7f8
    add  t1, t1, s0
    ld   t2, 0(t1)              # a load
    add  t2, t2, t0             # and its use
    sd   t2, 0(t1)
    andi t3, t0, 1
    beqz t3, even
    div  t4, t2, s1
    jal  helper
even:
    addi s1, s1, -1
    bnez s1, round
    la   t0, tohost
    li   t1, 1
    sd   t1, 0(t0)
forever:
    j    forever

    .globl helper
    .type helper, @function
helper:
    addi sp, sp, -16
    sd   ra, 0(sp)
    ld   a0, 0(s0)
    addi a0, a0, 1
    sd   a0, 0(s0)
    ld   ra, 0(sp)
    addi sp, sp, 16
    ret

    .section .tohost, "aw"
    .global tohost, fromhost
    .balign 64
tohost:   .dword 0
fromhost: .dword 0

    .bss
    .balign 64
table:
    .space 2048
stack:
    .space 256
stack_top:
