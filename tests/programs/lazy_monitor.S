/* A monitor that takes interrupts and acknowledges none. */
#include "pmu/abi.h"
    .section .text.entry, "ax"
    .globl monitor_entry
monitor_entry:
    .insn r 0x0b, PROF_F3_MRET, 0, x0, x0, x0
