/* Watchpoints: accesses of instructions to data that gdb named. Accesses of the host, or of the
 * kernel through its own map, to the same memory are not seen. */
#ifndef SIM_DEBUG_WATCH_H
#define SIM_DEBUG_WATCH_H

#include "sim/debug/breaks.h"

struct session;

/* The hart is about to execute the instruction at pc: returns the watchpoint of its access; NULL:
 * none. */
const struct breaking *watch_find(const struct session *session, struct cpu *cpu, uint64_t pc);

#endif
