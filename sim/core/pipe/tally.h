/* Counts that core->events receives late: those of commits, with one addition for each instruction
 * instead of one for each of its events, and the cycles of the hart's mode, with one for each mode.
 *
 * Few sets of events are usual, so instructions are counted by their set. tally_settle adds all
 * counts to core->events. It is called before anything reads core->events: at the end of a run,
 * before an instruction that acts alone, a trap, an interrupt, and the test of counters for
 * overflow. While an instruction that commits is watched, its events are counted at once
 * (tally_count), and the mode's before it. */
#ifndef SIM_CORE_PIPE_TALLY_H
#define SIM_CORE_PIPE_TALLY_H

#include "sim/core/pipe/core_state.h"

/* Gives each of the usual sets a place of its own. */
#define TALLY_HASH UINT64_C(0xc6d42e349a479edf)

static inline void tally_count(struct core *core, uint64_t set, uint64_t insns)
{
    uint64_t *events = core->events;
    for (; set != 0; set &= set - 1)
        events[(unsigned)__builtin_ctzll(set)] += insns;
}

/* tally.c: the place is for another set from now on. */
void tally_change(struct core *core, struct tally *tally, uint64_t set);
void tally_settle(struct core *core);
/* Adds the cycles since the mode began, or since the last call, to the events of the mode. Part of
 * tally_settle. */
void tally_settle_mode(struct core *core);

/* An instruction with this set of events commits. */
static inline void tally_add(struct core *core, uint64_t set)
{
    struct tally *tally = &core->tally[set * TALLY_HASH >> (64 - TALLY_LOG2)];
    if (tally->set != set)
        tally_change(core, tally, set);
    tally->insns++;
}

#endif
