/* --around SAMPLE: the pipeline picture of one instruction of a profile, made by running the
 * program again as it ran then.
 *
 * A simulation repeats to the cycle, so nothing needs to be kept of a run but its command line: the
 * second run is watched and ends after the place. A sample that comes elsewhere in it is an error:
 * the program, its input or its files have changed. */
#ifndef SIM_CLI_AROUND_H
#define SIM_CLI_AROUND_H

#include "prof/picture/picture.h"
#include "sim/cli/opened.h"

/* text: the number of a sample of `rvsim record`, counted from 1 in the order of `rvsim script`; or
 * PLACE[@N], a place as metadata names it, when it executes for the N-th time (default 1). name: of
 * the command, for errors. */
enum err around_make(struct picture *picture, struct opened *opened, const char *text,
                     const char *name, struct diag *diag);

#endif
