/* Recursion: Fibonacci numbers the slow way, two routines that call each other, and one that goes
 * 2000 frames deep. */
#include "tests/programs/counted.h"
    .irp name, program, fibonacci, is_even, is_odd, dive
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    li a0, 15
    jal ra, fibonacci           # call
    demand a0, 610, 1
    li a0, 25
    jal ra, is_even             # call
    demand a0, 0, 2
    li a0, 2000
    jal ra, dive                # call
    demand a0, 2000*2001/2, 3
    j pass
    end_function program

    # fibonacci(n) makes c(n) = 1 + c(n-1) + c(n-2) activations, c(0) = c(1) = 1:
    # c(n) = 2 F(n+1) - 1.
    # c(15) = 2 * 987 - 1 = 1973, of which F(16) = 987 are leaves (n < 2) and 986 are not.
    function fibonacci
    times 1973
    addi sp, sp, -32
    STORE_REG ra, 24(sp)
    STORE_REG s0, 16(sp)
    STORE_REG s1, 8(sp)
    mv s0, a0
    li t0, 2
    blt a0, t0, 1f              # 987 taken
    times 986
    addi a0, s0, -1
    jal ra, fibonacci           # calls: 986
    mv s1, a0
    addi a0, s0, -2
    jal ra, fibonacci           # calls: 986
    add a0, a0, s1
1:  times 1973
    LOAD_REG s1, 8(sp)
    LOAD_REG s0, 16(sp)
    LOAD_REG ra, 24(sp)
    addi sp, sp, 32
    ret                         # returns: 1973
    end_function fibonacci

    # is_even sees 25, 23, ... 1: 13 activations, never 0. is_odd sees 24, 22, ... 0: 13
    # activations, the last with 0: is 0 odd? No: 0.
    function is_even
    times 13
    beqz a0, 1f                 # 0 taken
    addi sp, sp, -16
    STORE_REG ra, 0(sp)
    addi a0, a0, -1
    jal ra, is_odd              # calls: 13
    LOAD_REG ra, 0(sp)
    addi sp, sp, 16
    ret                         # returns: 13
    times 0
1:  li a0, 1
    ret
    end_function is_even

    function is_odd
    times 13
    beqz a0, 1f                 # 1 taken
    times 12
    addi sp, sp, -16
    STORE_REG ra, 0(sp)
    addi a0, a0, -1
    jal ra, is_even             # calls: 12
    LOAD_REG ra, 0(sp)
    addi sp, sp, 16
    ret                         # returns: 12
    times 1
1:  li a0, 0
    ret                         # returns: 1
    end_function is_odd

    # dive(2000) .. dive(0): 2001 activations; returns the sum of its arguments.
    function dive
    times 2001
    beqz a0, 1f                 # 1 taken
    times 2000
    addi sp, sp, -64
    STORE_REG ra, 0(sp)
    STORE_REG a0, 8(sp)
    addi a0, a0, -1
    jal ra, dive                # calls: 2000
    LOAD_REG ra, 0(sp)
    LOAD_REG t1, 8(sp)
    add a0, a0, t1
    addi sp, sp, 64
    times 2001
1:  ret                         # returns: 2001
    end_function dive

    expect calls 3+986+986+13+12+2000
    expect returns 1973+13+12+1+2001
    expect loads 3*1973+13+12+2*2000
    expect stores 3*1973+13+12+2*2000+1
    expect branches 1973+13+13+2001
    expect branches_taken 987+0+1+1
