/* Shared by the parts of `rvsim costs`: command_costs.c marks and runs the program, costs_report.c
 * shows the results. */
#ifndef SIM_CLI_COMMAND_COSTS_COSTS_H
#define SIM_CLI_COMMAND_COSTS_COSTS_H

#include "prof/report/report.h"
#include "sim/cli/tool/tool.h"
#include "sim/cli/tool/units.h"

enum { COSTS_POINTS_MAX = 8, COSTS_SWEEPS = 6 };

enum marking_kind {
    MARK_EVERY_INSN,        /* a counter for each instruction */
    MARK_EVERY_NTH,         /* ... for one in `value` instructions */
    MARK_DATA_GRANULE,      /* a counter for each `value` bytes of data */
    MARK_SLOW,              /* an interrupt by each instruction slower than `value` cycles */
    MARK_OFTEN,             /* ... by each function entered more than `value` times */
};

/* A point of a sweep: the varied value; name: for output, and for settings whose value is a
 * name. */
struct costs_point { uint64_t value; const char *name; };

struct costs_sweep {
    const char *name;               /* name for --sweep */
    const char *title, *parameter;
    enum marking_kind marking;
    const char *setting[2];         /* set to the value, or to the name if all points have one */
    bool is_interrupting;
    struct costs_point point[COSTS_POINTS_MAX];
    unsigned points;
};

extern const struct costs_sweep costs_sweep[COSTS_SWEEPS];

struct costs_cost {
    uint64_t storage_bits, bytes, instructions, cycles, interrupts;
    uint64_t lost;                  /* interrupts requested while the hardware's queue was full */
    struct tool_parts parts;        /* of the cycles */
};

struct costs {
    struct tool tool;
    struct units units;
    uint64_t base_cycles, base_instructions;
    struct tool_parts base_parts;
    bool is_wanted[COSTS_SWEEPS];
    bool is_silent;                 /* standard output is used for a file */
    unsigned measured[COSTS_SWEEPS]; /* number of measured points */
    struct costs_cost cost[COSTS_SWEEPS][COSTS_POINTS_MAX];
};

/* The value of a point, or its name. */
const char *costs_point_text(const struct costs_point *point, char text[REPORT_NUMBER]);
/* The measured points of costs_sweep[at], on standard output. */
void costs_print_sweep(const struct costs *costs, unsigned at);
/* What an interruption left out, or cut short. */
void costs_print_unmeasured(const struct costs *costs);
enum err costs_write_csv(void *costs, FILE *out, struct diag *diag);
enum err costs_write_json(void *costs, FILE *out, struct diag *diag);
/* Draws the measured points as SVG; nothing if there are none. */
enum err costs_plot(const struct costs *costs, const char *path, struct diag *diag);

#endif
