/* Shared by the parts of rvsim hang's watched run. */
#ifndef SIM_CLI_HANG_WATCH_H
#define SIM_CLI_HANG_WATCH_H

#include "sim/cli/hang_run.h"
#include "sim/cli/job.h"
#include "sim/host/tasks.h"
#include "sim/run/frames/frames.h"

/* A call that was longer than its limit of elapsed time. */
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

/* An alarm of this thread, of which limit, executed, elapsed and cycle are known. */
void hang_watch_alarm(struct watch *watch, const struct tasks *tasks,
                      const struct task_view *task, struct hang_alarm *alarm);
/* After alarms, of which there were `before`: the run may be at its end, or in the hands of the
 * debugger, where this hart stops. */
void hang_watch_end(struct watch *watch, size_t before, unsigned hart);

/* hang_elapsed.c: from now on limits of elapsed time are watched, if there are any. */
void hang_watch_elapsed(struct watch *watch);

#endif
