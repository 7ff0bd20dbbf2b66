/* rvsim stat, in parts: its events and runs (command_stat.c), and its output (stat_report.c). */
#ifndef SIM_CLI_COMMAND_STAT_STAT_H
#define SIM_CLI_COMMAND_STAT_STAT_H

#include "pmu/event.h"
#include "prof/report/summary.h"
#include "sim/cli/job/intervals.h"
#include "sim/cli/tool/tool.h"

/* Where an event happened: the program in user mode; its kernel or machine mode; nowhere, in cycles
 * of a hart that waits. ":u", ":k" and ":uk" after an event ask for a part. */
enum stat_part { STAT_USER = 1, STAT_KERNEL = 2, STAT_IDLE = 4, STAT_ALL = 7 };

/* A row of the table. */
struct stat_row {
    unsigned event;                 /* code */
    unsigned parts;                 /* sum of enum stat_part */
    bool is_known;                  /* the engine counts it */
};

enum { STAT_ROWS = 4 * EVENT_COUNT, STAT_NAME = 64 };

struct stat_counts { uint64_t all[EVENT_COUNT], user[EVENT_COUNT]; };

struct stat_command {
    struct tool tool;
    struct stat_row row[STAT_ROWS]; /* in the order of output */
    unsigned rows;
    uint64_t wanted;                /* number of runs requested */
    struct stat_counts *count;      /* [runs] of all harts, by code */
    uint64_t elapsed;               /* cycles of all runs, each of its longest hart */
    unsigned runs;                  /* completed */
    struct intervals over_time;     /* with --interval; otherwise its period is 0 */
    bool has_topdown;
    struct profile profile;         /* of the first run */
};

/* ---- stat_report.c --------------------------------------------------------------------------- */

/* perf stat's usual set, as codes; EVENT_NONE past the last. */
unsigned stat_usual(unsigned index);
/* "cycles:u" */
const char *stat_row_name(const struct stat_row *row, char name[STAT_NAME]);
/* True if the text has the seconds in user mode, in the kernel and idle. */
bool stat_has_seconds(const struct stat_command *stat);
void stat_print(const struct stat_command *stat, FILE *out);
enum err stat_write_csv(void *stat, FILE *out, struct diag *diag);
enum err stat_write_json(void *stat, FILE *out, struct diag *diag);

#endif
