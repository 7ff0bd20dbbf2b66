/* See arbiter.h. */
#include "sim/mem/arbiter.h"

#include "sim/base/cycle.h"

/* What is promised at `now`, seen by a request of one kind. */
struct view {
    uint64_t busy_until;        /* end of the transfer under way */
    uint64_t own_end;           /* of the last waiting promise of its own kind */
    uint64_t last_end;          /* of the last promise */
    unsigned own;               /* of its own kind: under way or waiting */
};

static struct view look(const struct arbiter *arbiter, uint64_t now, bool is_fetch)
{
    struct view view = {.busy_until = now, .own_end = now};
    for (unsigned i = 0; i < ARBITER_PROMISES; i++) {
        const struct promise *promise = &arbiter->promise[i];
        if (promise->end <= now)
            continue;
        view.own += promise->is_fetch == is_fetch;
        view.last_end = later(view.last_end, promise->end);
        if (promise->start <= now)
            view.busy_until = later(view.busy_until, promise->end);
        else if (promise->is_fetch == is_fetch)
            view.own_end = later(view.own_end, promise->end);
    }
    return view;
}

/* The end of the n-th waiting promise of the other kind, or of the last when there are fewer. */
static uint64_t other_end(const struct arbiter *arbiter, uint64_t now, bool is_fetch, unsigned n)
{
    uint64_t after = now, end = now;
    while (n-- != 0) {
        const struct promise *first = 0;
        for (unsigned i = 0; i < ARBITER_PROMISES; i++) {
            const struct promise *promise = &arbiter->promise[i];
            if (promise->is_fetch != is_fetch && promise->start > after &&
                (first == 0 || promise->start < first->start))
                first = promise;
        }
        if (first == 0)
            break;
        after = first->start;
        end = first->end;
    }
    return end;
}

uint64_t arbiter_start(const struct arbiter *arbiter, uint64_t now, bool is_fetch)
{
    bool is_favoured = arbiter->kind == (is_fetch ? ARBITER_FETCH_FIRST : ARBITER_DATA_FIRST);
    if (now >= arbiter->free || (!is_favoured && arbiter->kind != ARBITER_ROUND_ROBIN))
        return later(now, arbiter->free);
    struct view view = look(arbiter, now, is_fetch);
    uint64_t start = later(view.busy_until, view.own_end);
    if (is_favoured)
        return start;
    /* Taking turns: as many of the others go first as of its own kind. */
    start = later(start, other_end(arbiter, now, is_fetch, view.own));
    return start < view.last_end ? start : arbiter->free;
}

void arbiter_take(struct arbiter *arbiter, uint64_t start, uint64_t cycles, bool is_fetch)
{
    if (start >= arbiter->free)
        arbiter->free = start + cycles;
    else
        arbiter->free += cycles;
    arbiter->promise[arbiter->next] = (struct promise){start, start + cycles, is_fetch};
    arbiter->next = (arbiter->next + 1) % ARBITER_PROMISES;
}
