/* The watched run of rvsim hang: limits as marks, alarms as they come. */
#ifndef SIM_CLI_HANG_RUN_H
#define SIM_CLI_HANG_RUN_H

#include "prof/hang/hang.h"
#include "sim/cli/tool.h"

struct hang_wishes {
    const char *dump;               /* file of ELF cores; NULL: none */
    uint64_t dumps;                 /* for each function, at most */
    uint64_t most;                  /* the run ends after this many alarms; 0: never */
    const char *gdb;                /* the debugger stops at alarms; NULL: none */
};

/* Runs the program once with the limits of hang->limit, and, if it came to its end and `costs`,
 * once without. ERR_*: nothing is known but what hang has. */
enum err hang_run(struct hang *hang, const struct hang_wishes *wishes, struct tool *tool,
                  bool costs, struct diag *diag);

/* hang_dump.c: an ELF core of the process of this thread at this moment, which comes first. */
struct tasks;
struct task_view;
enum err hang_dump(const struct machine *machine, const struct tasks *tasks,
                   const struct task_view *thread, const char *path, char **argv,
                   struct diag *diag);

#endif
