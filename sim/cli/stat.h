/* rvsim stat, in parts: its events and runs (command_stat.c), and its output (stat_report.c). */
#ifndef SIM_CLI_STAT_H
#define SIM_CLI_STAT_H

#include "pmu/event.h"
#include "prof/summary.h"
#include "sim/cli/intervals.h"
#include "sim/cli/tool.h"

struct stat_command {
    struct tool tool;
    unsigned event[EVENT_COUNT];    /* codes, in the order of output */
    bool is_known[EVENT_COUNT];     /* [events] true if the engine counts it */
    unsigned events;
    uint64_t wanted;                /* number of runs requested */
    uint64_t (*count)[EVENT_COUNT]; /* [runs] of all harts, by code */
    unsigned runs;                  /* completed */
    struct intervals over_time;     /* with --interval; otherwise its period is 0 */
    bool has_topdown;
    struct profile profile;         /* of the first run */
};

/* ---- stat_report.c --------------------------------------------------------------------------- */

/* perf stat's usual set, as codes; EVENT_NONE past the last. */
unsigned stat_usual(unsigned index);
void stat_print(const struct stat_command *stat, FILE *out);
enum err stat_write_csv(void *stat, FILE *out, struct diag *diag);
enum err stat_write_json(void *stat, FILE *out, struct diag *diag);

#endif
