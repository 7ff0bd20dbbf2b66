/* See course.h. */
#include "prof/sched/course.h"

#include <stdlib.h>

#include "prof/sched/sched.h"
#include "sim/base/array.h"

enum { GRAINS_FIRST = 1 << 16 };        /* the run up to now is divided by this for the first
                                         * grain */

enum err course_init(struct course *course, size_t harts, struct diag *diag)
{
    *course = (struct course){.harts = harts, .due = 4 * (size_t)COURSE_SPANS};
    course->hart = calloc(harts + 1, sizeof course->hart[0]);
    for (size_t i = 0; course->hart != NULL && i < harts; i++)
        course->hart[i].number = (uint32_t)i;
    return course->hart != NULL ? ERR_OK : diag_no_memory(diag, "threads");
}

void course_free(struct course *course)
{
    for (size_t i = 0; course->hart != NULL && i < course->harts; i++)
        free(course->hart[i].span);
    for (size_t i = 0; i < course->threads; i++) {
        free(course->thread[i]->span);
        free(course->thread[i]);
    }
    free(course->hart);
    free(course->thread);
}

struct course_track *course_add_thread(struct course *course, uint32_t number, uint64_t begin)
{
    struct course_track **grown =
        array_grow(course->thread, course->threads, sizeof(struct course_track *));
    struct course_track *track;

    if (grown == NULL)
        return NULL;
    course->thread = grown;
    track = calloc(1, sizeof *track);
    if (track == NULL)
        return NULL;
    track->number = number;
    track->begin = track->end = begin;
    course->thread[course->threads++] = track;
    return track;
}

/* ---- merging --------------------------------------------------------------------------------- */

static uint64_t length_of(const struct profile_span *span)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < PROFILE_THREAD_STATES; i++)
        cycles += span->cycles[i];
    return cycles;
}

static void join(struct profile_span *span, const struct profile_span *next)
{
    span->end = next->end;
    span->changes += next->changes;
    for (unsigned i = 0; i < PROFILE_THREAD_STATES; i++)
        span->cycles[i] += next->cycles[i];
}

/* A span shorter than the grain joins the preceding span, if that is shorter too. */
static void merge_track(struct course_track *track, uint64_t grain)
{
    size_t kept = 0;

    for (size_t i = 0; i < track->spans; i++) {
        struct profile_span *last = kept != 0 ? &track->span[kept - 1] : NULL;

        if (last != NULL && length_of(last) < grain && length_of(&track->span[i]) < grain)
            join(last, &track->span[i]);
        else
            track->span[kept++] = track->span[i];
    }
    track->spans = kept;
}

static void merge(struct course *course)
{
    course->spans = 0;
    for (size_t i = 0; i < course->harts; i++) {
        merge_track(&course->hart[i], course->grain);
        course->spans += course->hart[i].spans;
    }
    for (size_t i = 0; i < course->threads; i++) {
        merge_track(course->thread[i], course->grain);
        course->spans += course->thread[i]->spans;
    }
}

/* Merges until there are at most `most` spans, or every track is one span. First tries the present
 * grain, which may suffice for the spans added since the last time. */
static void merge_down(struct course *course, size_t most, uint64_t cycles)
{
    if (course->grain != 0 && course->spans > most)
        merge(course);
    while (course->spans > most && course->grain <= cycles) {
        course->grain = course->grain != 0 ? course->grain + course->grain / 4 + 1
                                           : cycles / GRAINS_FIRST + 1;
        merge(course);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

static struct profile_span *new_span(struct course *course, struct course_track *track)
{
    struct profile_span *grown = array_grow(track->span, track->spans, sizeof *grown);

    course->lacks_memory |= grown == NULL;
    if (grown == NULL)
        return NULL;
    track->span = grown;
    course->spans++;
    return &track->span[track->spans++];
}

void course_add(struct course *course, struct course_track *track, enum profile_thread_state state,
                uint32_t who, uint64_t end)
{
    struct profile_span *last = track->spans != 0 ? &track->span[track->spans - 1] : NULL;
    uint64_t begin = track->end;

    if (end <= begin)
        return;
    track->end = end;
    if (last == NULL || last->changes != 1 || last->cycles[state] == 0 || last->who != who) {
        last = new_span(course, track);
        if (last == NULL)
            return;
        *last = (struct profile_span){.changes = 1, .who = who};
    }
    last->cycles[state] += end - begin;
    last->end = end;
    if (course->spans < course->due)
        return;
    merge_down(course, COURSE_SPANS, end);
    course->due = 2 * course->spans + 4 * (size_t)COURSE_SPANS;
}

/* ---- into a profile -------------------------------------------------------------------------- */

static bool keep_track(struct profile *profile, struct profile_track *to,
                       const struct course_track *from)
{
    to->number = from->number;
    to->begin = from->begin;
    to->span = profile_alloc(profile, from->spans + 1, sizeof to->span[0]);
    for (size_t i = 0; to->span != NULL && i < from->spans; i++) {
        to->span[to->spans++] = from->span[i];
        for (unsigned k = 0; k < PROFILE_THREAD_STATES; k++)
            to->cycles[k] += from->span[i].cycles[k];
    }
    return to->span != NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    struct course_track *const *x = a, *const *y = b;

    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

static int compare_running(const void *a, const void *b)
{
    const struct sched_thread *const *x = a, *const *y = b;

    if ((*x)->running != (*y)->running)
        return (*x)->running > (*y)->running ? -1 : 1;
    return ((*x)->tid > (*y)->tid) - ((*x)->tid < (*y)->tid);
}

static void drop_track(struct course *course, size_t at)
{
    course->spans -= course->thread[at]->spans;
    free(course->thread[at]->span);
    free(course->thread[at]);
    course->thread[at] = NULL;
}

/* If there are more threads than COURSE_THREADS, keeps those that ran longest. Tracks and rows of
 * sched are both ordered by number. */
static bool drop_least(struct course *course, const struct sched *sched)
{
    const struct sched_thread **order = malloc((course->threads + 1) * sizeof *order);
    size_t kept = 0;

    if (order == NULL)
        return false;
    for (size_t i = 0; i < course->threads; i++)
        order[i] = &sched->thread[i];
    qsort(order, course->threads, sizeof *order, compare_running);
    for (size_t i = COURSE_THREADS; i < course->threads; i++)
        drop_track(course, (size_t)(order[i] - sched->thread));
    free(order);
    for (size_t i = 0; i < course->threads; i++)
        if (course->thread[i] != NULL)
            course->thread[kept++] = course->thread[i];
    course->threads = kept;
    return true;
}

static void add_sums(struct profile_track *track, const struct sched *sched)
{
    size_t at = 0;

    while (sched->thread[at].tid != track->number)
        at++;
    track->switches = sched->thread[at].switches;
    track->preempted = sched->thread[at].left[KERNEL_REASON_NONE];
    track->migrations = sched->thread[at].migrations;
    track->waits = sched->thread[at].waits;
    track->waited = sched->thread[at].waited;
    track->longest_wait = sched->thread[at].wait.max;
}

static bool keep_tracks(struct course *course, const struct sched *sched, struct profile *profile,
                        struct profile_threads *threads)
{
    bool fits = true;

    threads->hart = profile_alloc(profile, course->harts + 1, sizeof threads->hart[0]);
    threads->thread = profile_alloc(profile, course->threads + 1, sizeof threads->thread[0]);
    if (threads->hart == NULL || threads->thread == NULL)
        return false;
    for (size_t i = 0; fits && i < course->harts; i++) {
        struct profile_track *track = &threads->hart[threads->harts++];

        fits = keep_track(profile, track, &course->hart[i]);
        track->switches = sched->hart[i].switches;
    }
    for (size_t i = 0; fits && i < course->threads; i++) {
        struct profile_track *track = &threads->thread[threads->threads++];

        fits = keep_track(profile, track, course->thread[i]);
        add_sums(track, sched);
    }
    return fits;
}

enum err course_keep(struct course *course, const struct sched *sched, struct profile *profile,
                     struct diag *diag)
{
    struct profile_threads *threads = profile_alloc(profile, 1, sizeof *threads);
    size_t all = course->threads;

    if (threads == NULL)
        return diag_no_memory(diag, "threads");
    qsort(course->thread, course->threads, sizeof(struct course_track *), compare_numbers);
    if (course->threads > COURSE_THREADS && !drop_least(course, sched))
        return diag_no_memory(diag, "threads");
    threads->cycles = sched->end - sched->start;
    threads->left_out = all - course->threads;
    merge_down(course, COURSE_SPANS, threads->cycles);
    threads->grain = course->grain;
    profile->threads = threads;
    return keep_tracks(course, sched, profile, threads) ? ERR_OK : diag_no_memory(diag, "threads");
}
