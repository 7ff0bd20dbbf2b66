/* Regions that the program marks, and those of --roi. */
#ifndef SIM_CLI_JOB_REGIONS_H
#define SIM_CLI_JOB_REGIONS_H

#include "sim/cli/job/job.h"

/* Listens to the magic instructions of the program. False: no memory. */
bool regions_open(struct job *job);
void regions_close(struct job *job);
/* [harts][EVENT_COUNT] events now, then [harts][2] cycles and instructions in user mode, then
 * [harts][EVENT_COUNT] events in user mode, 0 unless they are divided; the caller frees. NULL: no
 * memory. */
uint64_t *regions_snapshot(const struct machine *machine);
/* In a snapshot of `harts` harts, the events of a hart in user mode. */
const uint64_t *regions_user_events(const uint64_t *snapshot, unsigned harts, unsigned hart);
/* Measures from the retirement of the instruction at begin to that at end, which ends the run. */
bool regions_watch_roi(struct job *job, uint64_t begin, uint64_t end);
/* Copies the regions of the program to job->profile. False: no memory. */
bool regions_collect(struct job *job);

#endif
