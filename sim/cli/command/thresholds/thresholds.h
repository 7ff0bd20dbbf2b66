/* The results of `rvsim thresholds`, and its report. */
#ifndef SIM_CLI_COMMAND_THRESHOLDS_THRESHOLDS_H
#define SIM_CLI_COMMAND_THRESHOLDS_THRESHOLDS_H

#include "sim/cli/tool/tool.h"
#include "sim/cli/tool/units.h"

enum { THRESHOLDS_STEPS = 16 };
/* A program may wait for an absent hart, so a run of one hart may take at most this multiple of the
 * cycles. */
enum { THRESHOLDS_ALONE_TIMES = 10 };

enum thresholds_kind { THRESHOLDS_FUNCTION, THRESHOLDS_LINE, THRESHOLDS_DATA };

/* Accesses slower than each threshold; [0]: all. */
struct thresholds_region {
    enum thresholds_kind kind;
    char name[SYMBOLS_TEXT];
    uint64_t slow[2][THRESHOLDS_STEPS + 1];    /* [0] with all harts; [1] on one hart */
    uint64_t peers;                     /* that another hart's cache answered */
    uint64_t cycles;                    /* of slow accesses, a lower bound */
};

struct thresholds_step {
    uint64_t cycles;                    /* 0: no threshold */
    const char *level;                  /* level whose hits take these cycles; NULL: grown */
    uint64_t slow[2][2];                /* [0] with all harts, [1] on one hart; loads, accesses to
                                         * data */
};

struct thresholds {
    struct tool tool;
    struct units units;
    uint64_t runs, top;
    struct thresholds_step step[THRESHOLDS_STEPS + 1];
    size_t steps;
    struct thresholds_region *region;
    size_t regions;
    uint64_t cycles;                    /* of the longest run up to now */
    bool has_alone;                     /* all steps were repeated on one hart */
    bool never_ends;                    /* does not end on one hart */
};

/* Sorts by cycles of slow accesses; the slowest regions of each kind come first. */
void thresholds_sort(struct thresholds *search);
/* The tables, to standard output. */
void thresholds_print(const struct thresholds *search);
/* For tool_files_write: arg is the struct thresholds. */
enum err thresholds_write_json(void *arg, FILE *out, struct diag *diag);

#endif
