/* A run's summary, computed once from the measurements: the text on the terminal, the
 * statistics and the reports have it from here.
 *
 * The program's numbers are without those of the resident monitor, but for the slot of each return
 * from it, which commits when it has been left. The five words are the first
 * level of the top-down tree (pmu/topdown.def). */
#ifndef PROF_SUMMARY_H
#define PROF_SUMMARY_H

#include "pmu/topdown.h"
#include "prof/profile.h"

enum { SUMMARY_RATES = 5, SUMMARY_PATH = 4 };

/* One of the shares that tell how well prediction and caches do. */
struct summary_rate {
    const char *key, *label;        /* "l1d_missed", "L1D" */
    uint64_t part, whole;
};

struct summary {
    bool has_time;                  /* of the detailed engine: those after `monitor_*` are known */
    uint64_t instructions, cycles;  /* of the program; cycles of the hart that took longest */
    double ipc;
    uint64_t monitor_instructions, monitor_cycles, all_cycles;  /* of all harts */
    uint64_t slots[TOPDOWN_COUNT];  /* of the program */
    uint64_t monitor_slots;
    unsigned path[SUMMARY_PATH];    /* from the word that loses most down to its main cause */
    unsigned depth;                 /* nodes in the path; 0: nothing is lost */
    struct summary_rate rate[SUMMARY_RATES];
    uint64_t order_violations;
};

/* Was this event counted? */
bool summary_has_event(const struct profile *profile, const char *name);
/* Did the detailed engine run? Without it there are no slots, no IPC, no misses of predictors. */
bool summary_is_timed(const struct profile *profile);
void summary_make(struct summary *summary, const struct profile *profile);
/* The nodes of the first level, in the tree's order; TOPDOWN_COUNT after the last. */
unsigned summary_word(unsigned index);
/* In percent of the program's slots. */
double summary_share(const struct summary *summary, unsigned node);

#endif
