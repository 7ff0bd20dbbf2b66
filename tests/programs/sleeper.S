/* With OWN the program's own counter of idle cycles wakes it from a WFI that nothing else ends. The
 * program waits ROUNDS times for the timer, 500 ticks ahead each time, and executes 1,000
 * instructions. */
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
#ifdef OWN
        li t0, 0x40             /* cycles_idle */
        csrw mhpmevent3, t0
        li t0, -500
        csrw mhpmcounter3, t0
        li t0, 1 << 13          /* counter overflow */
        csrw mie, t0
        csrsi mstatus, 8
        li s0, 0
sleep:  wfi
        beqz s0, sleep
        csrwi mhpmevent3, 0
#endif
        csrsi mstatus, 8
        li t0, 1 << 7           /* the timer */
        csrw mie, t0
        li s1, ROUNDS
        .type nap, @function
        .global nap
round:  call nap
        li t0, 333
work:   addi t0, t0, -1
        nop
        bnez t0, work
        addi s1, s1, -1
        bnez s1, round
        li s11, 0
        j pass
nap:    mv s2, ra
        call set_timer
        li s0, 0
idle:   wfi
        beqz s0, idle
        jr s2
set_timer:
        li t0, MTIME
        ld t1, 0(t0)
        addi t1, t1, 500
        li t0, MTIMECMP
        sd t1, 0(t0)
        ret
        .balign 4
vector: li s0, 1
        csrr t0, mcause
        andi t0, t0, 63
        li t1, 13
        bne t0, t1, timer
        li t0, 1 << 13
        csrc mip, t0
        mret
timer:  li t0, MTIMECMP
        li t1, -1
        sd t1, 0(t0)
        mret
