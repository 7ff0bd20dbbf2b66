/* The counters of --count. */
#ifndef SIM_CLI_JOB_COUNTS_H
#define SIM_CLI_JOB_COUNTS_H

#include "sim/cli/job/job.h"

/* --count: adds its counters to job->counters. ERR_USAGE: they do not fit. */
enum err counts_open(struct job *job, struct diag *diag);
void counts_close(struct job *job);
/* Warns of events that cannot count. */
void counts_warn(const struct job *job);
/* Notes the counters at the begin, or end, of measurement. False: no memory. */
bool counts_mark(struct job *job, bool is_end);
/* Copies their values to job->profile. False: no memory. */
bool counts_collect(struct job *job);
/* True if a counter counts this event. */
bool counts_ask_for(const struct job *job, unsigned event);

#endif
