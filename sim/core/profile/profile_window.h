/* The profiling registers of every hart, memory-mapped: the third way to them beside CSRs and the
 * index/data pair.
 *
 * One device on the bus, PROF_WINDOW_BYTES for each hart (pmu/abi_register.h says what lies where).
 * A read or write has the effects that it has through the index/data pair. Both engines carry out
 * accesses to devices alone, with everything older finished, so that values are exact. What another
 * hart's registers say is as of the end of that hart's last turn. */
#ifndef SIM_CORE_PROFILE_PROFILE_WINDOW_H
#define SIM_CORE_PROFILE_PROFILE_WINDOW_H

#include "sim/core/cpu.h"
#include "sim/mem/device/device.h"

struct profile_window {
    struct phys_device device;
    struct cpu *cpus;               /* [harts]; not owned */
    unsigned harts;
};

/* base: a multiple of PROF_WINDOW_BYTES; where nothing else is. The caller puts it on the bus. */
void profile_window_init(struct profile_window *window, struct cpu *cpus, unsigned harts,
                         uint64_t base);

/* A profiling register was written, with what it changed (PMU_CHANGED_*): follows in cpu, and
 * returns the effects for the engine. */
unsigned cpu_profile_effects(struct cpu *cpu, unsigned changed);
static inline unsigned cpu_take_late_effects(struct cpu *cpu)
{
    unsigned effects = cpu->late_effects;
    cpu->late_effects = 0;
    return effects;
}

#endif
