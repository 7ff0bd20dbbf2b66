/* XLEN = 32, from S-mode under Sv32, on a stack that is not where its address is: two routines call
 * a third whose counter interrupts when it passes 6. The addresses that the monitor finds go
 * through the page tables. Sixty calls: 14 from `first` (interrupts at the 7th and 14th), 21 from
 * `second` (at the 21st, 28th and 35th), 25 from `first` (at the 42nd, 49th and 56th; 4 calls stay
 * in the counter).
 *
 * Instructions up to an interrupt: 6 of the start, 42 of `program`, 6 of `supervisor` with the
 * first call, 5 of `first` and 6*5+2 up to the nop of the 7th call: 91. 7 calls take 35. From
 * `first` to `second` there are 3+4 of the loop and the return, 2 of the next call, 5 and again
 * 6*5+2: 46; so too from `second` to `first`. All in all 91 + 35 + 46 + 35 + 35 = 242 where `first`
 * calls and 46 + 35 + 35 = 116 where `second` does. */
#include "tests/programs/counted.h"
#define V 1
#define R 2
#define W 4
#define X 8
#define STACK 0x40000000        /* one page */
    watch "leaf 4 counter=6 interrupt"
    watch "first * counter"
    watch "second * counter"
    watch "leaf+4 * counter"

    .text
    function program
    la s1, root
    li t0, 0x80000000
    srli t0, t0, 2
    addi t0, t0, V | R | W | X
    li t2, 0x800
    add t2, t2, s1
    sw t0, 0(t2)                # memory where it is, in one page of 4 MiB
    la t0, table
    srli t1, t0, 2
    addi t1, t1, V
    li t2, 0x400
    add t2, t2, s1
    sw t1, 0(t2)
    la t1, stack_page
    srli t1, t1, 2
    addi t1, t1, V | R | W
    sw t1, 0(t0)
    srli t0, s1, 12
    li t1, 0x80000000
    or t0, t0, t1
    csrw satp, t0
    sfence.vma
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 0x1800
    csrc mstatus, t0
    li t0, 0x800                # MPP: S
    csrs mstatus, t0
    la t0, supervisor
    csrw mepc, t0
    li sp, STACK + 4096
    li s0, 0
    mret
    end_function program

    .balign 4
    .global supervisor
    .type supervisor, @function
supervisor:
    addi sp, sp, -16
    sw ra, 12(sp)
    sw s0, 8(sp)
    addi s0, sp, 16
    li a0, 14
    jal ra, first
    li a0, 21
    jal ra, second
    li a0, 25
    jal ra, first
    li s11, 0
    j pass
    .size supervisor, . - supervisor

    # 5 instructions, 5 for each call with those of `leaf`, 4 to leave.
    .macro caller name, calls, loops
    function \name
    times \calls
    addi sp, sp, -16
    sw ra, 12(sp)
    sw s0, 8(sp)
    addi s0, sp, 16
    mv s1, a0
    times \loops
1:  jal ra, leaf
    addi s1, s1, -1
    bnez s1, 1b
    times \calls
    lw ra, 12(sp)
    lw s0, 8(sp)
    addi sp, sp, 16
    ret
    end_function \name
    .endm
    caller first, 2, 39
    caller second, 1, 21

    .balign 64
    function leaf
    times 60
    nop                         # the counter that interrupts
    ret
    end_function leaf

    .bss
    .balign 4096
root:
    .skip 4096
table:
    .skip 4096
stack_page:
    .skip 4096
