/* Counter overflow (Sscofpmf): a counter set to almost full raises LCOFI once, its OF bit stays
 * set until software clears it, and no second interrupt comes before that. Built with -DRANGED,
 * the counter is one that looks at a range which holds the whole program. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#define LCOFI 0x2000
#ifdef RANGED
#define FILTER PMU_FILTER_RANGE << PMU_FILTER_SHIFT
#else
#define FILTER 0
#endif

    .macro spaced
    .rept 40
    nop
    .endr
    .endm
    .macro overflowed register
    csrr \register, mhpmevent3
    srli \register, \register, 63
    .endm

    .text
    function program
    la t0, handler
    csrw mtvec, t0
#ifdef RANGED
    la t0, _start
    PROF_WRITE(PROF_REG_IRANGE, t0)
    la t0, stack_top
    PROF_WRITE(PROF_REG_IRANGE + 1, t0)
#endif
    li s2, 0
    li s3, 0
    li t0, LCOFI
    csrs mie, t0
    csrsi mstatus, 8

    # 100 stores before it overflows: none at 99, one at the 100th, and the count goes on from 0.
    li t0, EVENT_STORES | FILTER
    csrw mhpmevent3, t0
    li t0, -100
    csrw mhpmcounter3, t0
    spaced
    demand s2, 0, 1             # writing does not overflow
    li s1, 99
1:  sd s1, -8(sp)
    addi s1, s1, -1
    bnez s1, 1b
    spaced
    demand s2, 0, 1
    csrr t1, mhpmcounter3
    demand t1, -1, 1
    overflowed t1
    demand t1, 0, 1
    sd s1, -8(sp)
    spaced
    demand s2, 1, 2
    overflowed t1
    demand t1, 1, 2
    csrr t1, scountovf
    andi t1, t1, 8
    demand t1, 8, 2
    csrr t1, mhpmcounter3
    demand t1, 0, 2
    csrr t1, mip                # the handler cleared it
    li t2, LCOFI
    and t1, t1, t2
    demand t1, 0, 2

    # OF is still set: the next overflow is silent.
    li t0, -3
    csrw mhpmcounter3, t0
    sd s1, -8(sp)
    sd s1, -8(sp)
    sd s1, -8(sp)
    sd s1, -8(sp)
    spaced
    demand s2, 1, 4
    csrr t1, mhpmcounter3
    demand t1, 1, 4

    # With OF cleared, the next overflow interrupts again.
    li t0, EVENT_STORES | FILTER
    csrw mhpmevent3, t0
    li t0, -3
    csrw mhpmcounter3, t0
    sd s1, -8(sp)
    sd s1, -8(sp)
    sd s1, -8(sp)
    spaced
    demand s2, 2, 8

    # With interrupts off, the overflow waits in mip until they are on.
    csrci mstatus, 8
    li t0, EVENT_STORES | FILTER
    csrw mhpmevent3, t0
    li t0, -1
    csrw mhpmcounter3, t0
    sd s1, -8(sp)
    spaced
    demand s2, 2, 16
    csrr t1, mip
    li t2, LCOFI
    and t1, t1, t2
    demand t1, LCOFI, 16
    csrsi mstatus, 8
    spaced
    demand s2, 3, 16

    # Sampling: a period of 50 taken branches over 1000 of them: 20 samples; the handler sets the
    # period.
    li s3, 50
    li t0, EVENT_BRANCHES_TAKEN | FILTER
    csrw mhpmevent3, t0
    neg t0, s3
    csrw mhpmcounter3, t0
    li s2, 0
    li s1, 1001
1:  .rept 40
    nop
    .endr
    addi s1, s1, -1
    bnez s1, 1b
    spaced
    demand s2, 20, 32
    j pass
    end_function program

    # s2 counts; with a period in s3 the counter starts again.
    .balign 4
handler:
    csrr t3, mcause
    li t4, 1 << 63 | 13
    bne t3, t4, 9f
    addi s2, s2, 1
    li t3, LCOFI
    csrc mip, t3
    beqz s3, 1f
    li t3, EVENT_BRANCHES_TAKEN | FILTER
    csrw mhpmevent3, t3
    neg t3, s3
    csrw mhpmcounter3, t3
1:  mret
9:  li a0, 127
    j fail
