/* --gdb: a debugger decides how far the measured part of the run goes. */
#ifndef SIM_CLI_DEBUGGING_H
#define SIM_CLI_DEBUGGING_H

#include "sim/cli/job.h"

/* Whether --gdb goes with the other options. Then listens, and has the debugger run the machine.
 * ERR_OK, too, without the option. */
enum err debugging_open(struct job *job, struct diag *diag);
void debugging_close(struct job *job);

#endif
