/* --gdb: a debugger decides how far the measured part of the run goes. */
#ifndef SIM_CLI_JOB_DEBUGGING_H
#define SIM_CLI_JOB_DEBUGGING_H

#include "sim/cli/job/job.h"

/* Checks --gdb against the other options; then listens, and lets the debugger run the machine.
 * ERR_OK without the option. */
enum err debugging_open(struct job *job, struct diag *diag);
void debugging_close(struct job *job);

/* debugging_run replaces machine_run for a job whose own slices call it. debugging_stop, inside of
 * it, stops the hart in front of its next instruction. */
enum err debugging_run(struct job *job, const struct limits *limits, struct diag *diag);
void debugging_stop(struct job *job, unsigned hart);

#endif
