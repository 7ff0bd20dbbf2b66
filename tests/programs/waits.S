/* Waits for the timer, 500 ticks ahead. ROUNDS times in `nap`, each after 1,000 instructions of
 * work; or, with LOOP, in a loop of one WFI and one jump that only the interrupt's handler leaves,
 * by the end of the program. The handler owns the timer alone.
 *
 * With PERIOD a monitor of the program's own takes the overflow of a counter of idle cycles, once
 * in PERIOD cycles. Then the exit status is the number of overflows; 255 if one interrupted an
 * instruction other than the WFI. The counter stands still in the monitor. */
#include "pmu/abi.h"
        .option norvc
        .equ MTIMECMP, 0x2004000
        .equ MTIME, 0x200bff8
        .section .text
        .global program
        .type program, @function
program:
        la t0, vector
        csrw mtvec, t0
        csrsi mstatus, 8
        li t0, 1 << 7
        csrw mie, t0
        li s0, ROUNDS
#ifdef PERIOD
        li s11, 0
        la t0, monitor
        csrw CSR_MON_VECTOR, t0
        li t0, 0x41             /* cycles_idle */
        csrw mhpmevent3, t0
        li t0, -PERIOD
        csrw mhpmcounter3, t0
#endif
#ifdef LOOP
        call set_timer
        j nap
#endif
round:  call set_timer
        call nap
        li t0, 333
work:   addi t0, t0, -1
        nop
        bnez t0, work
        addi s0, s0, -1
        bnez s0, round
        j pass

#ifdef PERIOD
monitor:
        addi s11, s11, 1
        csrr s2, CSR_MON_EPC
        la s3, nap
        beq s2, s3, reload
        li a0, 255
        j fail
reload: csrr s2, mhpmcounter3
        li s3, PERIOD
        sub s2, s2, s3
        csrw mhpmcounter3, s2
        li s2, 0x41             /* its OF, clear */
        csrw mhpmevent3, s2
        .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0
#endif

        .type nap, @function
        .global nap
nap:    wfi
#ifdef LOOP
        j nap
#endif
        ret
        .size nap, . - nap

        .type set_timer, @function
set_timer:
        li t0, MTIME
        ld t1, 0(t0)
        addi t1, t1, 500
        li t0, MTIMECMP
        sd t1, 0(t0)
        ret
        .size set_timer, . - set_timer

        .balign 4
        .type vector, @function
vector:
#ifdef LOOP
        addi s0, s0, -1
        beqz s0, pass
        csrw mscratch, ra
        call set_timer
        csrr ra, mscratch
#else
        li t0, MTIMECMP
        li t1, -1
        sd t1, 0(t0)
#endif
        mret
        .size vector, . - vector
