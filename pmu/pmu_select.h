/* The selection of a counter: fields of mhpmevent, and the components with counts of their own. */
#ifndef PMU_PMU_SELECT_H
#define PMU_PMU_SELECT_H

#include "pmu/pmu.h"

static inline unsigned select_event(uint64_t select)
{
    return select & 0xff;
}

static inline unsigned select_filter(uint64_t select)
{
    return (select >> PMU_FILTER_SHIFT) & 7;
}

static inline unsigned select_argument(uint64_t select)
{
    return (select >> PMU_ARGUMENT_SHIFT) & 0xff;
}

/* Counter `number` now selects this event. An engine without a pipeline counts most events only on
 * demand, so it must know the selected ones. */
static inline void select_note(struct pmu *pmu, unsigned number, unsigned event)
{
    uint32_t bit = UINT32_C(1) << number;
    bool is_more = event != EVENT_NONE && event != EVENT_CYCLES && event != EVENT_INSNS_RETIRED;

    pmu->selecting = (pmu->selecting & ~bit) | (is_more ? bit : 0);
    pmu->selected[event / 64] |= UINT64_C(1) << event % 64;
}

#endif
