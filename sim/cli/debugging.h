/* --gdb: a debugger decides how far the measured part of the run goes. */
#ifndef SIM_CLI_DEBUGGING_H
#define SIM_CLI_DEBUGGING_H

#include "sim/cli/job.h"

/* Whether --gdb goes with the other options. Then listens, and has the debugger run the machine.
 * ERR_OK, too, without the option. */
enum err debugging_open(struct job *job, struct diag *diag);
void debugging_close(struct job *job);

/* Instead of machine_run, of a job whose own slices call it. Inside of it the second: the hart
 * stops in front of its next instruction. */
enum err debugging_run(struct job *job, const struct limits *limits, struct diag *diag);
void debugging_stop(struct job *job, unsigned hart);

#endif
