/* The course of a run, from the intervals that it was divided into. */
#include <stdlib.h>

#include "sim/cli/collect/collect.h"
#include "sim/cli/job/intervals.h"

/* The largest number of intervals; cycles of the first ones. */
enum { MOST = 256, PERIOD = 1000 };

static bool is_followed(unsigned code)
{
    switch (code) {
    case EVENT_INSNS_RETIRED:
    case EVENT_BRANCHES_MISPREDICTED:
    case EVENT_ICACHE_MISS:
    case EVENT_DCACHE_MISS:
    case EVENT_L2_MISS:
    case EVENT_DTLB_MISS: return true;
    default: return event_scope(code) == SCOPE_CPI;
    }
}

bool collect_follow_time(struct job *job)
{
    struct intervals *intervals;

    if (job->options->engine != ENGINE_DETAILED || job->slices != NULL)
        return true;
    intervals = job->over_time = calloc(1, sizeof *intervals);
    if (intervals == NULL)
        return false;
    intervals->most = MOST;
    intervals->period = PERIOD;
    for (unsigned code = EVENT_NONE; event_next(&code) != NULL;)
        if (is_followed(code))
            intervals->event[intervals->events++] = code;
    return true;
}

void collect_forget_time(struct job *job)
{
    if (job->over_time != NULL)
        intervals_free(job->over_time);
    free(job->over_time);
    job->over_time = NULL;
}

bool collect_over_time(struct job *job)
{
    const struct intervals *intervals = job->over_time;
    struct profile *profile = &job->profile;
    struct profile_over_time *over_time = &profile->over_time;

    if (intervals == NULL)
        return true;
    over_time->event = profile_alloc(profile, intervals->events, sizeof over_time->event[0]);
    over_time->interval = profile_alloc(profile, intervals->intervals + 1,
                                        sizeof over_time->interval[0]);
    if (over_time->event == NULL || over_time->interval == NULL)
        return false;
    for (; over_time->events < intervals->events; over_time->events++)
        over_time->event[over_time->events] =
            profile_event_place(profile, event_name(intervals->event[over_time->events]));
    for (; over_time->intervals < intervals->intervals; over_time->intervals++) {
        const struct interval *from = &intervals->interval[over_time->intervals];
        struct profile_interval *to = &over_time->interval[over_time->intervals];

        to->end = from->end;
        to->count = profile_alloc(profile, over_time->events, sizeof to->count[0]);
        for (size_t k = 0; to->count != NULL && k < over_time->events; k++)
            to->count[k] = from->count[k];
        if (to->count == NULL)
            return false;
    }
    return true;
}
