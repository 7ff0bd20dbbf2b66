/* A run's summary, computed once from the measurements: the source for the text on the terminal,
 * the statistics and the reports.
 *
 * The program's numbers exclude those of the resident monitor, except the slot of each return from
 * it, which commits after the monitor was left. The five words are the first
 * level of the top-down tree (pmu/exact/topdown.def). */
#ifndef PROF_REPORT_SUMMARY_H
#define PROF_REPORT_SUMMARY_H

#include "pmu/exact/topdown.h"
#include "prof/profile/profile.h"

enum { SUMMARY_RATES = 5, SUMMARY_PATH = 4 };

/* A rate that shows the quality of prediction or of a cache. */
struct summary_rate {
    const char *key, *label;        /* "l1d_missed", "L1D" */
    uint64_t part, whole;
};

struct summary {
    bool has_time;                  /* of the detailed engine: the fields after `monitor_*` are
                                     * valid */
    uint64_t instructions, cycles;  /* of the program; cycles of the hart that took longest */
    double ipc;
    uint64_t monitor_instructions, monitor_cycles, all_cycles;  /* of all harts */
    uint64_t slots[TOPDOWN_COUNT];  /* of the program */
    uint64_t monitor_slots;
    unsigned path[SUMMARY_PATH];    /* from the word with the largest loss down to its main cause */
    unsigned depth;                 /* nodes in the path; 0: no loss */
    struct summary_rate rate[SUMMARY_RATES];
    uint64_t order_violations;
};

/* True if this event was counted. */
bool summary_has_event(const struct profile *profile, const char *name);
/* True if the detailed engine ran. Otherwise there are no slots, no IPC, no predictor misses. */
bool summary_is_timed(const struct profile *profile);
void summary_make(struct summary *summary, const struct profile *profile);
/* The nodes of the first level, in the tree's order; TOPDOWN_COUNT after the last. */
unsigned summary_word(unsigned index);
/* In percent of the program's slots. */
double summary_share(const struct summary *summary, unsigned node);

#endif
