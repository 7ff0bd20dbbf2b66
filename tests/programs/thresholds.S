/* Latency thresholds (T1, T2, T3) on a machine whose latencies are known: HIT and MISS are the
 * cycles of a load that hits L1 and of one that memory serves, MEMORY and L1 their values of
 * CSR_IND_LEVEL; SLOTS is the modulus of PROF_REG_MEASURE's slots, 1 in an engine without queues;
 * EXCEED is how many of the seven sums of 10, 50 and 100 are less than MISS. Indicators are claimed
 * and never taken: they are read where they wait. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#include "guest/include/rvsim/indicator.h"
    watch "datum 8 interrupt granule=8"
    watch "slow 8 interrupt threshold=bits:001 granule=8"
    watch "sampled 1024 count threshold=bits:001"
    watch "slow_load 4 counter interrupt threshold=bits:010"

#if HIT < MISS
#define EXCEEDED 1
#else
#define EXCEEDED 2                  /* the hit is as slow as the miss */
#endif

    .macro drop
    PROF_WRITE(PROF_REG_ACK, zero)
    .endm
    # The oldest indicator carries these; it is dropped.
    .macro carried number, insn, datum, cycles, level
    csrr t0, CSR_IND_IADDR
    la t1, \insn
    sub t0, t0, t1
    demand t0, 0, \number
    csrr t0, CSR_IND_DADDR
    la t1, \datum
    sub t0, t0, t1
    demand t0, 0, \number
    csrr t0, CSR_IND_CYCLES
    demand t0, \cycles, \number
    csrr t0, CSR_IND_LEVEL
    demand t0, \level, \number
    drop
    .endm
    .macro none number
    csrr t0, CSR_IND_FLAGS
    demand t0, 0, \number
    .endm
    .macro set_latency bit, cycles
    li t0, \cycles
    PROF_WRITE(PROF_REG_LATENCY + \bit, t0)
    .endm
    # A load of a line that no cache holds yet; after it all older instructions are complete.
    .macro cold_load
    fence
    addi s1, s1, 128
    .endm

    .text
    function program
    csrr t0, CSR_PROF_MODE
    ori t0, t0, PROF_MODE_CLAIM
    csrw CSR_PROF_MODE, t0
    li t0, EVENT_LATENCY_EXCEEDED
    csrw mhpmevent3, t0
    li t0, EVENT_MARKED_INSNS
    csrw mhpmevent4, t0

    # The meaning of bits after reset.
    .irp bit, 0, 1, 2
    PROF_READ(t\bit, PROF_REG_LATENCY + \bit)
    .endr
    demand t0, 10, 1
    demand t1, 50, 1
    demand t2, 100, 1

    # A marked datum: the cycles from access to data, and the level that answered.
    la s0, datum
    fence
1:  ld t0, 0(s0)
    fence
    carried 2, 1b, datum, MISS, MEMORY
1:  ld t0, 0(s0)
    fence
    carried 3, 1b, datum, HIT, L1
    none 3

    # Over the threshold, and at it: the register is read when the access commits.
    set_latency 0, MISS - 1
    la s0, slow
    fence
1:  ld t0, 0(s0)
    fence
    carried 4, 1b, slow, MISS, MEMORY
    set_latency 0, HIT
    ld t0, 0(s0)
    fence
    none 5
    set_latency 0, HIT - 1
1:  ld t0, 0(s0)
    fence
    carried 5, 1b, slow, HIT, L1

    # An instruction, from issue to completion; no datum of it is marked. Its counter counts only
    # when the threshold is exceeded.
    set_latency 1, MISS - 1
    la s1, lines
    fence
    csrw mhpmcounter3, zero
    jal ra, slow_load
    fence
    carried 6, slow_load, lines, MISS, MEMORY
    jal ra, slow_load           # hits
#if HIT >= MISS
    drop
#endif
    set_latency 1, MISS
    addi s1, s1, 128
    jal ra, slow_load           # misses, and is not slower
    fence
    none 7
    csrr t0, mhpmcounter3
    demand t0, EXCEEDED, 7
    la t0, slow_load
    .insn r 0x0b, PROF_F3_RDIC, 0, s2, t0, x0
    demand s2, EXCEEDED, 7
    set_latency 0, 10
    set_latency 1, 50

    # The seven sums: each against a load that memory serves.
    csrw mhpmcounter3, zero
    csrw mhpmcounter4, zero
    .irp bits, 1, 2, 3, 4, 5, 6, 7
    cold_load
    prof_mark_next 1, HINT_LATENCY(\bits) | HINT_COUNT
    ld t0, 0(s1)
    fence
    .endr
    csrr t0, mhpmcounter3
    csrr t1, mhpmcounter4
    demand t0, EXCEED, 8
    demand t1, EXCEED, 8

    # Sampling: of 256 instructions in a row each slot sees as many, unless (ANY_SLOT) queues
    # select by position and those go where there is room.
    set_latency 0, 0
    li s4, 0
    li s6, 0
2:  slli t0, s4, PROF_MEASURE_SLOT_SHIFT
    ori t0, t0, PROF_MEASURE_SAMPLE
    PROF_WRITE(PROF_REG_MEASURE, t0)
    csrw mhpmcounter3, zero
    jal ra, sampled
    csrr s5, mhpmcounter3
    add s6, s6, s5
#ifndef ANY_SLOT
    demand s5, 256 / SLOTS, 9
#endif
    addi s4, s4, 1
    li t0, SLOTS
    bne s4, t0, 2b
    snez s6, s6
    demand s6, 1, 9
    li t0, SLOTS << PROF_MEASURE_SLOT_SHIFT | PROF_MEASURE_SAMPLE
    PROF_WRITE(PROF_REG_MEASURE, t0)    # there is no such slot
    csrw mhpmcounter3, zero
    prof_mark_next 31, HINT_LATENCY(1)
    .rept 40
    nop
    .endr
    csrr t0, mhpmcounter3
    demand t0, 0, 10

    # A signal for each; a signal for a group: as many as are counted in groups of WIDTH at most.
    PROF_WRITE(PROF_REG_MEASURE, zero)
    csrw mhpmcounter3, zero
    csrw mhpmcounter4, zero
    prof_mark_next 31, HINT_LATENCY(1) | HINT_COUNT
    .rept 40
    nop
    .endr
    csrr t0, mhpmcounter3
    csrr t1, mhpmcounter4
    demand t0, 31, 11
    demand t1, 31, 11
    li t0, PROF_MEASURE_GROUP
    PROF_WRITE(PROF_REG_MEASURE, t0)
    csrw mhpmcounter3, zero
    csrw mhpmcounter4, zero
    prof_mark_next 31, HINT_LATENCY(1) | HINT_COUNT
    .rept 40
    nop
    .endr
    csrr t0, mhpmcounter3
    csrr t1, mhpmcounter4
    demand t0, 31, 12
    sltiu t2, t1, 32            # at most 31, and no fewer than groups of WIDTH make
    demand t2, 1, 12
    sltiu t2, t1, (31 + WIDTH - 1) / WIDTH
    demand t2, 0, 12
    sltiu t2, t1, 31
#if WIDTH > 1
    demand t2, 1, 12
#else
    demand t2, 0, 12
#endif
    j pass
    end_function program

    .balign 128
    function slow_load
    ld t0, 0(s1)
    ret
    end_function slow_load

    function sampled
    .rept 256
    nop
    .endr
    ret
    end_function sampled

    .data
    .balign 4096
datum:
    .dword 0
    .skip 120
slow:
    .dword 0
    .balign 4096
lines:
    .skip 4096
