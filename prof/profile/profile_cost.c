/* Sums of the oracle profile: of each thread over harts, of all threads. */
#include "prof/profile/profile_cost.h"

#include <stdlib.h>
#include <string.h>

#include "prof/profile/profile.h"

static int compare_places(const void *a, const void *b)
{
    const struct profile_cost *x = a, *y = b;

    if (x->is_monitor != y->is_monitor)
        return x->is_monitor ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

static int compare_threads(const void *a, const void *b)
{
    const struct profile_cost *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return compare_places(a, b);
}

/* Adds the events of `from`; both lists are ordered by place. False: no memory. */
static bool join_events(struct profile *profile, struct profile_cost *to,
                        const struct profile_cost *from)
{
    struct profile_cost_event *event = profile_alloc(profile, to->events + from->events + 1,
                                                     sizeof *event);
    size_t a = 0, b = 0, count = 0;

    while (event != NULL && (a < to->events || b < from->events)) {
        bool takes_from = a == to->events || (b < from->events &&
                                              from->event[b].event < to->event[a].event);

        event[count] = takes_from ? from->event[b++] : to->event[a++];
        if (!takes_from && b < from->events && from->event[b].event == event[count].event)
            event[count].count += from->event[b++].count;
        count++;
    }
    to->event = event;
    to->events = count;
    return event != NULL;
}

static bool add(struct profile *profile, struct profile_cost *to, const struct profile_cost *from)
{
    to->is_transfer |= from->is_transfer;
    to->count += from->count;
    to->units += from->units;
    to->taken += from->taken;
    to->mispredicted += from->mispredicted;
    to->lost += from->lost;
    return from->events == 0 || join_events(profile, to, from);
}

typedef int comparison(const void *a, const void *b);

/* Sorts, and joins elements that compare as equal. False: no memory. */
static bool join(struct profile *profile, struct profile_cost *cost, size_t *costs,
                 comparison *compare)
{
    size_t kept = 0;
    bool is_good = true;

    if (*costs != 0)
        qsort(cost, *costs, sizeof *cost, compare);
    for (size_t i = 0; i < *costs; i++)
        if (kept == 0 || compare(&cost[kept - 1], &cost[i]) != 0)
            cost[kept++] = cost[i];
        else
            is_good &= add(profile, &cost[kept - 1], &cost[i]);
    *costs = kept;
    return is_good;
}

bool profile_sum_costs(struct profile *profile)
{
    size_t costs = profile->thread_costs;
    bool is_good = join(profile, profile->thread_cost, &profile->thread_costs, compare_threads);

    profile->cost = profile_alloc(profile, costs + 1, sizeof profile->cost[0]);
    if (!is_good || profile->cost == NULL)
        return false;
    profile->costs = costs = profile->thread_costs;
    for (size_t i = 0; i < costs; i++) {
        profile->cost[i] = profile->thread_cost[i];
        profile->cost[i].thread = 0;
    }
    if (costs == 0 || profile->thread_cost[0].thread == profile->thread_cost[costs - 1].thread)
        profile->thread_costs = 0;
    return join(profile, profile->cost, &profile->costs, compare_places);
}

struct profile_cost_sum *profile_thread_sums(const struct profile *profile, size_t *sums)
{
    struct profile_cost_sum *sum;
    size_t count = 0;

    *sums = 0;
    for (size_t i = 0; i < profile->thread_costs; i++)
        count += i == 0 || profile->thread_cost[i - 1].thread != profile->thread_cost[i].thread;
    sum = count != 0 ? calloc(count, sizeof *sum) : NULL;
    for (size_t i = 0; sum != NULL && i < profile->thread_costs; i++) {
        const struct profile_cost *cost = &profile->thread_cost[i];

        if (*sums == 0 || sum[*sums - 1].thread != cost->thread)
            sum[(*sums)++].thread = cost->thread;
        sum[*sums - 1].count += cost->count;
        sum[*sums - 1].units += cost->units;
    }
    return sum;
}
