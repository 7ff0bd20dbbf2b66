/* rvsim whatif, in parts: its changes (whatif_changes.c), their table (whatif_report.c) and its
 * course (command_whatif.c).
 *
 * Each change is measured by another run of the program: on another machine, or with routines of a
 * virtual speed (sim/run/faster.h). */
#ifndef SIM_CLI_COMMAND_WHATIF_WHATIF_H
#define SIM_CLI_COMMAND_WHATIF_WHATIF_H

#include "sim/cli/tool/tool.h"
#include "sim/run/faster.h"

enum change_kind { CHANGE_SET, CHANGE_PERFECT, CHANGE_FASTER, CHANGE_TOGETHER };

struct change {
    enum change_kind kind;
    char *text;                     /* "rob.entries=512", "l1d", "sort=2x" */
    const char *settings;           /* "KEY=VALUE,..."; NULL: no setting */
    char *routine;                  /* of CHANGE_FASTER */
    unsigned place;                 /* number in the order of the options, set by whatif_sort */
    uint64_t thousandths;           /* speed-up; FASTER_INFINITE: takes no time */
    bool is_known;                  /* the following are measured */
    uint64_t cycles, instructions;
    struct tool_parts parts;        /* of the cycles */
};

enum { WHATIF_CHANGES = COMMAND_VALUES_MAX + 16 };

struct whatif {
    struct tool tool;
    struct change change[WHATIF_CHANGES];   /* in the order of the options; sorted before output */
    unsigned changes;
    bool has_base;                          /* the unchanged run executed instructions */
    uint64_t base_cycles, base_instructions;    /* until its interruption, if it had one */
    bool is_cut;                    /* --max-cycles ended a run, whose cycles say nothing */
    struct tool_parts base_parts;
};

/* ---- whatif_changes.c ------------------------------------------------------------------------ */

/* --set, --perfect, --faster and --together of the command line. */
enum err changes_read(struct whatif *whatif, struct diag *diag);
/* The changes tried by default: every perfect structure that differs from this machine's, and the
 * hottest routines of the profile at twice their speed. */
enum err changes_propose(struct whatif *whatif, const struct profile *profile, struct diag *diag);
/* The machine of a change. ERR_USAGE: impossible, or two of --together contradict each other. */
enum err changes_machine(const struct whatif *whatif, const struct change *change,
                         struct config *config, struct diag *diag);
/* The symbols with a routine of this name: the program's and its libraries', else the kernel's;
 * NULL: none. */
const struct symbols *changes_symbols(const struct whatif *whatif, const char *routine);
void changes_free(struct whatif *whatif);

/* ---- whatif_faster.c ------------------------------------------------------------------------- */

/* The routines that a change makes faster; *is_any: there are some. ERR_USAGE: two of --together
 * are one. speeds_close is due after success. */
struct speeds {
    struct faster faster;
    struct speed_range *range;      /* in order of address */
    size_t ranges;
};
enum err speeds_open(struct speeds *speeds, const struct whatif *whatif,
                     const struct change *change, bool *is_any, struct diag *diag);
void speeds_close(struct speeds *speeds);

/* ---- whatif_report.c ------------------------------------------------------------------------- */

/* Sorts by falling gain, then by the order of the options; --together, and then the unknown,
 * last. */
void whatif_sort(struct whatif *whatif);
void whatif_print(const struct whatif *whatif, FILE *out);
enum err whatif_write_csv(void *whatif, FILE *out, struct diag *diag);
enum err whatif_write_json(void *whatif, FILE *out, struct diag *diag);

#endif
