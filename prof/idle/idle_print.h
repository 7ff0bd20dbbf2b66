/* Prints the results of samples of idle harts, and the truth beside them, as text and as JSON. */
#ifndef PROF_IDLE_PRINT_H
#define PROF_IDLE_PRINT_H

#include <cjson/cJSON.h>

#include "prof/idle/idle_charge.h"
#include "prof/idle/idle_tree.h"
#include "prof/timeline/timeline.h"

struct idle_view {
    const struct idle_tree *tree;
    const struct idle_charge *charge;
    const struct idle_charge *charge_without;   /* of the run without samples */
    const struct kernel_sampler *sampler;   /* [harts] settings and counts */
    const struct symbols *symbols;
    const char *event;                      /* name; NULL: by time */
    uint64_t period_cycles;                 /* by time */
    uint64_t cycles, cycles_without;        /* of the longest hart; of the run without samples,
                                             * 0 if there is none */
    double least;                           /* percent that a node or a row needs */
    bool is_by_hart;
};

void idle_print(const struct idle_view *view, FILE *out);
/* root: a document of prof/profile/json.h with what the caller has in it; it is freed. */
enum err idle_print_json(const struct idle_view *view, cJSON *root, FILE *out,
                         struct diag *diag);
/* Adds the idle times of all harts, named by their cause: "lock table_lock, held by 1001". */
enum err idle_timeline(struct timeline *timeline, const struct idle_charge *charge,
                       const struct symbols *symbols, struct diag *diag);
/* The sums of all harts. */
struct idle_hart idle_all_harts(const struct idle_charge *charge);
/* "lock", ...; "nothing" where nothing was runnable. */
const char *idle_cause_name(enum kernel_reason cause);
/* What a row waits for: "lock table_lock", or the cause alone; returns text. */
enum { IDLE_WAIT_TEXT = SYMBOLS_TEXT + 8 };
const char *idle_wait_name(const struct idle_row *row, const struct symbols *symbols,
                           char text[IDLE_WAIT_TEXT]);

#endif
