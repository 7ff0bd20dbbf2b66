/* The three ways to a register of the performance monitor: CSR, index/data pair, memory-mapped
 * window (built for pmu.window_base = WINDOW). What is written one way is read the same by all
 * three, and counters read one way and another are exact to the instruction. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#define WINDOW 0x20000000
    watch "marked * count"

#define IN_RANGE (PMU_FILTER_RANGE << PMU_FILTER_SHIFT)
#define SELECT_STORES (EVENT_STORES | IN_RANGE)
#define SELECT_MARKED (EVENT_INSNS_RETIRED | PMU_FILTER_MARKED << PMU_FILTER_SHIFT)

    # the register at this offset from s4, a base in the window
#define COUNTER(n) 8 * (n)
#define EVENT(n) 8 * (PROF_REG_EVENT - PROF_REG_COUNTER + (n))
#define INHIBIT 8 * (PROF_REG_INHIBIT - PROF_REG_COUNTER)
#define MODE 8 * (PROF_REG_MODE - PROF_REG_COUNTER)

    # counter n holds value, whichever way it is read
    .macro all_read n, value, number
    csrr t1, mhpmcounter\n
    demand t1, \value, \number
    PROF_READ(t1, PROF_REG_COUNTER + \n)
    demand t1, \value, \number
    ld t1, COUNTER(\n)(s4)
    demand t1, \value, \number
    .endm

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s4, WINDOW + 8 * PROF_REG_COUNTER
    li s2, 0

    # Range 0 through the pair, range 1 through the window: both are `work`.
    la t0, work
    PROF_WRITE(PROF_REG_IRANGE, t0)
    li s5, WINDOW + 8 * PROF_REG_IRANGE
    sd t0, 8*4(s5)
    la t0, work_end
    sd t0, 8*5(s5)
    PROF_WRITE(PROF_REG_IRANGE + 1, t0)

    # The same event set three ways; 10 calls of work with 3 stores.
    li t0, SELECT_STORES
    csrw mhpmevent3, t0
    PROF_WRITE(PROF_REG_EVENT + 4, t0)
    li t1, 1 << PMU_ARGUMENT_SHIFT
    add t1, t1, t0
    sd t1, EVENT(5)(s4)
    li t2, 1000
    csrw mhpmcounter3, t2
    PROF_WRITE(PROF_REG_COUNTER + 4, t2)
    sd t2, COUNTER(5)(s4)
    csrr t3, mhpmevent5
    sub t3, t3, t1
    demand t3, 0, 1
    li s1, 10
1:  jal ra, work
    addi s1, s1, -1
    bnez s1, 1b
    all_read 3, 1000+10*3, 1
    all_read 4, 1000+10*3, 1
    all_read 5, 1000+10*3, 1
    # Both ranges have the same counts: 10 entries of 5 instructions.
    PROF_READ(t1, PROF_REG_IRANGE + 2)
    demand t1, 10, 2
    ld t1, 8*3(s5)
    demand t1, 10*5, 2
    ld t1, 8*6(s5)
    demand t1, 10, 2
    PROF_READ(t1, PROF_REG_IRANGE + 4 + 3)
    demand t1, 10*5, 2

    # Instructions retired between two reads, of which the first is one.
    .macro ten_nops
    .rept 10
    nop
    .endr
    .endm
    csrr t0, minstret
    ten_nops
    ld t1, COUNTER(2)(s4)
    sub t1, t1, t0
    demand t1, 11, 4
    ld t0, COUNTER(2)(s4)
    ten_nops
    csrr t1, minstret
    sub t1, t1, t0
    demand t1, 11, 4
    li t2, PROF_REG_COUNTER + 2
    csrw CSR_PROF_INDEX, t2
    csrr t0, CSR_PROF_DATA
    ten_nops
    ld t1, COUNTER(2)(s4)
    sub t1, t1, t0
    demand t1, 11, 4
    # The next instruction reads the written value, whichever way is used: the writer does not
    # count.
    sd zero, COUNTER(2)(s4)
    csrr t1, minstret
    demand t1, 0, 4
    csrw minstret, zero
    ld t1, COUNTER(2)(s4)
    demand t1, 0, 4
    li t2, PROF_REG_COUNTER + 2
    csrw CSR_PROF_INDEX, t2
    csrw CSR_PROF_DATA, zero
    ten_nops
    ld t1, COUNTER(2)(s4)
    demand t1, 10, 4
    # Halves of a word.
    li t0, 0x1234567800000001
    csrw mhpmcounter6, t0
    lwu t1, COUNTER(6)+4(s4)
    demand t1, 0x12345678, 4
    sw t1, COUNTER(6)(s4)
    csrr t1, mhpmcounter6
    li t2, 0x1234567812345678
    sub t1, t1, t2
    demand t1, 0, 4

    # mcountinhibit and the mode register.
    li t0, 1 << 3
    sd t0, INHIBIT(s4)
    csrr t1, mcountinhibit
    demand t1, 1 << 3, 8
    jal ra, work
    all_read 3, 1000+10*3, 8
    all_read 5, 1000+11*3, 8
    PROF_WRITE(PROF_REG_INHIBIT, zero)
    ld t1, INHIBIT(s4)
    demand t1, 0, 8
    jal ra, work
    all_read 3, 1000+11*3, 8
    csrr t0, CSR_PROF_MODE
    ld t1, MODE(s4)
    sub t1, t1, t0
    demand t1, 0, 8

    # Mode and segments through the window act on the marks: 5 calls of 4 count, then none, then
    # none, then 5 calls again.
    li t0, SELECT_MARKED
    sd t0, EVENT(6)(s4)
    sd zero, COUNTER(6)(s4)
    jal ra, mark_five
    all_read 6, 5*4, 16
    sd zero, MODE(s4)
    csrr t1, CSR_PROF_MODE
    demand t1, 0, 16
    jal ra, mark_five
    all_read 6, 5*4, 16
    li t0, PROF_MODE_ENABLE
    PROF_WRITE(PROF_REG_MODE, t0)
    li s5, WINDOW + 8 * PROF_REG_SEGMENT
    ld s6, 8*3(s5)
    sd zero, 8*3(s5)
    jal ra, mark_five
    all_read 6, 5*4, 16
    sd s6, 8*3(s5)
    jal ra, mark_five
    all_read 6, 2*5*4, 16

    # A counter set through the window overflows and interrupts like any other.
    li t0, 0x2000
    csrs mie, t0
    csrsi mstatus, 8
    li t0, -3
    sd t0, COUNTER(5)(s4)
    jal ra, work
    .rept 40
    nop
    .endr
    demand s2, 1, 32
    ld t1, EVENT(5)(s4)
    srli t1, t1, 63
    demand t1, 1, 32

    # Accesses that the window refuses.
    li s2, 0
    li s3, 7
    lh t1, COUNTER(3)(s4)
    demand s2, 5, 64
    li s2, 0
    sb t1, COUNTER(3)(s4)
    demand s2, 7, 64
    # Registers that do not exist read as zero.
    li s5, WINDOW + 0x7ff8
    sd s4, 0(s5)
    ld t1, 0(s5)
    demand t1, 0, 64
    ld t1, COUNTER(1)(s4)
    demand t1, 0, 64
    j pass
    end_function program

    function mark_five
    mv s7, ra
    li s1, 5
1:  jal ra, marked
    addi s1, s1, -1
    bnez s1, 1b
    mv ra, s7
    ret
    end_function mark_five

    function marked
    nop
    nop
    nop
    ret
    end_function marked

    function work
    sd s1, -8(sp)
    sd s1, -16(sp)
    sd s1, -24(sp)
    nop
    ret
work_end:
    end_function work

    # An overflow counts in s2; of an access fault it is the cause, and the access is skipped.
    .balign 4
handler:
    csrr t3, mcause
    bltz t3, 1f
    mv s2, t3
    csrr t3, mepc
    addi t3, t3, 4
    csrw mepc, t3
    mret
1:  addi s2, s2, 1
    li t3, 0x2000
    csrc mip, t3
    mret
