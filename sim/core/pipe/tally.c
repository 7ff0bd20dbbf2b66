/* See tally.h. */
#include "sim/core/pipe/tally.h"

#include "pmu/event.h"

void tally_change(struct core *core, struct tally *tally, uint64_t set)
{
    tally_count(core, tally->set, tally->insns);
    *tally = (struct tally){.set = set};
}

SELDOM void tally_settle_mode(struct core *core)
{
    uint64_t cycles = core->now - core->mode_from;
    core->mode_from = core->now;
    if (core->mode & CYCLES_IRQ_OFF)
        core->events[EVENT_CYCLES_IRQ_OFF] += cycles;
    if (core->mode & CYCLES_MONITOR)
        core->events[EVENT_CYCLES_MONITOR] += cycles;
}

void tally_settle(struct core *core)
{
    tally_settle_mode(core);
    for (unsigned i = 0; i < 1u << TALLY_LOG2; i++)
        if (core->tally[i].insns != 0)
            tally_change(core, &core->tally[i], core->tally[i].set);
}
