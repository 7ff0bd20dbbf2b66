/* See arbiter.h. */
#include "sim/mem/dram/arbiter.h"

#include <stddef.h>

#include "sim/base/cycle.h"

/* Promises that a request at `now` can still reorder: those that have not begun by then, and the
 * new one. */
struct plan {
    uint64_t time;              /* cycle from which the resource is free */
    bool was_fetch;             /* the request served last before that is a fetch */
    unsigned count;
    struct promise *waiting[ARBITER_PROMISES + 1];
};

static struct plan make_plan(struct promise *promise, struct promise *newcomer)
{
    struct plan plan = {.time = newcomer->asked};
    uint64_t last = 0;
    for (unsigned i = 0; i < ARBITER_PROMISES; i++) {
        if (promise[i].end <= newcomer->asked)
            continue;
        if (promise[i].start >= newcomer->asked) {
            plan.waiting[plan.count++] = &promise[i];
            continue;
        }
        plan.time = later(plan.time, promise[i].end);
        if (promise[i].start >= last) {
            last = promise[i].start;
            plan.was_fetch = promise[i].is_fetch;
        }
    }
    plan.waiting[plan.count++] = newcomer;
    return plan;
}

/* True if `one` is served before `other`, when both have arrived. */
static bool goes_before(const struct arbiter *arbiter, const struct plan *plan,
                        const struct promise *one, const struct promise *other)
{
    if (one->is_fetch == other->is_fetch)
        return one->asked != other->asked ? one->asked < other->asked
                                          : (int32_t)(one->number - other->number) < 0;
    if (arbiter->kind == ARBITER_ROUND_ROBIN)
        return one->is_fetch != plan->was_fetch;
    return one->is_fetch == (arbiter->kind == ARBITER_FETCH_FIRST);
}

/* The index of the request served next. */
static unsigned find_next(const struct arbiter *arbiter, struct plan *plan)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < plan->count; i++)
        first = earlier(first, plan->waiting[i]->asked);
    plan->time = later(plan->time, first);
    unsigned next = plan->count;
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->waiting[i]->asked <= plan->time &&
            (next == plan->count ||
             goes_before(arbiter, plan, plan->waiting[i], plan->waiting[next])))
            next = i;
    return next;
}

/* Assigns the turns: afterwards `start` and `end` of all waiting promises are right. */
static void serve(const struct arbiter *arbiter, struct plan *plan)
{
    while (plan->count != 0) {
        unsigned next = find_next(arbiter, plan);
        struct promise *served = plan->waiting[next];
        uint64_t cycles = served->end - served->start;
        served->start = plan->time;
        served->end = plan->time = plan->time + cycles;
        plan->was_fetch = served->is_fetch;
        plan->waiting[next] = plan->waiting[--plan->count];
    }
}

uint64_t arbiter_start(const struct arbiter *arbiter, uint64_t now, bool is_fetch)
{
    if (now >= arbiter->free || arbiter->kind == ARBITER_FCFS)
        return later(now, arbiter->free);
    struct arbiter copy = *arbiter;
    struct promise newcomer = {.asked = now, .number = arbiter->next, .is_fetch = is_fetch};
    struct plan plan = make_plan(copy.promise, &newcomer);
    serve(arbiter, &plan);
    return newcomer.start;
}

static void note_moves(struct arbiter *arbiter, const struct promise *was)
{
    for (unsigned i = 0; i < ARBITER_PROMISES; i++) {
        struct promise *promise = &arbiter->promise[i];
        uint64_t cycles = promise->start - was[i].start;
        arbiter->free = later(arbiter->free, promise->end);
        if (cycles == 0 || !promise->is_told)
            continue;
        arbiter->moved[arbiter->moves++] = (struct promise_move){
            .pa = promise->pa, .from = promise->arrival, .to = promise->arrival + cycles,
        };
        promise->arrival += cycles;
    }
}

struct promise *arbiter_take(struct arbiter *arbiter, uint64_t now, uint64_t start,
                             uint64_t cycles, bool is_fetch)
{
    struct promise newcomer = {
        .asked = now, .start = start, .end = start + cycles, .number = arbiter->next,
        .is_fetch = is_fetch,
    };
    arbiter->moves = 0;
    if (now < arbiter->free && arbiter->kind != ARBITER_FCFS) {
        struct arbiter was = *arbiter;
        struct plan plan = make_plan(arbiter->promise, &newcomer);
        serve(arbiter, &plan);
        note_moves(arbiter, was.promise);
    }
    arbiter->free = later(arbiter->free, newcomer.end);
    if (arbiter->kind == ARBITER_FCFS)
        return NULL;
    struct promise *place = &arbiter->promise[arbiter->next++ % ARBITER_PROMISES];
    *place = newcomer;
    return place;
}
