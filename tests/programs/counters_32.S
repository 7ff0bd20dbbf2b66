/* XLEN = 32: counters of 64 bits in halves, by CSRs, by index and data, through the memory-mapped
 * window (built for pmu.window_base = WINDOW); carries from half to half; overflow, whose flag and
 * whose privilege filters lie in the upper half of mhpmevent. Built with -DRANGED, events are
 * filtered by a range that holds the whole program, for the fast engine. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#define LCOFI 0x2000
#define WINDOW 0x20000000
#ifdef RANGED
#define FILTER (PMU_FILTER_RANGE << PMU_FILTER_SHIFT)
#else
#define FILTER 0
#endif
#define COUNTER(n) 8 * (n)
#define EVENT(n) 8 * (PROF_REG_EVENT - PROF_REG_COUNTER + (n))

    .macro spaced
    .rept 40
    nop
    .endr
    .endm
    .macro set_counter n, high, low
    li t0, \high
    csrw mhpmcounter\n\()h, t0
    li t0, \low
    csrw mhpmcounter\n, t0
    .endm
    # counter n has this value, whichever way it is read
    .macro all_read n, high, low, number
    csrr t1, mhpmcounter\n
    demand t1, \low, \number
    csrr t1, mhpmcounter\n\()h
    demand t1, \high, \number
    PROF_READ(t1, PROF_REG_COUNTER + \n)
    demand t1, \low, \number
    csrr t1, CSR_PROF_DATAH
    demand t1, \high, \number
    lw t1, COUNTER(\n)(s4)
    demand t1, \low, \number
    lw t1, COUNTER(\n) + 4(s4)
    demand t1, \high, \number
    .endm
    .macro stores n
    .rept \n
    sw s1, -8(sp)
    .endr
    .endm

    .text
    function program
    la t0, handler
    csrw mtvec, t0
    li s4, WINDOW + 8 * PROF_REG_COUNTER
    li s2, 0
    li s3, 0
#ifdef RANGED
    la t0, _start
    PROF_WRITE(PROF_REG_IRANGE, t0)
    la t0, stack_top
    PROF_WRITE(PROF_REG_IRANGE + 1, t0)
#endif
    li t0, LCOFI
    csrs mie, t0
    csrsi mstatus, 8

    # The lower half carries into the upper one; a write of one half leaves the other.
    li t0, EVENT_STORES | FILTER
    csrw mhpmevent3, t0
    csrw mhpmevent4, t0
    csrw mhpmevent5, t0
    csrw mhpmevent6, t0
    li t0, 0x1234
    PROF_WRITE(PROF_REG_COUNTER + 4, zero)
    csrw CSR_PROF_DATAH, t0
    csrw mhpmevent5, zero               # stores to the window do not count in it
    sw t0, COUNTER(5) + 4(s4)
    li t0, -1
    sw t0, COUNTER(5)(s4)
    set_counter 3, 5, -2
    csrw mhpmcounter4, zero
    stores 3
    all_read 3, 6, 1, 1
    all_read 4, 0x1234, 3, 1
    all_read 5, 0x1234, -1, 1
    csrw mhpmcounter3h, zero
    all_read 3, 0, 1, 1
    csrw mhpmevent4, zero
    csrw mhpmevent6, zero

    # 100 stores before it overflows: none at 99, one at the 100th, which sets OF.
    set_counter 3, -1, -100
    spaced
    demand s2, 0, 2
    li s1, 99
1:  sw s1, -8(sp)
    addi s1, s1, -1
    bnez s1, 1b
    spaced
    demand s2, 0, 2
    all_read 3, -1, -1, 2
    csrr t1, mhpmevent3h
    demand t1, 0, 2
    csrr t1, scountovf
    demand t1, 0, 2
    stores 1
    spaced
    demand s2, 1, 2
    all_read 3, 0, 0, 2
    csrr t1, mhpmevent3h
    demand t1, 1 << 31, 2
    csrr t1, mhpmevent3
    demand t1, EVENT_STORES | FILTER, 2
    PROF_READ(t1, PROF_REG_EVENT + 3)
    demand t1, EVENT_STORES | FILTER, 2
    csrr t1, CSR_PROF_DATAH
    demand t1, 1 << 31, 2
    lw t1, EVENT(3) + 4(s4)
    demand t1, 1 << 31, 2
    csrr t1, scountovf
    demand t1, 8, 2

    # While OF is set the next overflow is silent; with OF cleared, an overflow interrupts again.
    set_counter 3, -1, -3
    stores 4
    spaced
    demand s2, 1, 4
    all_read 3, 0, 1, 4
    li t0, 1 << 31
    csrc mhpmevent3h, t0
    set_counter 3, -1, -3
    stores 3
    spaced
    demand s2, 2, 4

    # An overflow of the lower half alone has no effect.
    csrw mhpmevent3h, zero
    set_counter 3, 0, -1
    stores 1
    spaced
    demand s2, 2, 8
    all_read 3, 1, 0, 8

    # Sampling: a period of 50 taken branches over 1000 of them: 20 samples.
    li s3, 50
    li t0, EVENT_BRANCHES_TAKEN | FILTER
    csrw mhpmevent3, t0
    csrw mhpmevent3h, zero
    set_counter 3, -1, -50
    li s2, 0
    li s1, 1001
2:  spaced
    addi s1, s1, -1
    bnez s1, 2b
    spaced
    demand s2, 20, 16
    csrw mhpmevent3, zero

    # Filters by mode, above OF: not in M, not in U.
    li t0, EVENT_INSNS_RETIRED | FILTER
    csrw mhpmevent3, t0
    csrw mhpmevent4, t0
    li t0, 1 << 30
    csrw mhpmevent3h, t0
    csrw 0x722, t0                      # minstretcfgh: MINH
    li t0, 1 << 28
    csrw mhpmevent4h, t0
    set_counter 3, 0, 0
    set_counter 4, 0, 0
    la t0, back
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la t0, user
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    csrr s5, mhpmcounter4
    csrr s7, minstret
    mret                                # counted in machine mode, with the two csrr before it
    .balign 4
back:
    csrr s6, mhpmcounter4
    csrr t1, mhpmcounter3
    demand t1, 4, 32
    sub s6, s6, s5
    demand s6, 3, 32
    csrr t1, minstret                   # stood still in M
    sub t1, t1, s7
    demand t1, 4, 32
    csrw 0x722, zero

    # The supervisor's timer compares 64 bits (Sstc).
    la t0, handler
    csrw mtvec, t0
    li t0, 1 << 31                      # menvcfgh: STCE
    csrw 0x31a, t0
    li t0, -1
    csrw 0x15d, t0                      # stimecmph
    csrw 0x14d, zero                    # stimecmp: 2^64 - 2^32
    csrr t1, mip
    andi t1, t1, 0x20
    demand t1, 0, 64
    csrw 0x15d, zero                    # 0
    csrr t1, mip
    andi t1, t1, 0x20
    demand t1, 0x20, 64
    j pass
    end_function program

user:
    nop
    nop
    nop
    nop
    ecall

    # s2 counts; with a period in s3 the counter starts again.
    .balign 4
handler:
    csrr t3, mcause
    li t4, 1 << 31 | 13
    bne t3, t4, 9f
    addi s2, s2, 1
    li t3, LCOFI
    csrc mip, t3
    beqz s3, 1f
    csrw mhpmevent3h, zero
    li t3, -1
    csrw mhpmcounter3h, t3
    neg t3, s3
    csrw mhpmcounter3, t3
1:  mret
9:  li a0, 127
    j fail
