/* What `rvsim tune` found out, and its report. */
#ifndef SIM_CLI_TUNE_H
#define SIM_CLI_TUNE_H

#include "sim/cli/tool.h"
#include "sim/cli/units.h"

/* A routine: what hardware measured, and the truth. */
struct routine {
    size_t unit;
    uint64_t samples;
    uint64_t true_count, true_units;    /* while it was sampled: instructions, time */
    uint64_t count, entered, cycles;    /* while it was counted, measured */
    uint64_t oracle_count, oracle_units;
};

struct tune {
    struct tool tool;
    struct units units;
    uint64_t period, hot_percent, top;
    unsigned event;
    bool counts_calls;
    struct trial base, sampling, counting;
    struct trial_result unmonitored, sampled, counted;
    struct routine *routine;            /* of all units, hottest first */
    size_t hot;                         /* so many of them are hot */
    uint64_t samples, elsewhere;        /* in all; outside the program's code */
    char *marks;
    /* in one run */
    bool one_run;
    uint64_t wanted;                    /* samples before the switch */
    uint64_t switched;                  /* instructions at the switch; 0: not yet */
    struct meta none, meta;             /* before the switch, after it */
    char *room;                         /* metadata of all that may be marked */
};

/* Of the sampled profile: the hottest first; hot are those with enough of all samples. */
enum err tune_find_hot(struct tune *tune, struct diag *diag);
/* tune->marks: metadata that marks what is hot, with range register i around routine i. */
enum err tune_make_marks(struct tune *tune, struct diag *diag);
/* Counter i counts the cycles in range register i. */
struct profiler_counters tune_counters(const struct tune *tune);
/* tune_one_run.c. In place of one machine_run, with a struct tune; the first time it finds out what
 * is hot, later it does the same again. */
enum err tune_run_parts(void *arg, struct job *job, const struct limits *limits,
                        struct diag *diag);
/* tune_report.c. Both tables, to standard output. */
void tune_print(const struct tune *tune);

#endif
