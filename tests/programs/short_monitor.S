/* A monitor of four instructions: it takes one interrupt, acknowledges it and goes back. It uses
 * t6, which the program that it interrupts does not.
 *
 * On the machine of two_wide.ini (pipeline.h says how instructions pass), entered in m: each access
 * to a profiling register is serial, and the instructions after it are fetched again.
 *   fetch     m+1: a w           m+10: x            m+16: r
 *   dispatch  m+3: a . | m+6: w  m+12: x            m+18: r, which leaves the monitor at once
 *   commit    m+6: a | m+9: w    m+15: x            m+21: r
 * So the hart is in the monitor for the 18 cycles from m to m+17. With 100 more rounds of LIMITS
 * (event_rounds.S) it is entered 10 times more. */
#include "tests/programs/counted.h"
    .section .text.entry, "ax"
    .globl monitor_entry
monitor_entry:
    PROF_WRITE(PROF_REG_ACK, zero)
    .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0
    expect insns_monitor 10*4
    expect cycles_monitor 10*18
