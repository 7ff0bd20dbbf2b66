/* See intervals.h. */
#include "sim/cli/job/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/cli/job/regions.h"

/* All events, then those of user mode. */
enum { VALUES = 2 * EVENT_COUNT };

static bool sum_events(const struct machine *machine, uint64_t sum[VALUES])
{
    uint64_t *hart = regions_snapshot(machine);

    memset(sum, 0, VALUES * sizeof sum[0]);
    for (unsigned i = 0; hart != NULL && i < machine->harts * EVENT_COUNT; i++) {
        sum[i % EVENT_COUNT] += hart[i];
        sum[EVENT_COUNT + i % EVENT_COUNT] += regions_user_events(hart, machine->harts, 0)[i];
    }
    free(hart);
    return hart != NULL;
}

static struct interval *new_interval(struct intervals *intervals)
{
    struct interval *grown = array_grow(intervals->interval, intervals->intervals, sizeof *grown);

    if (grown == NULL)
        return NULL;
    intervals->interval = grown;
    grown = &intervals->interval[intervals->intervals];
    grown->count = calloc(2 * intervals->events + 1, sizeof grown->count[0]);
    if (grown->count == NULL)
        return NULL;
    intervals->intervals++;
    return grown;
}

/* Joins each two intervals into one. */
static void join_pairs(struct intervals *intervals)
{
    struct interval *interval = intervals->interval;

    for (size_t i = 0; i < intervals->intervals / 2; i++) {
        struct interval *first = &interval[2 * i], *second = &interval[2 * i + 1];

        for (unsigned k = 0; k < 2 * intervals->events; k++)
            first->count[k] += second->count[k];
        free(second->count);
        interval[i] = (struct interval){second->end, first->count};
    }
    intervals->intervals /= 2;
    intervals->period *= 2;
}

static bool end_interval(struct intervals *intervals, const struct machine *machine)
{
    uint64_t now[VALUES];
    struct interval *interval = sum_events(machine, now) ? new_interval(intervals) : NULL;

    if (interval == NULL)
        return false;
    interval->end = machine_cycles(machine) - intervals->start;
    for (unsigned i = 0; i < 2 * intervals->events; i++) {
        unsigned code = intervals->event[i % intervals->events] +
                        (i < intervals->events ? 0 : EVENT_COUNT);

        interval->count[i] = now[code] - intervals->before[code];
    }
    memcpy(intervals->before, now, sizeof now);
    if (intervals->intervals == intervals->most)
        join_pairs(intervals);
    return true;
}

static void on_interval(void *arg, struct machine *machine)
{
    struct intervals *intervals = arg;
    uint64_t passed = machine_cycles(machine) - intervals->start;

    intervals->lacks_memory |= !end_interval(intervals, machine);
    machine->next_interval = intervals->start +
                             (passed / intervals->period + 1) * intervals->period;
}

enum err intervals_run(void *arg, struct job *job, const struct limits *limits, struct diag *diag)
{
    struct intervals *intervals = arg;
    struct machine *machine = &job->machine;

    intervals->start = machine_cycles(machine);
    intervals->before = calloc(VALUES, sizeof intervals->before[0]);
    if (intervals->before == NULL || !sum_events(machine, intervals->before))
        return diag_no_memory(diag, "intervals");
    machine->interval = on_interval;
    machine->interval_arg = intervals;
    machine->next_interval = intervals->start + intervals->period;
    machine_run(machine, limits);
    machine->interval = NULL;
    if (intervals->intervals == 0 ||
        intervals->interval[intervals->intervals - 1].end <
            machine_cycles(machine) - intervals->start)
        intervals->lacks_memory |= !end_interval(intervals, machine);
    return intervals->lacks_memory ? diag_no_memory(diag, "intervals") : ERR_OK;
}

void intervals_free(struct intervals *intervals)
{
    for (size_t i = 0; i < intervals->intervals; i++)
        free(intervals->interval[i].count);
    free(intervals->interval);
    free(intervals->before);
    *intervals = (struct intervals){.events = 0};
}
