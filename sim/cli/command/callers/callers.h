/* Shared by the parts of `rvsim callers`: command_callers.c finds the callers,
 * callers_report.c writes them. */
#ifndef SIM_CLI_COMMAND_CALLERS_CALLERS_H
#define SIM_CLI_COMMAND_CALLERS_CALLERS_H

#include "sim/cli/tool/tool.h"

enum { CALLERS_ROUTINES = 4096 };       /* at most */

struct callers_routine {
    uint64_t entry, end;
    uint64_t mark;                  /* the marked instruction */
    unsigned level;                 /* the run that marks it, from 1 */
    uint64_t entered, truth;        /* by its counter; true number */
};

struct callers_call { size_t routine, caller; uint64_t interrupts, entries, truth; };

#define CALLERS_NONE SIZE_MAX        /* caller of the root: none is known */

struct callers {
    struct tool tool;
    bool is_measured;               /* by marks, one run a level */
    uint64_t limit, runs;
    bool is_late;                   /* --of has names to look up after a run */
    struct callers_routine routine[CALLERS_ROUTINES];
    size_t routines, roots;         /* roots: of these, the routines named by --of */
    struct callers_call *call;
    size_t calls;
};

/* Orders the calls: those of one routine together, the most frequent first. */
void callers_sort(struct callers *search);
/* Prints the routines named by --of, with their callers below them. */
enum err callers_print(const struct callers *search, struct diag *diag);
/* search: a const struct callers *. */
enum err callers_write_json(void *search, FILE *out, struct diag *diag);

#endif
