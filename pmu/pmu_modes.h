/* Cycles, instructions and events by the code that ran: privilege modes, and the resident monitor.
 *
 * Events are counted once, in events[]; here is what of them belongs to whom. Nothing is done but
 * when the hart changes its privilege. */
#ifndef PMU_PMU_MODES_H
#define PMU_PMU_MODES_H

#include "pmu/pmu.h"

/* Brings pmu->thread.modes up to now; the privilege is about to change, or somebody reads them. */
void pmu_count_modes(struct pmu *pmu);
/* The monitor is entered or left (in_monitor is still as before): its events are those between. */
void pmu_switch_monitor(struct pmu *pmu);
/* Of events[code], the number in the resident monitor since the last pmu_forget_monitor. */
uint64_t pmu_monitor_event(const struct pmu *pmu, unsigned code);
void pmu_forget_monitor(struct pmu *pmu);

#endif
