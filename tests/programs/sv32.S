/* Sv32, from S-mode: pages of both sizes, the accessed and dirty bits that hardware sets, rights by
 * SUM and MXR, faults with their address, a table outside memory, MPRV. Page faults come to the
 * handler in S-mode, which skips the instruction; access faults and calls to that in M-mode. */
#include "tests/programs/counted.h"
#define V 1
#define R 2
#define W 4
#define X 8
#define U 16
#define A 64
#define D 128
#define WINDOW 0x40000000       /* its second-level table is `table`, eight pages are mapped */
#define PAGES 8
#define SUM (1 << 18)
#define MXR (1 << 19)
    .irp name, program, supervisor, skip
    watch "\name * counter"
    .endr

    # An entry of a table: of `page` with the flags.
    .macro entry page, flags, register
    srli \register, \page, 2
    addi \register, \register, \flags
    .endm

    .text
    function program
    times 1
    la t0, machine_call
    csrw mtvec, t0
    la t0, skip
    csrw stvec, t0
    li t0, -1                   # all of memory to all modes
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 0xb000               # the page faults: 12, 13, 15
    csrw medeleg, t0

    # One megapage of memory, where it is.
    la s1, root
    li t0, 0x80000000
    entry t0, V | R | W | X, t1
    li t2, 0x800
    add t2, t2, s1
    sw t1, 0(t2)
    la s2, table
    entry s2, V, t1
    li t2, 0x400
    add t2, t2, s1
    sw t1, 0(t2)
    # A misaligned megapage, and a table outside memory.
    li t0, 0x80001000
    entry t0, V | R | W, t1
    sw t1, 4(t2)                # 0x40400000
    li t0, 0x08000000
    entry t0, V, t1
    sw t1, 8(t2)                # 0x40800000

    la t0, pages
    li t3, PAGES
    mv t4, s2
1:  times PAGES
    entry t0, V | R | W, t1
    sw t1, 0(t4)
    li t5, 4096
    add t0, t0, t5
    addi t4, t4, 4
    addi t3, t3, -1
    bnez t3, 1b
    times 1
    srli t0, s1, 12
    li t1, 0x80000000
    or t0, t0, t1
    csrw satp, t0
    sfence.vma
    csrr t1, satp
    sub t1, t1, t0
    demand t1, 0, 1
    li t0, 0x1800
    csrc mstatus, t0
    li t0, 0x800                # MPP: S
    csrs mstatus, t0
    la t0, supervisor
    csrw mepc, t0
    mret
    end_function program

    .balign 4
    function supervisor
    # Reads from all pages, writes to every second.
    times 1
    li s3, WINDOW
    li s4, PAGES / 2
    li s5, 0
2:  times PAGES / 2
    lw t0, 4(s3)
    add s5, s5, t0
    li t1, 4096
    add s3, s3, t1
    lw t0, 4(s3)
    add s5, s5, t0
    sw s4, 4(s3)
    add s3, s3, t1
    addi s4, s4, -1
    bnez s4, 2b
    times 1
    demand s5, 36, 2            # 1 + ... + 8

    # A and D in the leaves, nothing in the pointer to their table.
    fence
    lw t0, 0(s2)
    andi t0, t0, 0xff
    demand t0, V | R | W | A, 4
    lw t0, 4(s2)
    andi t0, t0, 0xff
    demand t0, V | R | W | A | D, 4
    la t0, root
    lw t0, 0x400(t0)
    andi t0, t0, 0xff
    demand t0, V, 4

    # Pages that are not mapped: causes and addresses. s6 sums up causes, s7 addresses.
    li s6, 0
    li s7, 0
    li s3, WINDOW + PAGES * 4096
    times 0
    lw t0, 12(s3)               # 13
    sw t0, 16(s3)               # 15
    times 1
    demand s6, 13 + 15, 8
    demand s7, (WINDOW + PAGES * 4096) * 2 + 28, 8
    li s7, 0
    li s3, WINDOW + 0x400000
    times 0
    lw t0, 0(s3)                # 13: misaligned
    times 1
    demand s7, WINDOW + 0x400000, 16

    # A user's page: closed, then open with SUM.
    lw t0, 0(s2)
    ori t0, t0, U
    sw t0, 0(s2)
    sfence.vma
    li s3, WINDOW
    times 0
    lw t0, 4(s3)                # 13
    times 1
    li t1, SUM
    csrs sstatus, t1
    lw t0, 4(s3)
    demand t0, 1, 32
    csrc sstatus, t1

    # Code that only executes: read with MXR.
    lw t0, 4(s2)
    andi t0, t0, ~(R | W)
    ori t0, t0, X
    sw t0, 4(s2)
    sfence.vma
    li s3, WINDOW + 4096
    times 0
    lw t0, 4(s3)                # 13
    sw t0, 4(s3)                # 15
    times 1
    li t1, MXR
    csrs sstatus, t1
    lw t0, 4(s3)
    demand t0, 4, 64
    csrc sstatus, t1
    demand s6, 13*4 + 15*2, 64

    # A table outside memory: an access fault, in M-mode.
    li s3, WINDOW + 0x800000
    li s8, 0
    times 0
    lw t0, 0(s3)
    times 1
    demand s8, 5, 128
    # Back to M-mode, there as S-mode by MPRV.
    ecall
    li t0, 1 << 17              # MPRV; MPP is S
    li s3, WINDOW + 7 * 4096
    csrs mstatus, t0
    lw t1, 4(s3)
    csrc mstatus, t0
    demand t1, 1, 128
    j pass
    end_function supervisor

    .balign 4
    function skip               # two, one, one and two page faults
    times 6
    csrr t3, scause
    add s6, s6, t3
    csrr t3, stval
    add s7, s7, t3
    csrr t3, sepc
    addi t3, t3, 4
    csrw sepc, t3
    sret
    end_function skip

    .balign 4
machine_call:                   # the call stays in M-mode, with MPP = S
    csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    csrr s8, mcause
    addi t3, s8, -9
    beqz t3, 3f
    mret
3:  csrr t3, mepc
    jr t3

    .bss
    .balign 4096
root:
    .skip 4096
table:
    .skip 4096

    .data
    .balign 4096
pages:
    .irp number, 1, 2, 3, 4, 5, 6, 7, 8
    .word 0, \number
    .balign 4096
    .endr

    expect traps 6+1+1
    expect interrupts 0
    expect loads 8+3+1+1+1+1+1
    expect stores 4+8+4+2+1
