/* A program with a trap handler of its own. An instruction that faults does not complete and is not
 * counted; one that is tried again, and then succeeds, is counted once. ecall and ebreak do what
 * they are for when they trap, and are counted. */
#include "tests/programs/counted.h"
    .irp name, program, handler, interrupted
    watch "\name * counter"
    .endr

    .text
    function program
    times 1
    la t0, handler
    csrw mtvec, t0
    li s5, 0                    # sum of causes
    li s1, 5
1:  times 5
    ecall                       # 5 traps, cause 11
    addi s1, s1, -1
    bnez s1, 1b                 # 4 taken
    times 1
    li s1, 3
2:  times 0
    csrr t0, 0x123              # no such register: 3 traps, cause 2
    .4byte 0                    # cause 2, twice 16 bits: 6 traps
    times 3
    ebreak                      # 3 traps, cause 3
    times 0
    LOAD_REG t0, 8(zero)        # nothing there: 3 traps, cause 5
    sw t0, 8(zero)              # 3 traps, cause 7
    times 3
    addi s1, s1, -1
    bnez s1, 2b                 # 2 taken
    times 1
    demand s5, 5*11+3*2+6*2+3*3+3*5+3*7, 1

    # A bad address that the handler repairs: counted once a round, trapped once a round.
    li s1, 4
    li s6, 1                    # tells the handler to repair a1
3:  times 4
    li a1, 8
    LOAD_REG t0, 0(a1)          # 4 traps, cause 5, and 4 times done
    demand t0, 0x55, 2
    addi s1, s1, -1
    bnez s1, 3b                 # 3 taken
    times 1
    li s6, 0

    # A jump to nowhere is done; the fetch there is what fails. The handler comes back through ra.
    li s1, 2
    li s6, 2
4:  times 2
    li t1, 16
    jalr ra, 0(t1)              # 2 calls, 2 traps, cause 1
    addi s1, s1, -1
    bnez s1, 4b                 # 1 taken
    times 1
    li s6, 0
    j interrupted
    end_function program

    # Six software interrupts from the interrupt controller, one at each opening of the mask.
    function interrupted
    times 1
    li t0, 8                    # mie.MSIE
    csrs mie, t0
    li s1, 6
    li s2, 0x2000000            # msip of hart 0
    li s7, 0
1:  times 6
    li t0, 1
    sw t0, 0(s2)                # stores: 6
    fence
2:  csrr t1, mip                # the interrupt is pending, not taken: once
    andi t1, t1, 8
    beqz t1, 2b                 # 0 taken
    csrsi mstatus, 8            # 6 interrupts
    nop
    nop
    nop
    nop
    csrci mstatus, 8
    addi s1, s1, -1
    bnez s1, 1b                 # 5 taken
    times 1
    demand s7, 6, 3
    j pass
    end_function interrupted

    # Exceptions: 5 + 3 + 6 + 3 + 3 + 3 = 23 skipped, 4 repaired, 2 jumps; 6 interrupts.
    function handler
    times 23+4+2+6
    csrr t2, mcause
    bltz t2, 5f                 # 6 taken
    times 29
    add s5, s5, t2
    li t3, 1
    beq s6, t3, 6f              # 4 taken
    times 25
    li t3, 2
    beq s6, t3, 7f              # 2 taken
    times 23
    csrr t3, mepc
    lhu t4, 0(t3)               # loads: 23
    andi t4, t4, 3
    addi t3, t3, 2
    addi t4, t4, -3
    bnez t4, 8f                 # 6 taken: the 16-bit ones
    times 17
    addi t3, t3, 2
8:  times 23
    csrw mepc, t3
    mret
6:  times 4
    la a1, good                 # auipc, addi
    mret
7:  times 2
    csrw mepc, ra
    mret
5:  times 6
    sw zero, 0(s2)              # stores: 6
    addi s7, s7, 1
    mret
    end_function handler

    .data
    .balign 8
good:
    .dword 0x55

    expect traps 23+4+2
    expect interrupts 6
    expect loads 23+4
    expect stores 6+6+1
    expect calls 2
    expect returns 0
    expect branches 5+3+4+2+6*2+35+29+25+23
    expect branches_taken 4+2+3+1+5+6+4+2+6
