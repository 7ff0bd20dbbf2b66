/* The observed run of rvsim hang: limits as marks, alarms as they occur. */
#ifndef SIM_CLI_COMMAND_HANG_HANG_RUN_H
#define SIM_CLI_COMMAND_HANG_HANG_RUN_H

#include "prof/hang/hang.h"
#include "sim/cli/tool/tool.h"

struct hang_wishes {
    const char *dump;               /* file of ELF cores; NULL: none */
    uint64_t dumps;                 /* at most, for each function */
    uint64_t most;                  /* the run ends after this many alarms; 0: never */
    const char *gdb;                /* the debugger stops at alarms; NULL: none */
};

/* Runs the program once with the limits of hang->limit and, if it came to its end and `costs` is
 * set, once without. ERR_*: only hang's own contents are valid. */
enum err hang_run(struct hang *hang, const struct hang_wishes *wishes, struct tool *tool,
                  bool costs, struct diag *diag);

/* In hang_dump.c: an ELF core of this thread's process at this moment; the thread is first. */
struct tasks;
struct task_view;
enum err hang_dump(const struct machine *machine, const struct tasks *tasks,
                   const struct task_view *thread, const char *path, char **argv,
                   struct diag *diag);

#endif
