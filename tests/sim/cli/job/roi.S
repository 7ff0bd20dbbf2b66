# Regions whose ends differ: `first` loads, `second` stores, `round` is a loop of three rounds of
# two instructions, `handler` is entered by a trap alone.
    .globl _start, first, second, round, handler, behind
_start:
    la t1, word
    la t2, handler
    csrw mtvec, t2
first:
    ld t0, 0(t1)
    addi t0, t0, 1
second:
    sd t0, 8(t1)
    li t0, 3
round:
    addi t0, t0, -1
    bnez t0, round
    ecall
behind:
    li t0, 1
    la t1, tohost
    sd t0, 0(t1)
1:  j 1b
    .align 2
handler:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    mret
    .data
    .globl tohost, fromhost
    .align 6
tohost: .dword 0
fromhost: .dword 0
word:   .dword 0, 0
