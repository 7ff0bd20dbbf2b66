/* The results of `rvsim scan`, and its report. */
#ifndef SIM_CLI_COMMAND_SCAN_SCAN_H
#define SIM_CLI_COMMAND_SCAN_SCAN_H

#include "shadowcache/perfinst.h"
#include "sim/cli/tool/monitoring.h"
#include "sim/cli/tool/tool.h"
#include "sim/cli/tool/units.h"

/* The kinds of monitoring whose cost is measured. */
enum { SCAN_COSTS = 2 };
extern const char *const scan_cost_names[SCAN_COSTS];

/* A piece: measured values, and the truth. */
struct piece {
    size_t unit;
    uint64_t count;                     /* executions of its instructions, measured */
    uint64_t seen;                      /* number of its instructions that executed while marked */
    uint64_t insns;                     /* instructions of the program while it was marked */
    uint64_t turns;
    uint64_t true_count, true_units;
    uint64_t samples;                   /* of the timer */
};

struct scan {
    struct tool tool;
    struct units units;
    struct piece *piece;                /* [units.count] by unit until it is sorted */
    bool is_quick;                      /* the fast engine: counts only, which are exact */
    uint64_t period, runs, slice, top;
    struct trial timer, base, costliest;
    struct trial_result timed, unmonitored, counted;
    char *marks, *costliest_marks;
    uint64_t made, cycles_most;         /* counting runs; cycles of the longest */
    uint64_t samples, insns;            /* of the timer's run; of all counting runs */
    uint64_t all_count, all_units;
    size_t whole;                       /* pieces that uninterrupted runs counted */
    bool is_partial;                    /* the timer's run or the counting was interrupted */
    struct monitoring cost[SCAN_COSTS]; /* with has_cost */
    bool has_cost;
    /* slices */
    struct meta *meta;                  /* [units.count] */
    struct perfinst *kept;              /* [units.count] its image in this run */
    size_t kept_bytes;
    size_t *order, turn;                /* of the present round */
    uint64_t random;
};

/* Sorts the pieces by falling executions, for the table and the files. */
void scan_sort(struct scan *scan);
/* Prints the table with the text above and below it to standard output. */
void scan_print(const struct scan *scan);
/* For tool_files_write: arg is the struct scan; a row for each piece in their order. */
enum err scan_write_csv(void *arg, FILE *out, struct diag *diag);
enum err scan_write_json(void *arg, FILE *out, struct diag *diag);

#endif
