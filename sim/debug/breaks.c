/* See breaks.h. The addresses of breakpoints are kept in order, for the engines. */
#include "sim/debug/breaks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_break(const struct breaking *point)
{
    return point->kind == BREAK_SOFTWARE || point->kind == BREAK_HARDWARE;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort(struct breaks *breaks)
{
    breaks->pcs = 0;
    breaks->has_watch = false;
    for (size_t i = 0; i < breaks->count; i++)
        if (is_break(&breaks->point[i]))
            breaks->pc[breaks->pcs++] = breaks->point[i].address;
        else
            breaks->has_watch = true;
    if (breaks->pcs != 0)
        qsort(breaks->pc, breaks->pcs, sizeof breaks->pc[0], compare);
}

static bool is_same(const struct breaking *a, const struct breaking *b)
{
    return a->kind == b->kind && a->address == b->address && (is_break(a) || a->bytes == b->bytes);
}

bool breaks_add(struct breaks *breaks, const struct breaking *point)
{
    for (size_t i = 0; i < breaks->count; i++)
        if (is_same(&breaks->point[i], point))
            return true;
    if (breaks->count == BREAKS_MAX)
        return false;
    breaks->point[breaks->count++] = *point;
    sort(breaks);
    return true;
}

void breaks_remove(struct breaks *breaks, const struct breaking *point)
{
    for (size_t i = 0; i < breaks->count; i++)
        if (is_same(&breaks->point[i], point)) {
            breaks->point[i] = breaks->point[--breaks->count];
            sort(breaks);
            return;
        }
}

void breaks_drop(struct breaks *breaks)
{
    breaks->count = breaks->pcs = 0;
    breaks->has_watch = false;
}

void breaks_apply(const struct breaks *breaks, struct pauses *pauses)
{
    pauses->pc = breaks->pc;
    pauses->pcs = breaks->pcs;
    pauses->filter = 0;
    for (size_t i = 0; i < breaks->pcs; i++)
        pauses->filter |= pause_bit(breaks->pc[i]);
}

const struct breaking *breaks_find(const struct breaks *breaks, uint64_t pc)
{
    for (size_t i = 0; i < breaks->count; i++)
        if (is_break(&breaks->point[i]) && breaks->point[i].address == pc)
            return &breaks->point[i];
    return NULL;
}

void breaks_why(const struct breaking *point, char text[BREAKS_WHY])
{
    static const char *const name[BREAK_KINDS] = {
        [BREAK_SOFTWARE] = "swbreak", [BREAK_HARDWARE] = "hwbreak", [BREAK_WRITE] = "watch",
        [BREAK_READ] = "rwatch", [BREAK_ACCESS] = "awatch",
    };

    if (is_break(point))
        snprintf(text, BREAKS_WHY, "%s:;", name[point->kind]);
    else
        snprintf(text, BREAKS_WHY, "%s:%" PRIx64 ";", name[point->kind], point->address);
}
