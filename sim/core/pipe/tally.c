/* See tally.h. */
#include "sim/core/pipe/tally.h"

void tally_change(struct core *core, struct tally *tally, uint64_t set)
{
    tally_count(core, tally->set, tally->insns);
    *tally = (struct tally){.set = set};
}

void tally_settle(struct core *core)
{
    for (unsigned i = 0; i < 1u << TALLY_LOG2; i++)
        if (core->tally[i].insns != 0)
            tally_change(core, &core->tally[i], core->tally[i].set);
}
