/* Where the hardware enters the resident monitor, and leaves it.
 *
 * At entry CSR_MON_SCRATCH is the address of this hart's struct monitor_hart (pmu/abi.h); the stack
 * lies below it. Saves what C code may change, and what the stack walk starts from; s-registers are
 * preserved by C. Floating point is not touched. */
#include "pmu/abi.h"

/* struct monitor_frame of monitor.c */
#define FRAME_RA    0
#define FRAME_SP    8
#define FRAME_FP    16
#define FRAME_SAVED 24
#define FRAME_BYTES (FRAME_SAVED + 17 * 8)  /* a multiple of 16 */

.option norelax
.option norvc
.section .text.entry, "ax"
.balign 4
.globl monitor_entry
.type monitor_entry, @function
monitor_entry:
    csrrw   sp, CSR_MON_SCRATCH, sp
    addi    sp, sp, -FRAME_BYTES
    sd      t0, FRAME_SAVED + 0(sp)
    csrr    t0, CSR_MON_SCRATCH
    sd      t0, FRAME_SP(sp)
    sd      ra, FRAME_RA(sp)
    sd      s0, FRAME_FP(sp)
    sd      t1, FRAME_SAVED + 8(sp)
    sd      t2, FRAME_SAVED + 16(sp)
    sd      t3, FRAME_SAVED + 24(sp)
    sd      t4, FRAME_SAVED + 32(sp)
    sd      t5, FRAME_SAVED + 40(sp)
    sd      t6, FRAME_SAVED + 48(sp)
    sd      a0, FRAME_SAVED + 56(sp)
    sd      a1, FRAME_SAVED + 64(sp)
    sd      a2, FRAME_SAVED + 72(sp)
    sd      a3, FRAME_SAVED + 80(sp)
    sd      a4, FRAME_SAVED + 88(sp)
    sd      a5, FRAME_SAVED + 96(sp)
    sd      a6, FRAME_SAVED + 104(sp)
    sd      a7, FRAME_SAVED + 112(sp)

    mv      a0, sp
    addi    a1, sp, FRAME_BYTES
    call    monitor_main

    addi    t0, sp, FRAME_BYTES
    csrw    CSR_MON_SCRATCH, t0
    ld      ra, FRAME_RA(sp)
    ld      t1, FRAME_SAVED + 8(sp)
    ld      t2, FRAME_SAVED + 16(sp)
    ld      t3, FRAME_SAVED + 24(sp)
    ld      t4, FRAME_SAVED + 32(sp)
    ld      t5, FRAME_SAVED + 40(sp)
    ld      t6, FRAME_SAVED + 48(sp)
    ld      a0, FRAME_SAVED + 56(sp)
    ld      a1, FRAME_SAVED + 64(sp)
    ld      a2, FRAME_SAVED + 72(sp)
    ld      a3, FRAME_SAVED + 80(sp)
    ld      a4, FRAME_SAVED + 88(sp)
    ld      a5, FRAME_SAVED + 96(sp)
    ld      a6, FRAME_SAVED + 104(sp)
    ld      a7, FRAME_SAVED + 112(sp)
    ld      t0, FRAME_SAVED + 0(sp)
    ld      sp, FRAME_SP(sp)
    .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0
.size monitor_entry, . - monitor_entry
