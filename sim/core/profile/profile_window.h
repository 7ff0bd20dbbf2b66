/* The profiling registers of every hart, memory-mapped: a third access beside CSRs and the
 * index/data pair.
 *
 * One device on the bus, PROF_WINDOW_BYTES for each hart (layout: pmu/abi_register.h). A read or
 * write has the effects that it has through the index/data pair. Both engines carry out accesses to
 * devices alone, with everything older finished, so that values are exact. Another hart's registers
 * have the values of the end of its last turn. */
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

/* A profiling register was written, with these changes (PMU_CHANGED_*): updates cpu, and returns
 * the effects for the engine. */
unsigned cpu_profile_effects(struct cpu *cpu, unsigned changed);
static inline unsigned cpu_take_late_effects(struct cpu *cpu)
{
    unsigned effects = cpu->late_effects;
    cpu->late_effects = 0;
    return effects;
}

#endif
