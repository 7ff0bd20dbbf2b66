/* The part of a run before measurement, and the limits of measurement. */
#ifndef SIM_CLI_JOB_PHASES_H
#define SIM_CLI_JOB_PHASES_H

#include "sim/cli/job/job.h"

/* Runs the part before measurement. ERR_USAGE: the run ended before measurement could begin; diag
 * names the missed place, job->machine.result the end. */
enum err phases_fast_forward(struct job *job, struct diag *diag);
/* After target_open: finds the routine of --roi, or lets it wait for a library, or for a program
 * that the program executes. */
enum err phases_find_roi(struct job *job, struct diag *diag);
/* A file was mapped: it may have the routine that --roi waits for. */
void phases_module_came(struct job *job, const struct target_module *module);
/* Warns when --roi-end was never reached. */
void phases_check_end(const struct job *job);
/* With --roi-end: lets measurement begin and end at the retirement of instructions. */
bool phases_enter_roi(struct job *job);
/* The user's limits minus the time spent up to now. */
struct limits phases_limits(const struct job *job);

#endif
