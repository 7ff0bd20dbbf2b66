/* Counts of events by intervals of a run: `rvsim stat --interval`, and a run's course over time.
 *
 * An interval ends at the first common point of time of all harts at or after its nominal end;
 * while every hart waits, it is extended over the following ones. The run is not disturbed. */
#ifndef SIM_CLI_JOB_INTERVALS_H
#define SIM_CLI_JOB_INTERVALS_H

#include "pmu/event.h"
#include "sim/cli/job/job.h"

/* The counts of all harts since the last interval. */
struct interval {
    uint64_t end;                   /* cycles since measurement began */
    uint64_t *count;                /* [events], then [events] of these in user mode, where the run
                                     * divides events */
};

struct intervals {
    /* settings */
    unsigned event[EVENT_COUNT];    /* codes */
    unsigned events;
    uint64_t period;                /* cycles of an interval, at least 1 */
    size_t most;                    /* even. When there are this many, each two are joined, and the
                                     * period doubles; 0: no limit */
    /* results */
    struct interval *interval;      /* [intervals] */
    size_t intervals;
    uint64_t start;                 /* cycle at which measurement began */
    uint64_t *before;               /* by code, at the begin of the present interval; then those of
                                     * user mode */
    bool lacks_memory;              /* an interval is missing */
};

/* A function for job->slices, which replaces machine_run. The last interval is shorter. */
enum err intervals_run(void *intervals, struct job *job, const struct limits *limits,
                       struct diag *diag);
void intervals_free(struct intervals *intervals);

#endif
