/* A program that takes the indicator interrupts itself: claimed through the mode register, enabled
 * in mie, served by its own handler, which reads the data of the interrupt and acknowledges it. */
#include "tests/programs/counted.h"
    watch "tick 4 interrupt"
    watch "tock 4 counter=3 interrupt"
    watch "datum 8 interrupt granule=8"

    .macro spaced
    .rept 40
    nop
    .endr
    .endm
#define PENDING 0x1000000

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    csrr s2, CSR_PROF_MODE      # metadata is there: the mechanism is on
    andi s2, s2, PROF_MODE_ENABLE
    demand s2, PROF_MODE_ENABLE, 1
    li t0, PROF_MODE_ENABLE | PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0
    li t0, PENDING
    csrs mie, t0
    csrsi mstatus, 8

    # Ten executions, ten interrupts, each with the address of the instruction.
    li s2, 0
    la s3, tick
    li s5, 0
    li s1, 10
1:  jal ra, tick
    spaced
    addi s1, s1, -1
    bnez s1, 1b
    demand s2, 10, 2
    demand s5, 0, 2             # no data address

    # counter=3: more than three times: the 4th, 8th and 12th of 14 executions; the count is 4.
    li s2, 0
    li s6, 0
    la s3, tock
    li s1, 14
1:  jal ra, tock
    spaced
    addi s1, s1, -1
    bnez s1, 1b
    demand s2, 3, 4
    demand s6, 3*4, 4

    # A marked datum: its address, the flag that says so, the address of the instruction.
    li s2, 0
    la s3, toucher
    la s4, datum
    li s1, 5
1:  jal ra, toucher
    spaced
    addi s1, s1, -1
    bnez s1, 1b
    demand s2, 5, 8
    demand s5, 5, 8

    # While interrupts are off, indicators wait in order, and mip shows that; each acknowledgement
    # drops the oldest.
    csrci mstatus, 8
    jal ra, tick
    jal ra, toucher
    jal ra, tick
    spaced
    csrr t0, mip
    li t1, PENDING
    and t0, t0, t1
    demand t0, PENDING, 16
    csrr t0, CSR_IND_IADDR
    la t1, tick
    sub t0, t0, t1
    demand t0, 0, 16
    PROF_WRITE(PROF_REG_ACK, zero)
    csrr t0, CSR_IND_DADDR
    la t1, datum
    sub t0, t0, t1
    demand t0, 0, 16
    PROF_WRITE(PROF_REG_ACK, zero)
    PROF_WRITE(PROF_REG_ACK, zero)
    csrr t0, mip
    li t1, PENDING
    and t0, t0, t1
    demand t0, 0, 16
    csrr t0, CSR_IND_FLAGS
    demand t0, 0, 16

    # The queue is finite: 40 executions are as many waiting records and lost ones.
    li s1, 40
1:  jal ra, tick
    spaced
    addi s1, s1, -1
    bnez s1, 1b
    li s1, 0
2:  csrr t0, CSR_IND_FLAGS
    beqz t0, 3f
    addi s1, s1, 1
    PROF_WRITE(PROF_REG_ACK, zero)
    j 2b
3:  PROF_READ(t0, PROF_REG_LOST)
    add t0, t0, s1
    demand t0, 40, 32
    snez s1, s1
    demand s1, 1, 32

    # Switched off, marks are ignored.
    csrw CSR_PROF_MODE, zero
    csrsi mstatus, 8
    li s2, 0
    jal ra, tick
    spaced
    demand s2, 0, 64
    csrr t0, CSR_IND_FLAGS
    demand t0, 0, 64
    j pass
    end_function program

    .balign 128
    function tick
    addi s7, s7, 1
    ret
    end_function tick

    .balign 128
    function tock
    addi s7, s7, 1
    ret
    end_function tock

    .balign 128
    function toucher
    ld t0, 0(s4)
    ret
    end_function toucher

    # s2 counts interrupts, s5 those of data, s6 sums the counts; any other cause is error 127.
    .balign 128
    function handler
    csrr t2, mcause
    li t3, 1 << 63 | 24
    bne t2, t3, 9f
    csrr t2, CSR_IND_IADDR
    bne t2, s3, 9f
    csrr t2, CSR_IND_FLAGS
    andi t3, t2, MARK_INTERRUPT
    beqz t3, 9f
    srli t2, t2, 31             # MARK_DATA
    beqz t2, 1f
    csrr t2, CSR_IND_DADDR
    bne t2, s4, 9f
    addi s5, s5, 1
1:  csrr t2, CSR_IND_COUNT
    add s6, s6, t2
    addi s2, s2, 1
    mv t4, t6
    PROF_WRITE(PROF_REG_ACK, zero)
    mv t6, t4
    mret
9:  li a0, 127
    j fail
    end_function handler

    .data
    .balign 128
datum:
    .skip 128
