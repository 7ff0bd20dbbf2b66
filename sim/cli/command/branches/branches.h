/* Shared by the parts of `rvsim branches`: command_branches.c finds and counts the branches,
 * branches_report.c writes the results. */
#ifndef SIM_CLI_COMMAND_BRANCHES_BRANCHES_H
#define SIM_CLI_COMMAND_BRANCHES_BRANCHES_H

#include "sim/cli/tool/tool.h"

enum { BRANCHES_ALL, BRANCHES_TAKEN, BRANCHES_MISPREDICTED, BRANCHES_KINDS };

struct branch {
    uint64_t address;
    unsigned bytes;
    uint64_t count[BRANCHES_KINDS];                 /* measured */
    uint64_t truth[BRANCHES_KINDS], lost;           /* lost: units, by the oracle */
};

/* The instructions of the program that a kind's counting run executed; 0: there was no run. */
struct branches_extent {
    uint64_t instructions;
    bool is_whole;                  /* it was not interrupted */
};

struct branches {
    struct tool tool;
    uint64_t top, units_per_cycle;
    struct branch *branch;
    size_t count, executed;             /* executed: number of executed branches, which are sorted
                                         * to the front */
    double penalty;                     /* measured cycles of a misprediction */
    struct branches_extent extent[BRANCHES_KINDS], lost;
    unsigned runs;                      /* number of runs needed to count all kinds */
};

/* Moves executed branches to the front, in order of their true loss. */
void branches_sort(struct branches *branches);
/* Prints the sorted branches. A kind that no run counted is not shown. Counts of an interrupted run
 * are marked, and not subtracted from counts of a complete run. */
void branches_print(const struct branches *branches);
enum err branches_write_csv(void *branches, FILE *out, struct diag *diag);
enum err branches_write_json(void *branches, FILE *out, struct diag *diag);

#endif
