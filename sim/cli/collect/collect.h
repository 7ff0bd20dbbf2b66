/* Copies everything that a run measured to a profile: collect*.c. */
#ifndef SIM_CLI_COLLECT_COLLECT_H
#define SIM_CLI_COLLECT_COLLECT_H

#include "sim/cli/job/job.h"
#include "sim/run/profiler/profiler_threads.h"

/* All measurements, into job->profile. */
enum err collect_profile(struct job *job, struct diag *diag);
/* Program, command, settings and end of the run, into job->profile. False: no memory. */
bool collect_run(struct job *job);
/* The oracle profile, into job->profile. False: no memory. */
bool collect_oracle(struct job *job);
/* From now on every hart keeps its call tree, if a profile or a tool needs it. False: no memory. */
bool collect_follow_calls(struct job *job);
/* A module of the target is new: tracks its routines too. False: no memory. */
bool collect_follow_module(struct job *job);
/* The call trees, into job->profile. False: no memory. */
bool collect_calls(struct job *job);
/* From now on the detailed engine's run is divided into intervals (job->over_time), unless a tool
 * has its own way to run it. False: no memory. */
bool collect_follow_time(struct job *job);
void collect_forget_time(struct job *job);
/* The intervals, into job->profile, after its events. False: no memory. */
bool collect_over_time(struct job *job);
/* The content of the detailed engine's caches, into job->profile, if that is written to a file.
 * False: no memory. */
bool collect_maps(struct job *job);
/* From now on the guest kernel records the states of threads (job->threads), if --threads is given.
 * ERR_USAGE: the program runs without it, or a tool takes its records. */
enum err collect_follow_threads(struct job *job, struct diag *diag);
void collect_forget_threads(struct job *job);
/* The threads, into job->profile. */
enum err collect_threads(struct job *job, struct diag *diag);
/* The threads' shares of a value of this book (sim/run/profiler/profiler_threads.h), in memory of
 * the profile; none without counts by thread. False: no memory. */
bool collect_shares(struct job *job, enum profiler_book book, uint64_t place,
                    struct profile_shares *shares);
/* The sampling and its samples, if the run has it, into job->profile, after its records. False: no
 * memory. */
bool collect_samples(struct job *job);
/* The order of job->profile.record, for qsort. */
int collect_compare_records(const void *a, const void *b);
/* Cycles of a hart before measurement began. */
uint64_t collect_cycles_before(const struct job *job, unsigned hart);
/* The count of an event since measurement began, all harts. */
uint64_t collect_event(const struct job *job, unsigned event);

#endif
