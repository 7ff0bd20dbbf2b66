/* XLEN = 32: results that wrap at 32 bits, addresses across the middle of the address space, the
 * compressed encodings that RV64 has not, upper halves of counters, illegal encodings. */
#include "tests/programs/counted.h"
    .irp name, program, leaf
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    la t0, handler              # auipc, addi
    csrw mtvec, t0
    li t0, 0x2000               # mstatus.FS
    csrs mstatus, t0

    # sums, products, quotients
    li s1, 0x7fffffff           # lui, addi
    addi a0, s1, 1
    demand a0, 0x80000000, 1
    sltz t0, a0
    demand t0, 1, 2
    srli t0, a0, 31
    demand t0, 1, 4
    mulhu t0, a0, a0
    demand t0, 0x40000000, 8
    divu t0, a0, s1
    demand t0, 1, 16
    sltu t0, s1, a0
    demand t0, 1, 32

    # a round of 2^32 / 2^30 steps through the whole address space
    li s1, 0
    lui s2, 0x40000
1:  times 4
    add s1, s1, s2
    bnez s1, 1b                 # 3 taken

    # the first word of memory, from a base in the lower half of the address space
    times 1
    lui s1, 0x80000
    lw s3, 0(s1)                # loads: 1
    addi s1, s1, -8
    lw s4, 8(s1)                # loads: 1
    sub s3, s3, s4
    demand s3, 0, 64

    # c.jal, c.flw, c.fsw, c.flwsp, c.fswsp
    li s5, 3
    la a5, words                # auipc, addi
    .option push
    .option rvc
2:  times 3
    c.jal leaf                  # calls: 3
    c.flw fa0, 4(a5)            # loads: 3
    c.fsw fa0, 8(a5)            # stores: 3
    c.fswsp fa0, 12(sp)         # stores: 3
    c.flwsp ft0, 12(sp)         # loads: 3
    addi s5, s5, -1             # 2 bytes
    bnez s5, 2b                 # 4 bytes, 2 taken
    .option pop
    times 1
    lw t0, 8(a5)                # loads: 1
    demand t0, 0x40490fdb, 1
    fmv.x.w t0, ft0
    demand t0, 0x40490fdb, 1

    # counters in halves
    li t0, 5
    csrw mhpmcounter3h, t0
    li t0, 7
    csrw mhpmcounter3, t0
    csrr t1, mhpmcounter3h
    demand t1, 5, 2
    csrr t1, mhpmcounter3
    demand t1, 7, 2
    csrr t1, cycleh
    demand t1, 0, 4
    csrr t1, misa
    srli t1, t1, 30
    demand t1, 1, 8

    # instructions of RV64 alone: ld a0, 0(a0) and addiw a0, a0, 0, each traps once
    li s6, 0
    times 0
    .word 0x00053503
    .word 0x0005051b
    times 1
    demand s6, 0x00053503 + 0x0005051b, 16

    # the timer, compared by halves
    la t0, ticked               # auipc, addi
    csrw mtvec, t0
    li t1, 0x2004000            # mtimecmp
    li t2, 0x200c000            # mtime is 8 below
    li t3, -1
    sw t3, 0(t1)                # stores: 1
    sw zero, 4(t1)              # stores: 1
    lw t0, -8(t2)               # loads: 1
    addi t0, t0, 3
    sw t0, 0(t1)                # stores: 1
    li s7, 0
    li t0, 0x80                 # mie.MTIE
    csrw mie, t0
    wfi                         # until it is pending
    csrsi mstatus, 8            # 1 interrupt
    csrci mstatus, 8
    demand s7, 0x80000007, 32
    j pass
    end_function program

    .balign 4
handler:                        # adds up mtval; the cause is an illegal instruction
    csrr t0, mcause
    addi t0, t0, -2
    bnez t0, 3f                 # twice not taken
    csrr t0, mtval
    add s6, s6, t0
3:  csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    mret

    .balign 4
ticked:
    csrr s7, mcause
    csrw mie, zero
    mret

    .balign 4
    function leaf               # 3 calls
    times 3
    nop
    ret                         # returns: 3
    end_function leaf

    .data
    .balign 8
words:
    .word 0, 0x40490fdb, 0, 0

    expect calls 3
    expect returns 3
    expect loads 2+6+1+1
    expect stores 6+3+1
    expect branches 4+3+2
    expect branches_taken 3+2
    expect traps 2
    expect interrupts 1
