/* --around SAMPLE: the pipeline picture of one instruction of a profile, made by repeating the run.
 *
 * A simulation repeats to the cycle, so only the command line of a run needs to be stored: the
 * second run is observed and ends after the place. If the sample is elsewhere in it, the program,
 * its input or its files have changed, which is an error. */
#ifndef SIM_CLI_JOB_AROUND_H
#define SIM_CLI_JOB_AROUND_H

#include "prof/picture/picture.h"
#include "sim/cli/tool/opened.h"

/* text: the number of a sample of `rvsim record`, counted from 1 in the order of `rvsim script`; or
 * PLACE[@N], a place in the syntax of metadata, at its N-th execution (default 1). name: of the
 * command, for errors. */
enum err around_make(struct picture *picture, struct opened *opened, const char *text,
                     const char *name, struct diag *diag);

#endif
