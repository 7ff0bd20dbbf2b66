/* Calls: nested, from a loop, through a table of pointers, through the alternative link register
 * x5, and a jump out of a routine's end into another (tail call). */
#include "tests/programs/counted.h"
    .irp name, program, first, second, third, fourth, helper, leaf_a, leaf_b, leaf_c
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    li s1, 6
    li a0, 0
1:  times 6
    jal ra, first               # calls: 6
    addi s1, s1, -1
    bnez s1, 1b                 # 5 taken
    times 1
    demand a0, 6*3*(1+10+100), 1

    li s1, 5
rounds:                         # 5 rounds over a table of 4 pointers: a, b, a, c
    times 5
    la s2, table                # auipc, addi
    li s3, 4
2:  times 20
    LOAD_REG t1, 0(s2)          # loads: 20
    jalr ra, 0(t1)              # calls: 20
    addi s2, s2, 8
    addi s3, s3, -1
    bnez s3, 2b                 # 15 taken
    times 5
    addi s1, s1, -1
    bnez s1, rounds             # 4 taken
    times 1
    demand a0, 6*3*111+10*2+5*3+5*5, 2
    j pass
    end_function program

    function first              # 6 calls
    times 6
    addi sp, sp, -16
    STORE_REG ra, 8(sp)         # stores: 6
    STORE_REG s1, 0(sp)         # stores: 6
    jal t0, helper              # calls: 6, link register x5
    li s1, 3
1:  times 18
    jal ra, second              # calls: 18
    addi s1, s1, -1
    bnez s1, 1b                 # 12 taken
    times 6
    LOAD_REG s1, 0(sp)          # loads: 6
    LOAD_REG ra, 8(sp)          # loads: 6
    addi sp, sp, 16
    ret                         # returns: 6
    end_function first

    function second             # 18 calls
    times 18
    addi sp, sp, -16
    STORE_REG ra, 8(sp)         # stores: 18
    addi a0, a0, 1
    la t1, third                # auipc, addi
    jalr ra, 0(t1)              # calls: 18
    LOAD_REG ra, 8(sp)          # loads: 18
    addi sp, sp, 16
    j fourth                    # a jump, no call
    times 0
    nop
    end_function second

    function third              # 18 calls
    times 18
    addi a0, a0, 10
    ret                         # returns: 18
    end_function third

    function fourth             # 18 times, from the end of second; returns for it
    times 18
    addi a0, a0, 100
    ret                         # returns: 18
    end_function fourth

    function helper             # 6 calls
    times 6
    nop
    jr t0                       # returns: 6, through x5
    end_function helper

    function leaf_a             # twice a round
    times 10
    addi a0, a0, 2
    ret                         # returns: 10
    end_function leaf_a

    function leaf_b
    times 5
    addi a0, a0, 3
    ret                         # returns: 5
    end_function leaf_b

    function leaf_c
    times 5
    addi a0, a0, 5
    ret                         # returns: 5
    end_function leaf_c

    .data
    .balign 8
table:
    .irp leaf, leaf_a, leaf_b, leaf_a, leaf_c
    address_of \leaf
    .endr

    expect calls 6+20+6+18+18
    expect returns 6+18+18+6+10+5+5
    expect loads 20+6+6+18
    expect stores 6+6+18+1
    expect branches 6+20+5+18
    expect branches_taken 5+15+4+12
