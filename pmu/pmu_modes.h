/* Cycles, instructions and events by privilege mode, and of the resident monitor.
 *
 * Events are counted once, in events[]; this divides them. It works only when the hart changes its
 * privilege. */
#ifndef PMU_PMU_MODES_H
#define PMU_PMU_MODES_H

#include "pmu/pmu.h"

/* Brings pmu->thread.modes up to now, before the privilege changes or a reader looks. */
void pmu_count_modes(struct pmu *pmu);
/* The monitor is entered or left (in_monitor is still the old value): the events in between are the
 * monitor's. */
void pmu_switch_monitor(struct pmu *pmu);
/* Of events[code], the number in the resident monitor since the last pmu_forget_monitor. */
uint64_t pmu_monitor_event(const struct pmu *pmu, unsigned code);
void pmu_forget_monitor(struct pmu *pmu);

#endif
