/* The results of `rvsim tune`, and its report. */
#ifndef SIM_CLI_COMMAND_TUNE_TUNE_H
#define SIM_CLI_COMMAND_TUNE_TUNE_H

#include "sim/cli/tool/monitoring.h"
#include "sim/cli/tool/tool.h"
#include "sim/cli/tool/units.h"

/* A routine: measured values, and the truth. */
struct routine {
    size_t unit;
    size_t rank;                        /* by samples while all were sampled, from 0 */
    uint64_t samples;
    uint64_t true_count, true_units;    /* while it was sampled: instructions, time */
    uint64_t seen;                      /* samples at the last check */
    bool was_hot;                       /* it is, or was, counted */
    uint64_t count, first, cycles;      /* while it was counted, measured; first: executions of its
                                         * first instruction */
    uint64_t entered;                   /* calls of it during that time */
    uint64_t events;                    /* of the event sampled, with tune_has_event */
    uint64_t oracle_count, oracle_units;
};

enum { TUNE_CHANGES = 64 };

struct tune {
    struct tool tool;
    struct units units;
    uint64_t period, hot_percent, top;
    unsigned event;
    bool counts_calls, was_counted;
    bool is_part;                       /* the counts end before the samples: interrupted */
    struct trial base, sampling, counting;
    struct trial_result unmonitored, sampled, counted;
    struct routine *routine;            /* of all units, hottest first */
    size_t hot;                         /* number of them that are counted */
    uint64_t samples, elsewhere;        /* in all; outside the program's code */
    uint64_t elsewhere_count, elsewhere_units;  /* true values there */
    char *marks;
    /* in one run */
    bool one_run;
    uint64_t wanted;                    /* samples before the switch */
    struct tune_switch {                /* each marks the routines that were hot until then */
        uint64_t insns;                 /* of the program at the switch */
        size_t hot;
        struct meta meta;
    } change[TUNE_CHANGES];
    unsigned changes;
    size_t hot_first;                   /* found before the first switch */
    struct profile before;              /* of the run until the last switch */
    struct profile kept;                /* marks and ranges of earlier switches, a row each time */
    bool is_divided;                    /* several threads ran */
    struct meta none;                   /* before the first */
    struct monitoring cost[2];          /* of sampling, of counting or both; with has_cost */
    bool has_cost;
    char *room;                         /* metadata of all that may be marked */
};

/* In tune_options.c. */
enum err tune_read_options(struct tune *tune, struct diag *diag);
/* Sorts the sampled profile by falling samples; hot routines are those with a sufficient share. */
enum err tune_find_hot(struct tune *tune, struct diag *diag);
/* Makes tune->marks: metadata that marks the hot routines, with range register i around routine
 * i. */
enum err tune_make_marks(struct tune *tune, struct diag *diag);
/* True if the sampled event is neither cycles nor instructions, and is counted beside them. */
bool tune_has_event(const struct tune *tune);
/* Counter first + i counts the cycles in range register i, for the first `hot` routines; the
 * counters after these count the sampled event, if there are enough. The fast engine counts no
 * cycles. */
struct profiler_counters tune_counters(const struct tune *tune, unsigned first, size_t hot);
/* Adds counts of marks since tune->before, whose truth is subtracted. */
void tune_collect_counts(struct tune *tune, const struct profile *profile);
/* In tune_one_run.c. Replaces machine_run, with a struct tune. The first run finds the hot
 * routines; later runs repeat its switches. */
enum err tune_run_parts(void *arg, struct job *job, const struct limits *limits,
                        struct diag *diag);
/* In tune_kept.c. Keeps the counts of job->profile in tune->kept: the next marks and ranges start
 * from 0. */
enum err tune_keep(struct tune *tune, const struct job *job, struct diag *diag);
/* Adds what was kept to the profile of the whole run, with the calls of each routine while it was
 * counted. */
enum err tune_add_kept(struct tune *tune, struct diag *diag);
/* In tune_report.c. Prints both tables to standard output. */
void tune_print(const struct tune *tune);
/* For runs with has_cost. */
void tune_print_cost(const struct tune *tune);
/* For tool_files_write: arg is the struct tune. */
enum err tune_write_json(void *arg, FILE *out, struct diag *diag);

#endif
