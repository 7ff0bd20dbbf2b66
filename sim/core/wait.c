/* Waiting harts: see wait.h. */
#include "sim/core/wait.h"

/* Sleeping takes the clock no further: all sums over cycles still fit. */
#define LAST_CYCLE (UINT64_C(1) << 54)

bool cpu_sleeps(const struct cpu *cpu)
{
    return cpu->hart.waiting && !trap_wakes(&cpu->hart) &&
           cpu->pmu.events[EVENT_CYCLES] < cpu->sleeps_until;
}

void cpu_sleep(struct cpu *cpu, uint64_t cycles)
{
    uint64_t now = cpu->pmu.events[EVENT_CYCLES];
    uint64_t room = now < LAST_CYCLE ? LAST_CYCLE - now : 0;

    cpu->hart.waiting = true;
    cpu->sleeps_until = now + (cycles < room ? cycles : room);
    pmu_set_privilege(&cpu->pmu, PRIV_S, false);
}

uint64_t cpu_sleep_left(const struct cpu *cpu)
{
    uint64_t now = cpu->pmu.events[EVENT_CYCLES];

    if (!cpu->hart.waiting || cpu->sleeps_until == UINT64_MAX)
        return UINT64_MAX;
    return cpu->sleeps_until > now ? cpu->sleeps_until - now : 0;
}

void cpu_wake(struct cpu *cpu)
{
    cpu->hart.waiting = false;
    if (cpu->sleeps_until == UINT64_MAX)
        return;
    cpu->sleeps_until = UINT64_MAX;
    pmu_set_privilege(&cpu->pmu, cpu->hart.priv, cpu->hart.in_monitor);
}
