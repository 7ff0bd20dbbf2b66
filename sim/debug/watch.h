/* Watchpoints: accesses of instructions to data that gdb named. What the host, or the kernel
 * through its own map, does to the same memory is not seen. */
#ifndef SIM_DEBUG_WATCH_H
#define SIM_DEBUG_WATCH_H

#include "sim/debug/breaks.h"

struct session;

/* The hart is about to execute the instruction at pc: what watches for its access; NULL: nothing.
 */
const struct breaking *watch_find(const struct session *session, struct cpu *cpu, uint64_t pc);

#endif
