/* Cycles, instructions and events by privilege mode, and of the resident monitor.
 *
 * Events are counted once, in events[]; this divides them. It works only when the hart changes its
 * privilege. */
#ifndef PMU_PMU_MODES_H
#define PMU_PMU_MODES_H

#include "pmu/pmu.h"

/* The part of events[] that occurred in user mode. seen: a copy of events[] at the last
 * pmu_count_modes. The memory belongs to the caller of pmu_divide_events. */
struct pmu_user { uint64_t events[EVENT_COUNT], seen[EVENT_COUNT]; };

/* Brings pmu->thread.modes and user_part up to now, before the privilege changes or a reader
 * looks. */
void pmu_count_modes(struct pmu *pmu);
/* modes.cycles[priv] as pmu_count_modes would bring it up to now. */
uint64_t pmu_mode_cycles(const struct pmu *pmu, unsigned priv);
/* From now on the events of user mode are counted in *user, too, which is initialised here. */
void pmu_divide_events(struct pmu *pmu, struct pmu_user *user);
/* The monitor is entered or left (in_monitor is still the old value): the events in between are the
 * monitor's. */
void pmu_switch_monitor(struct pmu *pmu);
/* Of events[code], the number in the resident monitor since the last pmu_forget_monitor. */
uint64_t pmu_monitor_event(const struct pmu *pmu, unsigned code);
void pmu_forget_monitor(struct pmu *pmu);

#endif
