/* The events of instructions in the fast engine, counted on request. */
#ifndef SIM_RUN_FAST_COUNT_H
#define SIM_RUN_FAST_COUNT_H

#include "sim/run/fast/fast_internal.h"

enum { TALLY_EVENTS = 16 };

/* The events of a part of a block that is executed as a whole (unless fast_step takes over within
 * it): from the start or a branch to the next branch or the end. Each part has an op `count` in
 * front. */
struct tally {
    struct tally *next;             /* in fast->touched, when entered is not 0 */
    uint64_t entered;               /* number of entries since fast_fold_tallies */
    int8_t of[TALLY_EVENTS];        /* events of one entry, by code. BRANCHES_TAKEN: 1 for the
                                     * branch at its end, -1 for the branch before it, which was not
                                     * taken */
};

bool fast_is_counting(const struct fast *fast);
/* Adds one more instruction with these events (EVENT_BIT). */
void fast_tally(struct tally *tally, uint32_t events);
/* Adds the counts of the blocks executed since the last call to events[]. */
void fast_fold_tallies(struct fast *fast);

#endif
