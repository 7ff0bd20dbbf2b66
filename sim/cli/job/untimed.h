/* Values that a run without the detailed engine cannot measure; see untimed.c. */
#ifndef SIM_CLI_JOB_UNTIMED_H
#define SIM_CLI_JOB_UNTIMED_H

#include "sim/cli/job/job.h"

/* Adds a warning for each entry of metadata that signals nothing without the detailed engine. */
enum err untimed_warn_marks(struct job *job);
/* Warns of counters of events that this run did not count. */
void untimed_warn_counters(const struct job *job);
/* Refuses options for values that only the detailed engine measures. */
enum err untimed_check(const struct options *options, struct diag *diag);
/* True if this event was counted. Without the detailed engine these are the architectural events,
 * and those of memory in --mode warm. */
bool untimed_is_counted(const struct job *job, unsigned code);

#endif
