/* Two harts and the memory-mapped registers: hart 0 programs a counter of hart 1, lets it work, and
 * reads its count. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#define WINDOW 0x20000000
#define OTHER (WINDOW + PROF_WINDOW_BYTES)
#define FILTER (PMU_FILTER_RANGE << PMU_FILTER_SHIFT)

    .section .text.start, "ax"
    .global _start
_start:
    csrr s1, mhartid
    li s11, 0
    la s2, turn
    bnez s1, second

    la t0, work
    li s3, OTHER + 8 * PROF_REG_IRANGE
    sd t0, 0(s3)
    la t0, work_end
    sd t0, 8(s3)
    li s4, OTHER + 8 * PROF_REG_COUNTER
    li t0, EVENT_STORES | FILTER
    sd t0, 8*(PROF_REG_EVENT - PROF_REG_COUNTER + 3)(s4)
    sd zero, 8*3(s4)
    fence
    li t0, 1
    sd t0, 0(s2)
    li t1, 2
1:  ld t0, 0(s2)
    bne t0, t1, 1b
    ld t1, 8*3(s4)
    demand t1, 100*2, 1
    ld t1, 16(s3)
    demand t1, 100, 2
    csrr t1, mhpmcounter3           # its own counter counted nothing
    demand t1, 0, 4
    j pass

second:
1:  ld t0, 0(s2)
    beqz t0, 1b
    li s1, 100
1:  jal ra, work
    addi s1, s1, -1
    bnez s1, 1b
    csrr t1, mhpmcounter3
    li t2, 100*2
    bne t1, t2, 2f
    li t0, 2
    fence
    sd t0, 0(s2)
2:  j 2b

    .global program
program:
    function work
    sd s1, 8(s2)
    sd s1, 16(s2)
    ret
work_end:
    end_function work

    .data
    .balign 64
turn:
    .skip 64
