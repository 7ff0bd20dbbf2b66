/* Entry and exit of the resident monitor.
 *
 * At entry CSR_MON_SCRATCH is the address of this hart's struct monitor_hart (pmu/abi.h); the stack
 * lies below it. Saves the registers that C code may change, and those from which the stack walk
 * starts. C code preserves the s-registers. Floating-point registers are not touched. */
#include "pmu/abi.h"

#if __riscv_xlen == 64
#define STORE sd
#define LOAD  ld
#else
#define STORE sw
#define LOAD  lw
#endif
#define WORD        (__riscv_xlen / 8)

/* struct interrupted of monitor.c */
#define FRAME_RA    0
#define FRAME_SP    (1 * WORD)
#define FRAME_FP    (2 * WORD)
#define FRAME_SAVED (3 * WORD)
#define FRAME_BYTES (FRAME_SAVED + 17 * WORD)   /* a multiple of 16 */

.option norelax
.option norvc
.section .text.entry, "ax"
.balign 4
.globl monitor_entry
.type monitor_entry, @function
monitor_entry:
    csrrw   sp, CSR_MON_SCRATCH, sp
    addi    sp, sp, -FRAME_BYTES
    STORE   t0, FRAME_SAVED + 0 * WORD(sp)
    csrr    t0, CSR_MON_SCRATCH
    STORE   t0, FRAME_SP(sp)
    STORE   ra, FRAME_RA(sp)
    STORE   s0, FRAME_FP(sp)
    STORE   t1, FRAME_SAVED + 1 * WORD(sp)
    STORE   t2, FRAME_SAVED + 2 * WORD(sp)
    STORE   t3, FRAME_SAVED + 3 * WORD(sp)
    STORE   t4, FRAME_SAVED + 4 * WORD(sp)
    STORE   t5, FRAME_SAVED + 5 * WORD(sp)
    STORE   t6, FRAME_SAVED + 6 * WORD(sp)
    STORE   a0, FRAME_SAVED + 7 * WORD(sp)
    STORE   a1, FRAME_SAVED + 8 * WORD(sp)
    STORE   a2, FRAME_SAVED + 9 * WORD(sp)
    STORE   a3, FRAME_SAVED + 10 * WORD(sp)
    STORE   a4, FRAME_SAVED + 11 * WORD(sp)
    STORE   a5, FRAME_SAVED + 12 * WORD(sp)
    STORE   a6, FRAME_SAVED + 13 * WORD(sp)
    STORE   a7, FRAME_SAVED + 14 * WORD(sp)

    mv      a0, sp
    addi    a1, sp, FRAME_BYTES
    call    monitor_main

    addi    t0, sp, FRAME_BYTES
    csrw    CSR_MON_SCRATCH, t0
    LOAD    ra, FRAME_RA(sp)
    LOAD    t1, FRAME_SAVED + 1 * WORD(sp)
    LOAD    t2, FRAME_SAVED + 2 * WORD(sp)
    LOAD    t3, FRAME_SAVED + 3 * WORD(sp)
    LOAD    t4, FRAME_SAVED + 4 * WORD(sp)
    LOAD    t5, FRAME_SAVED + 5 * WORD(sp)
    LOAD    t6, FRAME_SAVED + 6 * WORD(sp)
    LOAD    a0, FRAME_SAVED + 7 * WORD(sp)
    LOAD    a1, FRAME_SAVED + 8 * WORD(sp)
    LOAD    a2, FRAME_SAVED + 9 * WORD(sp)
    LOAD    a3, FRAME_SAVED + 10 * WORD(sp)
    LOAD    a4, FRAME_SAVED + 11 * WORD(sp)
    LOAD    a5, FRAME_SAVED + 12 * WORD(sp)
    LOAD    a6, FRAME_SAVED + 13 * WORD(sp)
    LOAD    a7, FRAME_SAVED + 14 * WORD(sp)
    LOAD    t0, FRAME_SAVED + 0 * WORD(sp)
    LOAD    sp, FRAME_SP(sp)
    .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0
.size monitor_entry, . - monitor_entry

/* monitor_pace_main for code that keeps its values in registers: returns by t0 with all others
 * unchanged. struct monitor_hart lies at MONITOR_STACK_BYTES of the page of the stack. */
#define PACE_BYTES  (16 * WORD)
.section .text.monitor_pace, "ax"
.globl monitor_pace
.type monitor_pace, @function
monitor_pace:
    addi    sp, sp, -PACE_BYTES
    STORE   ra, 0 * WORD(sp)
    STORE   t0, 1 * WORD(sp)
    STORE   t1, 2 * WORD(sp)
    STORE   t2, 3 * WORD(sp)
    STORE   t3, 4 * WORD(sp)
    STORE   t4, 5 * WORD(sp)
    STORE   t5, 6 * WORD(sp)
    STORE   t6, 7 * WORD(sp)
    STORE   a0, 8 * WORD(sp)
    STORE   a1, 9 * WORD(sp)
    STORE   a2, 10 * WORD(sp)
    STORE   a3, 11 * WORD(sp)
    STORE   a4, 12 * WORD(sp)
    STORE   a5, 13 * WORD(sp)
    STORE   a6, 14 * WORD(sp)
    STORE   a7, 15 * WORD(sp)
    srli    a0, sp, 12
    slli    a0, a0, 12
    li      a1, MONITOR_STACK_BYTES
    add     a0, a0, a1
    call    monitor_pace_main
    LOAD    ra, 0 * WORD(sp)
    LOAD    t0, 1 * WORD(sp)
    LOAD    t1, 2 * WORD(sp)
    LOAD    t2, 3 * WORD(sp)
    LOAD    t3, 4 * WORD(sp)
    LOAD    t4, 5 * WORD(sp)
    LOAD    t5, 6 * WORD(sp)
    LOAD    t6, 7 * WORD(sp)
    LOAD    a0, 8 * WORD(sp)
    LOAD    a1, 9 * WORD(sp)
    LOAD    a2, 10 * WORD(sp)
    LOAD    a3, 11 * WORD(sp)
    LOAD    a4, 12 * WORD(sp)
    LOAD    a5, 13 * WORD(sp)
    LOAD    a6, 14 * WORD(sp)
    LOAD    a7, 15 * WORD(sp)
    addi    sp, sp, PACE_BYTES
    jr      t0
.size monitor_pace, . - monitor_pace
