/* Code that changes itself: a count belongs to the address, independently of the instruction
 * there. */
#include "tests/programs/counted.h"
    .irp name, program, slot
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    la s1, slot                 # auipc, addi
    la s2, forms                # auipc, addi
    li s3, 20
    li a0, 0
1:  times 20                    # 20 rounds: forms 0, 1, 0, 1 ...
    andi t0, s3, 1
    slli t0, t0, 2
    add t0, t0, s2
    lw t1, 0(t0)                # loads: 20
    sw t1, 0(s1)                # stores: 20
    fence.i
    jal ra, slot                # calls: 20
    addi s3, s3, -1
    bnez s3, 1b
    times 1
    demand a0, 10*1+10*100, 1

    # Two 16-bit instructions in its place: the second starts at an address without a counter.
    lw t1, 8(s2)                # loads: 1
    sw t1, 0(s1)                # stores: 1
    fence.i
    li s3, 5
2:  times 5
    jal ra, slot                # calls: 5
    addi s3, s3, -1
    bnez s3, 2b
    times 1
    demand a0, 1010+5*(3+4), 2

    # A copy of the routine elsewhere has no counters, and the original does not count for it.
    la s4, copy                 # auipc, addi
    lw t0, 0(s1)                # loads: 2
    lw t1, 4(s1)
    sw t0, 0(s4)                # stores: 2
    sw t1, 4(s4)
    fence.i
    li s3, 9
3:  times 9
    jalr ra, 0(s4)              # calls: 9
    addi s3, s3, -1
    bnez s3, 3b
    times 1
    demand a0, 1010+35+9*7, 3
    j pass
    end_function program

    .balign 64
    function slot
    times 20+5
    nop                         # 4 bytes, replaced at run time
    ret                         # returns: 25, and 9 of the copy
    end_function slot

    .data
    .balign 128
forms:
    .option push
    .option rvc
    .option norvc
    addi a0, a0, 1
    addi a0, a0, 100
    .option rvc
    c.addi a0, 3
    c.addi a0, 4
    .option pop
    .balign 128
copy:
    .skip 128

    expect calls 20+5+9
    expect returns 25+9
    expect loads 20+1+2
    expect stores 20+1+2+1
    expect branches 20+5+9
    expect branches_taken 19+4+8
