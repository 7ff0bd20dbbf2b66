/* The course of a run: counts of some events by intervals. */
#ifndef PROF_PROFILE_PROFILE_OVER_TIME_H
#define PROF_PROFILE_PROFILE_OVER_TIME_H

#include <stddef.h>
#include <stdint.h>

struct profile_interval {
    uint64_t end;                   /* cycles since measurement began; they rise */
    uint64_t *count;                /* [events] of all harts, since the last interval */
};

struct profile_over_time {
    size_t *event;                  /* [events] places in profile->event_name */
    size_t events;
    struct profile_interval *interval;  /* [intervals] in their order */
    size_t intervals;               /* 0: not recorded */
};

#endif
