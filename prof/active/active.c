/* See active.h. The generator reads the time line once. Each thread has three clocks (time, time
 * swapped out, time in overhead). An entry stores them, and its exit subtracts the stored
 * values. */
#include "prof/active/active.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"

struct clocks { uint64_t time, out, overhead; };

/* An entry that waits for its exit. */
struct open {
    struct clocks at;
    uint32_t section, depth;
    bool is_left;                   /* a section around it has ended, so it no longer counts as
                                     * open */
};

struct thread {
    struct clocks now;
    uint64_t busy_until;            /* end of the overhead of the last recorded event */
    bool is_out, has_switched, is_known;
    struct open *open;
    size_t opens;
};

struct generator {
    const struct timeline *timeline;
    struct active *active;
    struct thread *thread;
    struct diag *diag;
};

/* ---- the clocks of a thread ------------------------------------------------------------------ */

/* Determines whether a thread runs before its first switch: it does if that switches it out, or if
 * there is no switch. */
static void find_first_states(struct generator *generator)
{
    for (size_t i = 0; i < generator->timeline->events; i++) {
        const struct timeline_event *event = &generator->timeline->event[i];
        struct thread *thread = &generator->thread[event->thread];

        if (!thread->has_switched && event->kind == TIMELINE_SWITCH_IN)
            thread->is_out = true;
        thread->has_switched |=
            event->kind == TIMELINE_SWITCH_IN || event->kind == TIMELINE_SWITCH_OUT;
    }
}

/* Advances the thread's clocks to a time. A cycle is swapped out, overhead, or neither. If the
 * thread has moved to a hart with an earlier clock, the end of its pending overhead moves back by
 * the same difference. */
static void advance(struct thread *thread, uint64_t time)
{
    uint64_t from = thread->now.time, end;

    if (!thread->is_known)
        from = time;
    if (time < from)
        thread->busy_until -= thread->busy_until < from - time ? thread->busy_until : from - time;
    end = time < thread->busy_until ? time : thread->busy_until;
    thread->is_known = true;
    if (thread->is_out)
        thread->now.out += time - from;
    else if (end > from)
        thread->now.overhead += end - from;
    thread->now.time = time;
}

static void add_overhead(struct thread *thread, uint64_t time, uint64_t overhead)
{
    uint64_t end;

    if (__builtin_add_overflow(time, overhead, &end))
        end = UINT64_MAX;
    if (end > thread->busy_until)
        thread->busy_until = end;
}

/* ---- entries and exits ----------------------------------------------------------------------- */

static enum err enter(struct generator *generator, struct thread *thread, uint32_t section)
{
    struct open open = {.at = thread->now, .section = section};
    struct open *grown = array_grow(thread->open, thread->opens, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(generator->diag, "activations");
    thread->open = grown;
    for (size_t i = thread->opens; i-- > 0 && open.depth == 0;)
        if (thread->open[i].section == section && !thread->open[i].is_left)
            open.depth = thread->open[i].depth + 1;
    thread->open[thread->opens++] = open;
    return ERR_OK;
}

/* The open entry to which an exit belongs, or -1. */
static long find_open(const struct thread *thread, uint32_t section)
{
    long left = -1;

    for (size_t i = thread->opens; i-- > 0;) {
        if (thread->open[i].section != section)
            continue;
        if (!thread->open[i].is_left)
            return (long)i;
        if (left < 0)
            left = (long)i;
    }
    return left;
}

static enum err add_run(struct generator *generator, const struct active_run *run)
{
    struct active *active = generator->active;
    struct active_run *grown = array_grow(active->run, active->runs, sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(generator->diag, "activations");
    active->run = grown;
    active->run[active->runs++] = *run;
    return ERR_OK;
}

/* The active-time engine. */
static struct active_run run_of(const struct open *open, const struct clocks *end)
{
    struct active_run run = {
        .start = open->at.time, .end = end->time, .section = open->section, .depth = open->depth,
    };

    run.part[ACTIVE_ELAPSED] = end->time - open->at.time;
    run.part[ACTIVE_SWAPPED_OUT] = end->out - open->at.out;
    if ((int64_t)run.part[ACTIVE_SWAPPED_OUT] < 0) {    /* the harts do not agree about the time */
        run.part[ACTIVE_ELAPSED] -= run.part[ACTIVE_SWAPPED_OUT];
        run.part[ACTIVE_SWAPPED_OUT] = 0;
    }
    run.part[ACTIVE_OVERHEAD] = end->overhead - open->at.overhead;
    run.part[ACTIVE_ACTIVE] = run.part[ACTIVE_ELAPSED] - run.part[ACTIVE_SWAPPED_OUT] -
                              run.part[ACTIVE_OVERHEAD];
    return run;
}

static enum err add_incomplete(struct generator *generator, uint32_t thread, uint32_t section)
{
    struct active_run run = {.thread = thread, .section = section, .is_incomplete = true};

    return add_run(generator, &run);
}

static enum err leave(struct generator *generator, const struct timeline_event *event)
{
    struct thread *thread = &generator->thread[event->thread];
    long at = find_open(thread, event->name);
    struct active_run run;

    if (at < 0)
        return add_incomplete(generator, event->thread, event->name);
    run = run_of(&thread->open[at], &thread->now);
    run.thread = event->thread;
    thread->opens--;
    memmove(&thread->open[at], &thread->open[at + 1],
            (thread->opens - (size_t)at) * sizeof thread->open[0]);
    for (size_t i = (size_t)at; i < thread->opens; i++)
        thread->open[i].is_left = true;
    return add_run(generator, &run);
}

/* ---- the time line --------------------------------------------------------------------------- */

static enum err step(struct generator *generator, const struct timeline_event *event)
{
    struct thread *thread = &generator->thread[event->thread];
    enum err err = ERR_OK;

    advance(thread, event->time);
    switch (event->kind) {
    case TIMELINE_ENTER: err = enter(generator, thread, event->name); break;
    case TIMELINE_LEAVE: err = leave(generator, event); break;
    case TIMELINE_SWITCH_OUT: thread->is_out = true; break;
    case TIMELINE_SWITCH_IN: thread->is_out = false; break;
    default: break;
    }
    add_overhead(thread, event->time, timeline_overhead(generator->timeline, event));
    return err;
}

static enum err close_threads(struct generator *generator, enum err err)
{
    for (size_t i = 0; i < generator->active->threads; i++) {
        struct thread *thread = &generator->thread[i];

        for (size_t j = 0; j < thread->opens && err == ERR_OK; j++)
            err = add_incomplete(generator, (uint32_t)i, thread->open[j].section);
        free(thread->open);
    }
    free(generator->thread);
    return err;
}

/* Orders the runs by section; runs of one section keep their order. */
static enum err sort_runs(struct active *active, struct diag *diag)
{
    struct active_run *sorted = malloc((active->runs + 1) * sizeof *sorted);
    size_t *first = active->first;

    if (sorted == NULL)
        return diag_no_memory(diag, "activations");
    for (size_t i = 0; i < active->runs; i++)
        first[active->run[i].section + 1]++;
    for (size_t i = 0; i < active->sections; i++)
        first[i + 1] += first[i];
    for (size_t i = active->runs; i-- > 0;)
        sorted[--first[active->run[i].section + 1]] = active->run[i];
    for (size_t i = 0; i < active->sections; i++)
        first[i] = first[i + 1];
    first[active->sections] = active->runs;
    free(active->run);
    active->run = sorted;
    return ERR_OK;
}

enum err active_make(struct active *active, const struct timeline *timeline, struct diag *diag)
{
    struct generator generator = {.timeline = timeline, .active = active, .diag = diag};
    enum err err = ERR_OK;

    *active = (struct active){.threads = timeline->thread.count, .sections = timeline->name.count};
    active->first = calloc(active->sections + 2, sizeof *active->first);
    generator.thread = calloc(active->threads + 1, sizeof *generator.thread);
    if (active->first == NULL || generator.thread == NULL) {
        free(generator.thread);
        return diag_no_memory(diag, "threads");
    }
    find_first_states(&generator);
    for (size_t i = 0; i < timeline->events && err == ERR_OK; i++)
        err = step(&generator, &timeline->event[i]);
    err = close_threads(&generator, err);
    return err == ERR_OK ? sort_runs(active, diag) : err;
}

void active_free(struct active *active)
{
    free(active->run);
    free(active->first);
    *active = (struct active){.runs = 0};
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_to(struct active_sum *sum, const struct active_run *run)
{
    sum->incomplete += run->is_incomplete;
    sum->inner += run->depth != 0;
    if (run->is_incomplete || run->depth != 0)
        return;
    sum->activations++;
    for (unsigned part = 0; part < ACTIVE_PARTS; part++)
        sum->total[part] += run->part[part];
}

void active_sum(const struct active *active, uint32_t section, struct active_sum *sum,
                struct active_sum *all)
{
    *all = (struct active_sum){.activations = 0};
    if (sum != NULL)
        memset(sum, 0, active->threads * sizeof *sum);
    for (size_t i = active->first[section]; i < active->first[section + 1]; i++) {
        add_to(all, &active->run[i]);
        if (sum != NULL)
            add_to(&sum[active->run[i].thread], &active->run[i]);
    }
}

enum err active_spread(const struct active *active, uint32_t section, enum active_part part,
                       struct spread *spread, struct diag *diag)
{
    size_t first = active->first[section], end = active->first[section + 1], count = 0;
    uint64_t *value = malloc((end - first + 1) * sizeof *value);

    if (value == NULL)
        return diag_no_memory(diag, "a distribution");
    for (size_t i = first; i < end; i++)
        if (active->run[i].depth == 0 && !active->run[i].is_incomplete)
            value[count++] = active->run[i].part[part];
    *spread = spread_of(value, count);
    free(value);
    return ERR_OK;
}

const char *active_part_name(enum active_part part)
{
    static const char *const name[] = {"elapsed", "swapped out", "overhead", "active"};

    return name[part];
}
