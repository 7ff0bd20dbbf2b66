/* Counts of events by intervals of a run: `rvsim stat --interval`, and a run's course over time.
 *
 * An interval ends at the first common point of time of all harts at or after its end; where every
 * hart waits it includes those that begin meanwhile. The run is not disturbed. */
#ifndef SIM_CLI_INTERVALS_H
#define SIM_CLI_INTERVALS_H

#include "pmu/event.h"
#include "sim/cli/job.h"

/* The counts of all harts since the interval before. */
struct interval {
    uint64_t end;                   /* cycles since measurement began */
    uint64_t *count;                /* [events] */
};

struct intervals {
    /* the wish */
    unsigned event[EVENT_COUNT];    /* codes */
    unsigned events;
    uint64_t period;                /* cycles of an interval, at least 1 */
    size_t most;                    /* even. When there are this many, each two become one, and
                                       the period doubles; 0: no limit */
    /* what came of it */
    struct interval *interval;      /* [intervals] */
    size_t intervals, capacity;
    uint64_t start;                 /* cycle at which measurement began */
    uint64_t *before;               /* by code, where the interval at hand began */
    bool lacks_memory;              /* an interval is missing */
};

/* As job->slices: in place of machine_run alone. The last interval is shorter. */
enum err intervals_run(void *intervals, struct job *job, const struct limits *limits,
                       struct diag *diag);
void intervals_free(struct intervals *intervals);

#endif
