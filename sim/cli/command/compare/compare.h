/* The output of compare-profilers for a run (command_compare.c). */
#ifndef SIM_CLI_COMMAND_COMPARE_COMPARE_H
#define SIM_CLI_COMMAND_COMPARE_COMPARE_H

#include <stdio.h>

#include "prof/compare/compare.h"

struct job;

struct compare_options {
    bool is_shown[SCHEMES_MAX];
    bool shows_all;                 /* more tables than the short one */
    uint64_t top;                   /* instructions of each scheme */
    FILE *json, *csv;               /* NULL: not written; stdout: without the tables */
    struct compare *kept;           /* not NULL: writes nothing, and stores the result there,
                                     * unless the run was interrupted */
    const struct compare *every_cycle;      /* of a run with a sample in every cycle; or NULL */
    const char *stage;              /* of the run, and its number from 1: for an interruption */
    unsigned run;
    bool is_reported;               /* all files were written */
    bool is_handler_measured;       /* sampling.handler_cycles is from paired runs */
};

/* Call after collect_profile: writes tables, JSON and CSV of the job's schemes, and adds them to
 * its profile. */
enum err compare_report(struct job *job, struct diag *diag);

/* A scheme's bias, and the interval of errors that its number of samples allows: shares of 1. */
struct compare_bias {
    bool is_known, is_interval_known;
    bool is_bound;                  /* the interval has no lower end */
    double bias, low, high;
};

/* The input of the writers. */
struct compare_view {
    const struct compare *compare;
    const struct compare_bias *bias;        /* [SCHEMES_MAX] */
    const struct compare_options *options;
    const struct profile *profile;
    const struct symbols *symbols;
    const struct config *config;
    bool is_interrupted;
};
void compare_write_text(const struct compare_view *view, FILE *out);
void compare_write_csv(const struct compare_view *view, FILE *out);
/* In compare_bias.c: of every displayed scheme. False: no memory. */
bool compare_find_bias(const struct compare_view *view, struct compare_bias bias[SCHEMES_MAX]);
enum err compare_write_json(const struct compare_view *view, FILE *out, struct diag *diag);
/* compare_report.c: the cost of a scheme on this machine. */
uint64_t compare_storage_bits(const struct compare_view *view, unsigned id);
unsigned compare_sample_bytes(const struct compare_view *view, unsigned id);
uint64_t compare_handler_cycles(const struct compare_view *view, unsigned id);

#endif
