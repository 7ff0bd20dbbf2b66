/* Events of each privilege mode, and of the resident monitor. */
#include <string.h>

#include "pmu/pmu_modes.h"

uint64_t pmu_monitor_event(const struct pmu *pmu, unsigned code)
{
    return pmu->monitor_events[code] +
           (pmu->in_monitor ? pmu->events[code] - pmu->entered_at[code] : 0);
}

void pmu_forget_monitor(struct pmu *pmu)
{
    memset(pmu->monitor_events, 0, sizeof pmu->monitor_events);
    memcpy(pmu->entered_at, pmu->events, sizeof pmu->events);
}

void pmu_switch_monitor(struct pmu *pmu)
{
    for (unsigned code = 0; pmu->in_monitor && code < EVENT_COUNT; code++)
        pmu->monitor_events[code] += pmu->events[code] - pmu->entered_at[code];
    if (!pmu->in_monitor)
        memcpy(pmu->entered_at, pmu->events, sizeof pmu->events);
}

static void divide(struct pmu_user *user, const struct pmu *pmu)
{
    for (unsigned code = 0; pmu->priv == PRIV_U && code < EVENT_COUNT; code++)
        user->events[code] += pmu->events[code] - user->seen[code];
    memcpy(user->seen, pmu->events, sizeof user->seen);
}

void pmu_divide_events(struct pmu *pmu, struct pmu_user *user)
{
    memset(user->events, 0, sizeof user->events);
    memcpy(user->seen, pmu->events, sizeof user->seen);
    pmu->user_part = user;
}

uint64_t pmu_mode_cycles(const struct pmu *pmu, unsigned priv)
{
    const struct pmu_modes *modes = &pmu->thread.modes;
    uint64_t recent = pmu->events[EVENT_CYCLES] - modes->since_cycles;

    return modes->cycles[priv] + (pmu->priv == priv ? recent : 0);
}

void pmu_count_modes(struct pmu *pmu)
{
    struct pmu_modes *modes = &pmu->thread.modes;
    uint64_t cycles = pmu->events[EVENT_CYCLES], insns = pmu->events[EVENT_INSNS_RETIRED];

    if (pmu->user_part != NULL)
        divide(pmu->user_part, pmu);
    modes->cycles[pmu->priv] += cycles - modes->since_cycles;
    modes->insns[pmu->priv] += insns - modes->since_insns;
    modes->since_cycles = cycles;
    modes->since_insns = insns;
}
