/* The counters of --count. */
#ifndef SIM_CLI_COUNTS_H
#define SIM_CLI_COUNTS_H

#include "sim/cli/job.h"

/* --count: adds its counters to job->counters. ERR_USAGE: they do not fit. */
enum err counts_open(struct job *job, struct diag *diag);
void counts_close(struct job *job);
/* Warns of events that cannot count. */
void counts_warn(const struct job *job);
/* Measurement begins, or ends, here. False: no memory. */
bool counts_mark(struct job *job, bool is_end);
/* Their values, into job->profile. False: no memory. */
bool counts_collect(struct job *job);
/* A counter asks for this event. */
bool counts_ask_for(const struct job *job, unsigned event);

#endif
