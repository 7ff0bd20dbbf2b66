/* What compare-profilers shows of a run (command_compare.c). */
#ifndef SIM_CLI_COMPARE_H
#define SIM_CLI_COMPARE_H

#include "prof/compare.h"

struct job;

/* Of the run at the period asked for, for the one with a sample in every cycle. */
struct compare_samples { double error[SCHEMES]; uint64_t taken[SCHEMES]; };

struct compare_options {
    bool is_shown[SCHEMES];
    uint64_t top;                   /* instructions of each scheme */
    FILE *json, *csv;               /* NULL: not written; stdout: without the tables */
    struct compare_samples samples; /* set by compare_report */
    const struct compare_samples *bias_of;      /* of a run with a sample in every cycle; or NULL */
    bool is_reported;               /* all of the files was written */
    bool is_handler_measured;       /* sampling.handler_cycles is of paired runs */
};

/* After collect_profile: tables, JSON and CSV of the job's schemes. */
enum err compare_report(const struct job *job, struct diag *diag);

/* What the writers are given. */
struct compare_view {
    const struct compare *compare;
    const struct compare_options *options;
    const struct profile *profile;
    const struct symbols *symbols;
    const struct config *config;
};
void compare_write_text(const struct compare_view *view, FILE *out);
void compare_write_csv(const struct compare_view *view, FILE *out);
/* compare_bias.c. False: no memory. */
bool compare_write_bias(const struct compare_view *view, FILE *out);
enum err compare_write_json(const struct compare_view *view, FILE *out, struct diag *diag);
/* compare_report.c: what a scheme would cost on this machine. */
uint64_t compare_storage_bits(const struct compare_view *view, enum scheme_id id);
unsigned compare_sample_bytes(const struct compare_view *view, enum scheme_id id);
uint64_t compare_handler_cycles(const struct compare_view *view, enum scheme_id id);

#endif
