/* See timeline.h. */
#include "prof/timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

void timeline_init(struct timeline *timeline)
{
    *timeline = (struct timeline){.unit = "cycles"};
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->event);
    names_free(&timeline->thread);
    names_free(&timeline->name);
    free(timeline->count);
    names_free(&timeline->count_name);
    free(timeline->idle);
    free(timeline->hart_end);
    timeline_init(timeline);
}

enum err timeline_add(struct timeline *timeline, const struct timeline_event *event,
                      struct diag *diag)
{
    struct timeline_event *grown = array_grow(timeline->event, timeline->events, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "a time line");
    timeline->event = grown;
    timeline->event[timeline->events++] = *event;
    return ERR_OK;
}

enum err timeline_add_count(struct timeline *timeline, const char *name, uint64_t time,
                            uint64_t value, struct diag *diag)
{
    struct timeline_count count = {.time = time, .value = value};
    struct timeline_count *grown = array_grow(timeline->count, timeline->counts, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "a time line");
    timeline->count = grown;
    if (names_add(&timeline->count_name, name, &count.name, diag) != ERR_OK)
        return ERR_NO_MEMORY;
    timeline->count[timeline->counts++] = count;
    return ERR_OK;
}

enum err timeline_add_idle(struct timeline *timeline, const struct timeline_idle *idle,
                           const char *name, struct diag *diag)
{
    struct timeline_idle *grown = array_grow(timeline->idle, timeline->idles, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "a time line");
    timeline->idle = grown;
    timeline->idle[timeline->idles] = *idle;
    if (names_add(&timeline->name, name, &timeline->idle[timeline->idles].name, diag) != ERR_OK)
        return ERR_NO_MEMORY;
    timeline->idles++;
    return ERR_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool is_after(const struct timeline_event *event, const struct timeline_event *other)
{
    return event->order != other->order ? event->order > other->order : event->time > other->time;
}

static bool is_sorted(const struct timeline *timeline)
{
    for (size_t i = 1; i < timeline->events; i++)
        if (is_after(&timeline->event[i - 1], &timeline->event[i]))
            return false;
    return true;
}

/* Merges two sorted neighbours of [from, middle) and [middle, end). */
static void merge(const struct timeline_event *in, struct timeline_event *out, size_t from,
                  size_t middle, size_t end)
{
    size_t a = from, b = middle;

    for (size_t i = from; i < end; i++)
        out[i] = b == end || (a < middle && !is_after(&in[a], &in[b])) ? in[a++] : in[b++];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum err timeline_sort(struct timeline *timeline, struct diag *diag)
{
    size_t count = timeline->events;
    struct timeline_event *in = timeline->event, *other, *out;

    if (is_sorted(timeline))
        return ERR_OK;
    out = other = malloc(count * sizeof *out);
    if (out == NULL)
        return diag_no_memory(diag, "sorting");
    for (size_t width = 1; width < count; width *= 2) {
        struct timeline_event *swapped = in;

        for (size_t at = 0; at < count; at += 2 * width)
            merge(in, out, at, least(at + width, count), least(at + 2 * width, count));
        in = out;
        out = swapped;
    }
    if (in == other)
        memcpy(timeline->event, other, count * sizeof *other);
    free(other);
    return ERR_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

uint64_t timeline_overhead(const struct timeline *timeline, const struct timeline_event *event)
{
    return event->has_overhead ? event->overhead : timeline->overhead[event->kind];
}

const char *timeline_text(const struct timeline *timeline, uint64_t time, char text[TIMELINE_TEXT])
{
    uint64_t one = 1;

    for (unsigned i = 0; i < timeline->digits; i++)
        one *= 10;
    if (timeline->digits == 0)
        snprintf(text, TIMELINE_TEXT, "%" PRIu64, time);
    else
        snprintf(text, TIMELINE_TEXT, "%" PRIu64 ".%0*" PRIu64, time / one, (int)timeline->digits,
                 time % one);
    return text;
}
