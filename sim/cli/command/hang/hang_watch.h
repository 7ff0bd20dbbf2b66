/* Shared by the parts of rvsim hang's observed run. */
#ifndef SIM_CLI_COMMAND_HANG_HANG_WATCH_H
#define SIM_CLI_COMMAND_HANG_HANG_WATCH_H

#include "sim/cli/command/hang/hang_run.h"
#include "sim/cli/job/job.h"
#include "sim/host/tasks.h"
#include "sim/run/frames/frames.h"

/* A call that has exceeded its limit of elapsed time. */
struct hang_told { uint32_t tid; uint64_t function, began; };

struct watch {
    struct hang *hang;
    const struct hang_wishes *wishes;
    struct tool *tool;
    struct job *job;
    struct frames frames;               /* of the program, to walk stacks */
    uint64_t *dumped;                   /* [limits] dumps made */
    struct hang_told *told;             /* alarms of elapsed time */
    size_t tolds;
    struct diag *diag;
    enum err err;
};

/* Raises an alarm for this thread; limit, executed, elapsed and cycle are set. */
void hang_watch_alarm(struct watch *watch, const struct tasks *tasks,
                      const struct task_view *task, struct hang_alarm *alarm);
/* To be called after alarms; before: the number of alarms before them. Ends the run if the wished
 * number is reached, or stops this hart for the debugger. */
void hang_watch_end(struct watch *watch, size_t before, unsigned hart);

/* In hang_elapsed.c: from now on watches limits of elapsed time, if there are any. */
void hang_watch_elapsed(struct watch *watch);

#endif
