/* The program changes the own counters while it runs: their width, what happens at their top, the
 * interrupt near it (C1); and the marks themselves, in its perfinst block, which hold from the next
 * write of PROF_REG_SYNC on (S8). */
#include "tests/programs/counted.h"
    watch "tick 4 counter"
    watch "tock 4 counter near"

    .macro write_register number, value
    li t5, \number
    csrw CSR_PROF_INDEX, t5
    li t5, \value
    csrw CSR_PROF_DATA, t5
    .endm
    .macro read_register rd, number
    li t5, \number
    csrw CSR_PROF_INDEX, t5
    csrr \rd, CSR_PROF_DATA
    .endm
    .macro call_often routine, times
    li s1, \times
1:  jal ra, \routine
    addi s1, s1, -1
    bnez s1, 1b
    .endm

    .text
    function program
    la s2, tick
    la s3, tock
    read_register t1, PROF_REG_COUNTER_FORMAT
    demand t1, 0, 1

    # 8 bits: 300 executions are 44, or 255.
    write_register PROF_REG_COUNTER_FORMAT, 8
    call_often tick, 300
    rdic_clear t1, s2
    demand t1, 300 - 256, 2
    write_register PROF_REG_COUNTER_FORMAT, 8 + PROF_COUNTER_SATURATES + 0xff00
    read_register t1, PROF_REG_COUNTER_FORMAT
    demand t1, 8 + PROF_COUNTER_SATURATES, 1
    call_often tick, 300
    rdic t1, s2
    demand t1, 255, 2
    rdic_clear t1, s2
    call_often tick, 3
    rdic_clear t1, s2
    demand t1, 3, 2

    # Near the top: at every 240th of 500 executions, with the value, and cleared.
    la t0, handler
    csrw mtvec, t0
    li t0, PROF_MODE_ENABLE | PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0
    li t0, 1 << 24
    csrs mie, t0
    write_register PROF_REG_NEAR, 16
    li s4, 0
    li s5, 0
    csrsi mstatus, 8
    call_often tock, 500
    .rept 40
    nop
    .endr
    csrci mstatus, 8
    demand s4, 2, 4
    demand s5, 2*240, 4
    rdic_clear t1, s3
    demand t1, 20, 4
    write_register PROF_REG_COUNTER_FORMAT, 0
    write_register PROF_REG_NEAR, 0

    # The item of tick loses its counter, and has it again.
    la a0, tick
    jal ra, find_item
    call_often tick, 5
    rdic t1, s2
    demand t1, 5, 8
    lhu s6, 0(a0)
    sh zero, 0(a0)
    write_register PROF_REG_SYNC, 0
    call_often tick, 7
    rdic t1, s2
    demand t1, 0, 8
    ld t1, 16(a0)               # what was counted is in memory
    demand t1, 5, 8
    sh s6, 0(a0)
    write_register PROF_REG_SYNC, 0
    call_often tick, 6
    rdic t1, s2
    demand t1, 5 + 6, 8
    ld t1, 16(a0)
    write_register PROF_REG_SYNC, 1
    ld t1, 16(a0)
    demand t1, 5 + 6, 16

    # The whole table moves away, and comes back.
    read_register s7, PROF_REG_SEGMENT + 2
    write_register PROF_REG_SEGMENT + 2, 0
    call_often tick, 9
    li t5, PROF_REG_SEGMENT + 2
    csrw CSR_PROF_INDEX, t5
    csrw CSR_PROF_DATA, s7
    call_often tick, 2
    rdic t1, s2
    demand t1, 5 + 6 + 2, 32
    j pass
    end_function program

    # a0: an instruction; becomes the address of its item. Segment 0 is the text.
find_item:
    csrr t0, CSR_PROF_LINES
    andi t0, t0, 0xff
    read_register t1, PROF_REG_SEGMENT
    read_register t2, PROF_REG_SEGMENT + 2
    srl t3, a0, t0
    srl t1, t1, t0
    sub t3, t3, t1
    slli t3, t3, 3
    add t2, t2, t3
    ld t2, 0(t2)                # the perfinst block
    li t3, 1
    sll t3, t3, t0
    addi t3, t3, -1
    and t3, a0, t3
    srli t3, t3, 1
    slli t3, t3, 5
    add a0, t2, t3
    addi a0, a0, 16
    ret

    .balign 128
    function tick
    nop
    ret
    end_function tick

    .balign 128
    function tock
    nop
    ret
    end_function tock

    .balign 128
    function handler
    addi s4, s4, 1
    csrr t0, CSR_IND_COUNT
    add s5, s5, t0
    csrr t0, CSR_IND_FLAGS
    srli t0, t0, IND_KIND_SHIFT
    andi t0, t0, 15
    demand t0, IND_KIND_NEAR, 64
    csrr t0, CSR_IND_IADDR
    bne t0, s3, fail
    li t0, PROF_REG_ACK
    csrw CSR_PROF_INDEX, t0
    csrw CSR_PROF_DATA, zero
    mret
    end_function handler
