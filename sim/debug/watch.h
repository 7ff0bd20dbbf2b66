/* Watchpoints: detects accesses of instructions to the virtual addresses that gdb watches. Accesses
 * to the same memory by the host, or by the kernel through its own map, are not detected. */
#ifndef SIM_DEBUG_WATCH_H
#define SIM_DEBUG_WATCH_H

#include "sim/debug/breaks.h"

struct session;

/* The watchpoint that the instruction at pc, which the hart is about to execute, will access; NULL:
 * none. */
const struct breaking *watch_find(const struct session *session, struct cpu *cpu, uint64_t pc);

#endif
