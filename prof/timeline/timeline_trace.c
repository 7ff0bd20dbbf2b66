/* The walk over a time line, shared by both formats of trace viewers; see timeline_trace.h. */
#include "prof/timeline/timeline_trace.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

enum { HARTS = UINT16_MAX };
#define NOBODY UINT32_MAX

/* The sections a thread is in, innermost last; whether it runs, and where. */
struct thread {
    uint32_t *open;
    size_t opens, room;
    uint16_t hart;
    bool is_running;
    uint64_t now;                   /* picoseconds: the last event on its tracks */
};

struct walk {
    const struct timeline *timeline;
    const struct trace_format *format;
    void *arg;
    struct thread *thread;
    uint32_t *on_hart;              /* [HARTS] thread that runs there */
    uint64_t start;                 /* in the time line's unit */
    uint64_t now;                   /* picoseconds */
    uint64_t unit;                  /* picoseconds in the time line's unit; */
    uint64_t divisor;               /* divisor of the numbers */
    struct diag *diag;
};

/* ---- time ------------------------------------------------------------------------------------ */

/* Times are relative to the start, which is the first event's unless it is known. */
static uint64_t start_of(const struct timeline *timeline)
{
    uint64_t start = timeline->has_limits ? timeline->start : UINT64_MAX;

    for (size_t i = 0; i < timeline->events && !timeline->has_limits; i++)
        if (timeline->event[i].time < start)
            start = timeline->event[i].time;
    return start;
}

static void set_unit(struct walk *walk)
{
    static const struct { const char *name; uint64_t picoseconds; } unit[] = {
        {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000},
    };

    walk->unit = 1000;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (strcmp(walk->timeline->unit, unit[i].name) == 0)
            walk->unit = unit[i].picoseconds;
    walk->start = start_of(walk->timeline);
    walk->divisor = 1;
    for (unsigned i = 0; i < walk->timeline->digits; i++)
        walk->divisor *= 10;
}

static uint64_t picoseconds(const struct walk *walk, uint64_t time)
{
    uint64_t since = time > walk->start ? time - walk->start : 0;

    return since / walk->divisor * walk->unit + since % walk->divisor * walk->unit / walk->divisor;
}

/* ---- tracks ---------------------------------------------------------------------------------- */

/* On the tracks of a thread, time does not go back where it comes to a hart that is late. */
static uint64_t time_of(const struct walk *walk, uint32_t thread)
{
    struct thread *at = &walk->thread[thread];

    if (walk->now > at->now)
        at->now = walk->now;
    return at->now;
}

static void emit(const struct walk *walk, enum trace_phase phase, enum trace_group group,
                 uint32_t number, uint32_t name)
{
    const struct names *names = group == TRACE_THREAD ? &walk->timeline->name
                                                      : &walk->timeline->thread;

    walk->format->event(walk->arg, phase, group, number,
                        group == TRACE_HART ? walk->now : time_of(walk, number),
                        names->text[name]);
}

static enum err enter(struct walk *walk, struct thread *thread, uint32_t number, uint32_t section)
{
    uint32_t *grown = array_grow(thread->open, thread->opens, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(walk->diag, "a trace");
    thread->open = grown;
    thread->open[thread->opens++] = section;
    emit(walk, TRACE_BEGIN, TRACE_THREAD, number, section);
    return ERR_OK;
}

/* Overlapping sections end with the section around them, and begin again. */
static void leave(struct walk *walk, struct thread *thread, uint32_t number, uint32_t section)
{
    size_t at = thread->opens;

    while (at > 0 && thread->open[at - 1] != section)
        at--;
    if (at == 0)
        return;
    for (size_t i = thread->opens; i >= at; i--)
        emit(walk, TRACE_END, TRACE_THREAD, number, thread->open[i - 1]);
    thread->opens--;
    memmove(&thread->open[at - 1], &thread->open[at],
            (thread->opens - (at - 1)) * sizeof thread->open[0]);
    for (size_t i = at - 1; i < thread->opens; i++)
        emit(walk, TRACE_BEGIN, TRACE_THREAD, number, thread->open[i]);
}

static void stop(struct walk *walk, uint32_t number)
{
    struct thread *thread = &walk->thread[number];
    bool has_hart = thread->hart != TIMELINE_NO_HART;

    if (!thread->is_running)
        return;
    emit(walk, TRACE_END, has_hart ? TRACE_HART : TRACE_RUNNING, has_hart ? thread->hart : number,
         number);
    if (has_hart)
        walk->on_hart[thread->hart] = NOBODY;
    thread->is_running = false;
}

/* The hart's thread leaves it, if no record did so. */
static void run(struct walk *walk, uint32_t number, uint16_t hart)
{
    struct thread *thread = &walk->thread[number];

    stop(walk, number);
    if (hart != TIMELINE_NO_HART && walk->on_hart[hart] != NOBODY)
        stop(walk, walk->on_hart[hart]);
    thread->hart = hart;
    thread->is_running = true;
    if (hart != TIMELINE_NO_HART)
        walk->on_hart[hart] = number;
    emit(walk, TRACE_BEGIN, hart != TIMELINE_NO_HART ? TRACE_HART : TRACE_RUNNING,
         hart != TIMELINE_NO_HART ? hart : number, number);
}

static void mark(struct walk *walk, const struct timeline_event *event)
{
    static const char *const name[] = {
#define TIMELINE_KIND(id, name, meaning) name,
#include "prof/timeline/kind.def"
    };

    walk->format->event(walk->arg, TRACE_INSTANT, TRACE_THREAD, event->thread,
                        time_of(walk, event->thread),
                        event->name != TIMELINE_NO_NAME ? walk->timeline->name.text[event->name]
                                                        : name[event->kind]);
}

static enum err step(struct walk *walk, const struct timeline_event *event)
{
    struct thread *thread = &walk->thread[event->thread];

    walk->now = picoseconds(walk, event->time);
    switch (event->kind) {
    case TIMELINE_ENTER: return enter(walk, thread, event->thread, event->name);
    case TIMELINE_LEAVE: leave(walk, thread, event->thread, event->name); break;
    case TIMELINE_SWITCH_IN: run(walk, event->thread, event->hart); break;
    case TIMELINE_SWITCH_OUT: stop(walk, event->thread); break;
    default: mark(walk, event);
    }
    return ERR_OK;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* A thread whose first switch is out, or that has none, runs from the start. */
static void start_threads(struct walk *walk)
{
    size_t threads = walk->timeline->thread.count;
    uint8_t *seen = calloc(threads + 1, 1);

    for (size_t i = 0; seen != NULL && i < walk->timeline->events; i++) {
        const struct timeline_event *event = &walk->timeline->event[i];

        if (event->kind == TIMELINE_SWITCH_OUT && !seen[event->thread])
            run(walk, event->thread, event->hart);
        seen[event->thread] |=
            event->kind == TIMELINE_SWITCH_OUT || event->kind == TIMELINE_SWITCH_IN;
    }
    free(seen);
}

/* Harts do not count in step: a thread that runs stops where its hart does. */
static uint64_t end_of(const struct walk *walk, const struct thread *thread, uint64_t last)
{
    const struct timeline *timeline = walk->timeline;

    if (!timeline->has_limits || timeline->end <= timeline->start)
        return last;
    return picoseconds(walk, thread->is_running && thread->hart < timeline->harts
                                 ? timeline->hart_end[thread->hart] : timeline->end);
}

static void end_threads(struct walk *walk)
{
    uint64_t last = walk->now;

    for (uint32_t i = 0; i < walk->timeline->thread.count; i++) {
        struct thread *thread = &walk->thread[i];

        walk->now = end_of(walk, thread, last);
        for (; thread->opens != 0; thread->opens--)
            emit(walk, TRACE_END, TRACE_THREAD, i, thread->open[thread->opens - 1]);
        stop(walk, i);
        free(thread->open);
    }
}

static void name_tracks(struct walk *walk)
{
    const struct timeline *timeline = walk->timeline;
    uint16_t harts = 0;
    bool has_switches = false;
    char name[32];

    for (size_t i = 0; i < timeline->events; i++) {
        const struct timeline_event *event = &timeline->event[i];

        if (event->hart != TIMELINE_NO_HART && event->hart >= harts)
            harts = (uint16_t)(event->hart + 1);
        has_switches |= event->hart == TIMELINE_NO_HART &&
                        (event->kind == TIMELINE_SWITCH_IN || event->kind == TIMELINE_SWITCH_OUT);
    }
    for (size_t i = 0; i < timeline->idles; i++)
        if (timeline->idle[i].hart >= harts)
            harts = (uint16_t)(timeline->idle[i].hart + 1);
    for (uint32_t i = 0; i < timeline->thread.count; i++)
        walk->format->track(walk->arg, TRACE_THREAD, i, timeline->thread.text[i]);
    for (uint32_t i = 0; i < timeline->thread.count && has_switches; i++)
        walk->format->track(walk->arg, TRACE_RUNNING, i, timeline->thread.text[i]);
    for (uint32_t i = 0; i < harts; i++) {
        snprintf(name, sizeof name, "hart %u", (unsigned)i);
        walk->format->track(walk->arg, TRACE_HART, i, name);
    }
    for (uint32_t i = 0; i < harts && timeline->idles != 0; i++) {
        snprintf(name, sizeof name, "hart %u idle", (unsigned)i);
        walk->format->track(walk->arg, TRACE_IDLE, i, name);
    }
    for (uint32_t i = 0; i < timeline->count_name.count; i++)
        walk->format->track(walk->arg, TRACE_COUNT, i, timeline->count_name.text[i]);
}

static void tell_idle(const struct walk *walk)
{
    for (size_t i = 0; i < walk->timeline->idles; i++) {
        const struct timeline_idle *idle = &walk->timeline->idle[i];

        walk->format->idle(walk->arg, idle->hart, picoseconds(walk, idle->start),
                           picoseconds(walk, idle->end), walk->timeline->name.text[idle->name],
                           idle->cycles);
    }
}

static void tell_counts(const struct walk *walk)
{
    for (size_t i = 0; i < walk->timeline->counts; i++) {
        const struct timeline_count *count = &walk->timeline->count[i];

        walk->format->count(walk->arg, count->name, picoseconds(walk, count->time),
                            walk->timeline->count_name.text[count->name], count->value);
    }
}

enum err timeline_walk(const struct timeline *timeline, const struct trace_format *format,
                       void *arg, struct diag *diag)
{
    struct walk walk = {.timeline = timeline, .format = format, .arg = arg, .diag = diag};
    enum err err = ERR_OK;

    if (timeline->events + timeline->counts + timeline->idles == 0)
        return ERR_OK;
    walk.thread = calloc(timeline->thread.count + 1, sizeof *walk.thread);
    walk.on_hart = malloc(HARTS * sizeof *walk.on_hart);
    if (walk.thread == NULL || walk.on_hart == NULL)
        err = diag_no_memory(diag, "a trace");
    if (err == ERR_OK) {
        memset(walk.on_hart, 0xff, HARTS * sizeof *walk.on_hart);
        set_unit(&walk);
        name_tracks(&walk);
        start_threads(&walk);
        for (size_t i = 0; i < timeline->events && err == ERR_OK; i++)
            err = step(&walk, &timeline->event[i]);
        end_threads(&walk);
        tell_idle(&walk);
        tell_counts(&walk);
    }
    free(walk.thread);
    free(walk.on_hart);
    return err;
}
