/* Traces and --check of a run. */
#ifndef SIM_CLI_JOB_TRACING_H
#define SIM_CLI_JOB_TRACING_H

#include "sim/cli/job/job.h"

/* Opens every --trace and attaches the engine of the first hart, which it makes. */
enum err tracing_open(struct job *job, struct diag *diag);
/* The machine's engine changed: observes the new one too. False: no memory. */
bool tracing_follow(struct job *job);
/* Writes pending records; only then the files exist. Also an error if --trace-from was never
 * reached. */
enum err tracing_close(struct job *job, struct diag *diag);
/* Leaves no files. After tracing_close it does nothing. */
void tracing_discard(struct job *job);

#endif
