/* A program cannot notice the monitor: every register, the trap registers, the floating-point state
 * are the same after a thousand of its interrupts, and a counter that looks at a range counts
 * nothing else. */
#include "tests/programs/counted.h"
#include "tests/programs/events.h"
#if __riscv_xlen == 64
#define FP_NUMBER 0x4000000000000000
#define FP_FROM fmv.d.x
#define FP_TO fmv.x.d
#else
#define FP_NUMBER 0x40000000
#define FP_FROM fmv.w.x
#define FP_TO fmv.x.w
#endif
    watch "stormy * counter interrupt"
    watch "range I0 stormy *"

    .text
    function program
    li t0, 0x6000
    csrs mstatus, t0
    li t0, 0x123
    csrw mscratch, t0
    li t0, 0x456
    csrw mcause, t0
    li t0, 0x80000788
    csrw mepc, t0
    li t0, 0x9ab
    csrw mtval, t0
    li t0, 0x55
    csrw fcsr, t0
    li t0, EVENT_INSNS_RETIRED | PMU_FILTER_RANGE << PMU_FILTER_SHIFT
    csrw mhpmevent3, t0
    csrw mhpmcounter3, zero
    li t0, PROF_REG_DRANGE + 5
    csrw CSR_PROF_INDEX, t0
    csrr t0, mstatus
    la t1, saved
    STORE_REG t0, 0(t1)
    STORE_REG sp, 8(t1)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    li t0, FP_NUMBER + \n
    FP_FROM f\n, t0
    .endr
    # x1 is the link, x5 the loop counter, x27 holds the errors; all others a number of their own.
    .irp n, 3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,28,29,30,31
    li x\n, 0x7700 + \n
    .endr
    li t0, 100
    jal ra, stormy
    la ra, results
    .irp n, 3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,28,29,30,31
    STORE_REG x\n, 8*\n(ra)
    .endr
    csrr t1, mhpmcounter3
    demand t1, 100*12+1, 1
    la s1, results
    .irp n, 3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,28,29,30,31
    LOAD_REG t1, 8*\n(s1)
    demand t1, 0x7700+\n, 2
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    FP_TO t1, f\n
    demand t1, FP_NUMBER+\n, 4
    .endr
    csrr t1, mscratch
    demand t1, 0x123, 8
    csrr t1, mcause
    demand t1, 0x456, 8
    csrr t1, mepc
    demand t1, 0x80000788, 8
    csrr t1, mtval
    demand t1, 0x9ab, 8
    csrr t1, fcsr
    demand t1, 0x55, 8
    csrr t1, CSR_PROF_INDEX
    demand t1, PROF_REG_DRANGE+5, 16
    la s1, saved
    LOAD_REG t1, 0(s1)
    csrr t2, mstatus
    sub t1, t1, t2
    demand t1, 0, 32
    LOAD_REG t1, 8(s1)
    sub t1, t1, sp
    demand t1, 0, 64
    j pass
    end_function program

    # Every instruction of it interrupts: 100 rounds of 12, and the return.
    .balign 64
    function stormy
    times 100
    .rept 10
    nop
    .endr
    addi t0, t0, -1
    bnez t0, stormy
    times 1
    ret
    end_function stormy

    .data
    .balign 16
saved:
    .skip 16
results:
    .skip 32 * 8
