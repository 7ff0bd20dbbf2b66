/* A hart that executes nothing: it waits in WFI, or sleeps in a system call that the host served.
 * Its cycles are idle ones; engines pass them in one step. In both cases hart.waiting is set; a
 * sleep also has an end (cpu.sleeps_until). */
#ifndef SIM_CORE_WAIT_H
#define SIM_CORE_WAIT_H

#include "sim/core/cpu.h"

/* The hart waits for an interrupt that is not there, or for the end of its sleep. */
bool cpu_sleeps(const struct cpu *cpu);
/* cpu.sleeps_until of a hart that has nothing to run. No monitor looks at it. */
#define CPU_PARKED (UINT64_MAX - 1)
/* The system call that the host has just served sleeps: the hart idles for these cycles, in which
 * the PMU sees supervisor mode. A monitor that interrupts the sleep does not make it longer. */
void cpu_sleep(struct cpu *cpu, uint64_t cycles);
/* Cycles of that still to pass; UINT64_MAX: it does not sleep, or is in the monitor. */
uint64_t cpu_sleep_left(const struct cpu *cpu);
/* The hart waits no longer, for whatever it was. */
void cpu_wake(struct cpu *cpu);

#endif
