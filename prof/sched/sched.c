/* See sched.h. */
#include "prof/sched/sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"

enum state { STATE_READY, STATE_RUNNING, STATE_BLOCKED, STATE_ENDED };

/* The present state of a thread, parallel to sched->thread. */
struct now {
    enum state state;
    unsigned reason;
    uint64_t since;
    uint32_t hart;                  /* on which it runs, or ran last */
    bool will_block, will_end;
    bool has_run;                   /* since records are on */
    bool is_off;                    /* it lived when they were switched off */
    struct course_track *track;     /* NULL: without a course */
};

struct maker {
    struct sched *sched;
    struct now *now;
    uint32_t *on_hart;              /* [harts] tid of its thread; 0: idle */
    uint64_t *hart_since;
    bool *is_known;                 /* [harts] a record has named its thread */
    bool *is_paused;                /* [harts] between KERNEL_PAUSE and KERNEL_RESUME: unknown */
    const struct sched_limits *limits;
    struct course *course;          /* NULL: without a course */
};

static const char *const reason_name[SCHED_REASONS] = {
    "preempted", "lock", "sleep", "io", "child", "signal", "exit",
};

const char *sched_reason_name(enum kernel_reason reason)
{
    return (unsigned)reason < SCHED_REASONS ? reason_name[reason] : "unknown";
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool grow(struct maker *maker)
{
    struct sched *sched = maker->sched;
    size_t room = 2 * sched->room + 16;
    struct sched_thread *thread = realloc(sched->thread, room * sizeof *thread);
    struct now *now;

    if (thread == NULL)
        return false;
    sched->thread = thread;
    now = realloc(maker->now, room * sizeof *now);
    if (now == NULL)
        return false;
    maker->now = now;
    sched->room = room;
    return true;
}

static bool is_before(const void *row, const void *tid)
{
    const struct sched_thread *thread = row;

    return thread->tid < *(const uint32_t *)tid;
}

/* The index of a thread, created at its first record; SIZE_MAX: no memory. */
static size_t place_of(struct maker *maker, uint32_t tid, uint64_t time)
{
    struct sched *sched = maker->sched;
    size_t at = sorted_place(sched->thread, sched->threads, sizeof sched->thread[0], is_before,
                             &tid);

    if (at < sched->threads && sched->thread[at].tid == tid)
        return at;
    if (sched->threads == sched->room && !grow(maker))
        return SIZE_MAX;
    memmove(&sched->thread[at + 1], &sched->thread[at],
            (sched->threads - at) * sizeof sched->thread[0]);
    memmove(&maker->now[at + 1], &maker->now[at], (sched->threads - at) * sizeof maker->now[0]);
    sched->thread[at] = (struct sched_thread){
        .tid = tid, .on_hart = calloc(sched->harts, sizeof sched->thread[at].on_hart[0]),
    };
    maker->now[at] = (struct now){.state = STATE_ENDED, .since = time};
    sched->threads++;
    if (sched->thread[at].on_hart == NULL)
        return SIZE_MAX;
    if (maker->course != NULL)
        maker->now[at].track = course_add_thread(maker->course, tid, time - sched->start);
    return maker->course == NULL || maker->now[at].track != NULL ? at : SIZE_MAX;
}

static enum profile_thread_state course_state(const struct now *now)
{
    switch (now->state) {
    case STATE_RUNNING: return PROFILE_THREAD_RUNNING;
    case STATE_BLOCKED:
        return now->reason != KERNEL_REASON_NONE
                   ? PROFILE_THREAD_LOCK + (now->reason - KERNEL_REASON_LOCK)
                   : PROFILE_THREAD_READY;
    case STATE_READY: return PROFILE_THREAD_READY;
    case STATE_ENDED: break;            /* another thread gets its number */
    }
    return now->is_off ? PROFILE_THREAD_OFF : PROFILE_THREAD_IDLE;
}

/* Harts do not agree about the time to the cycle. */
static uint64_t cycles_between(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static bool add_wait(struct maker *maker, size_t place, uint64_t cycles)
{
    struct sched *sched = maker->sched;
    struct sched_wait *grown = array_grow(sched->wait, sched->waits, sizeof *grown);

    if (grown == NULL)
        return false;
    sched->wait = grown;
    sched->wait[sched->waits++] = (struct sched_wait){sched->thread[place].tid, cycles};
    sched->thread[place].waits++;
    sched->thread[place].waited += cycles;
    return true;
}

/* Adds the time since its last change to the thread's present state. */
static bool change(struct maker *maker, size_t place, enum state state, uint64_t time)
{
    struct sched_thread *thread = &maker->sched->thread[place];
    struct now *now = &maker->now[place];
    uint64_t spent = cycles_between(now->since, time);
    bool fits = true;

    switch (now->state) {
    case STATE_RUNNING:
        thread->running += spent;
        thread->on_hart[now->hart] += spent;
        break;
    case STATE_READY: thread->ready += spent; break;
    case STATE_BLOCKED: thread->blocked[now->reason] += spent; break;
    case STATE_ENDED: break;
    }
    if (now->track != NULL && (now->state != STATE_ENDED || now->track->spans != 0) &&
        (now->state != STATE_ENDED || state != STATE_ENDED || now->is_off))
        course_add(maker->course, now->track, course_state(now), now->hart,
                   cycles_between(maker->sched->start, time));
    else if (now->track != NULL && now->track->spans == 0)
        now->track->begin = now->track->end = cycles_between(maker->sched->start, time);
    if (now->state == STATE_READY && state == STATE_RUNNING)
        fits = add_wait(maker, place, spent);
    now->is_off &= state == STATE_ENDED;
    now->state = state;
    now->since = time;
    return fits;
}

static bool leave_hart(struct maker *maker, size_t place, uint64_t time)
{
    struct now *now = &maker->now[place];
    unsigned reason = now->will_end     ? KERNEL_REASON_EXIT
                      : now->will_block ? now->reason : KERNEL_REASON_NONE;

    maker->sched->thread[place].switches++;
    maker->sched->thread[place].left[reason]++;
    return change(maker, place, now->will_end     ? STATE_ENDED
                                : now->will_block ? STATE_BLOCKED : STATE_READY, time);
}

/* The thread runs on a hart from now on. */
static bool enter_hart(struct maker *maker, size_t place, const struct kernel_record *record)
{
    struct now *now = &maker->now[place];
    bool fits = change(maker, place, STATE_RUNNING, record->cycle);

    maker->sched->thread[place].migrations += now->has_run && now->hart != record->hart;
    now->hart = record->hart;
    now->has_run = true;
    now->will_block = now->will_end = false;
    return fits;
}

/* ---- harts ----------------------------------------------------------------------------------- */

static struct sched_limits limits_of(const struct maker *maker, size_t hart)
{
    return maker->limits != NULL
               ? maker->limits[hart]
               : (struct sched_limits){maker->sched->start, maker->sched->end};
}

static void close_hart(struct maker *maker, size_t hart, uint64_t time)
{
    uint64_t spent = cycles_between(maker->hart_since[hart], time);

    if (spent == 0)
        return;
    if (maker->is_paused[hart])
        maker->sched->hart[hart].paused += spent;
    else if (maker->on_hart[hart] != 0)
        maker->sched->hart[hart].running += spent;
    else
        maker->sched->hart[hart].away += spent;
    if (maker->course != NULL)
        course_add(maker->course, &maker->course->hart[hart],
                   maker->is_paused[hart] ? PROFILE_THREAD_OFF
                   : maker->on_hart[hart] != 0 ? PROFILE_THREAD_RUNNING : PROFILE_THREAD_IDLE,
                   maker->on_hart[hart], time - maker->sched->start);
    maker->hart_since[hart] = time;
}

/* A thread that leaves a hart in the hart's first record ran there from the start. */
static bool begin_hart(struct maker *maker, const struct kernel_record *record)
{
    uint64_t start = limits_of(maker, record->hart).begin;
    size_t place;

    if (maker->is_known[record->hart])
        return true;
    maker->is_known[record->hart] = true;
    maker->on_hart[record->hart] = record->thread;
    if (record->thread == 0)
        return true;
    place = place_of(maker, record->thread, start);
    if (place == SIZE_MAX)
        return false;
    maker->now[place] = (struct now){
        .state = STATE_RUNNING, .since = start, .hart = record->hart, .has_run = true,
        .will_block = maker->now[place].will_block, .will_end = maker->now[place].will_end,
        .reason = maker->now[place].reason, .track = maker->now[place].track,
    };
    return true;
}

/* ---- pauses ---------------------------------------------------------------------------------- */

/* Nothing is known of the thread until the records go on. */
static void lose(struct maker *maker, size_t place, uint64_t time)
{
    struct now *now = &maker->now[place];
    bool lives = now->state != STATE_ENDED;

    change(maker, place, STATE_ENDED, time);
    now->has_run = false;
    now->is_off |= lives;
}

/* Each hart has a record, with its own time for the thread that it runs. */
static bool pause(struct maker *maker, const struct kernel_record *record)
{
    size_t hart = record->hart;

    if (maker->is_paused[hart])
        return true;
    if (!begin_hart(maker, record))
        return false;
    close_hart(maker, hart, record->cycle);
    for (size_t i = 0; i < maker->sched->threads; i++)
        if (maker->now[i].state != STATE_RUNNING || maker->now[i].hart == hart)
            lose(maker, i, record->cycle);
    maker->on_hart[hart] = 0;
    maker->is_paused[hart] = true;
    return true;
}

static bool resume(struct maker *maker, const struct kernel_record *record)
{
    size_t place;

    close_hart(maker, record->hart, record->cycle);
    maker->is_paused[record->hart] = false;
    maker->on_hart[record->hart] = record->thread;
    if (record->thread == 0)
        return true;
    place = place_of(maker, record->thread, record->cycle);
    if (place == SIZE_MAX)
        return false;
    maker->now[place].state = STATE_ENDED;
    return enter_hart(maker, place, record);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool switch_threads(struct maker *maker, const struct kernel_record *record)
{
    size_t place;

    if (!begin_hart(maker, record))
        return false;
    close_hart(maker, record->hart, record->cycle);
    maker->sched->hart[record->hart].switches++;
    maker->on_hart[record->hart] = record->other;
    if (record->thread != 0) {
        place = place_of(maker, record->thread, record->cycle);
        if (place == SIZE_MAX || !leave_hart(maker, place, record->cycle))
            return false;
    }
    if (record->other == 0)
        return true;
    place = place_of(maker, record->other, record->cycle);
    return place != SIZE_MAX && enter_hart(maker, place, record);
}

/* A thread that is neither blocked nor ended keeps its state: one that migrates itself has its wake
 * on the new hart before its switch on the old one. */
static void wake(struct maker *maker, size_t place, uint64_t time)
{
    if (maker->now[place].state == STATE_BLOCKED || maker->now[place].state == STATE_ENDED)
        change(maker, place, STATE_READY, time);
}

static bool step(struct maker *maker, const struct kernel_record *record)
{
    size_t place;

    if (record->event == KERNEL_SWITCH)
        return switch_threads(maker, record);
    if (record->event == KERNEL_RESUME)
        return resume(maker, record);
    if (record->event == KERNEL_PAUSE)
        return pause(maker, record);
    if (record->thread == 0)
        return true;
    place = place_of(maker, record->thread, record->cycle);
    if (place == SIZE_MAX)
        return false;
    switch (record->event) {
    case KERNEL_WAKE: wake(maker, place, record->cycle); break;
    case KERNEL_BLOCK:
        maker->now[place].will_block = true;
        maker->now[place].reason = record->reason < SCHED_REASONS ? record->reason : 0;
        break;
    case KERNEL_EXIT: maker->now[place].will_end = true; break;
    default: break;
    }
    return true;
}

/* ---- the distribution of waits --------------------------------------------------------------- */

struct keyed_wait { struct sched_wait wait; size_t place; };

static int compare_waits(const void *a, const void *b)
{
    const struct keyed_wait *x = a, *y = b;

    if (x->wait.tid != y->wait.tid)
        return x->wait.tid > y->wait.tid ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Orders the waits by thread. */
static void order_waits(struct sched *sched, struct keyed_wait *keyed)
{
    for (size_t i = 0; i < sched->waits; i++)
        keyed[i] = (struct keyed_wait){sched->wait[i], i};
    if (sched->waits != 0)
        qsort(keyed, sched->waits, sizeof *keyed, compare_waits);
    for (size_t i = 0; i < sched->waits; i++)
        sched->wait[i] = keyed[i].wait;
}

static bool spread_waits(struct sched *sched)
{
    struct keyed_wait *keyed = malloc((sched->waits + 1) * sizeof *keyed);
    uint64_t *cycles = malloc((sched->waits + 1) * sizeof *cycles);
    size_t first = 0;
    bool fits = keyed != NULL && cycles != NULL;

    if (fits) {
        order_waits(sched, keyed);
        for (size_t i = 0; i < sched->waits; i++)
            cycles[i] = sched->wait[i].cycles;
        for (size_t i = 0; i < sched->threads; i++) {
            sched->thread[i].wait = spread_of(&cycles[first], sched->thread[i].waits);
            first += sched->thread[i].waits;
        }
        sched->all_waits = spread_of(cycles, sched->waits);
    }
    free(keyed);
    free(cycles);
    return fits;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool open_maker(struct maker *maker)
{
    struct sched *sched = maker->sched;

    sched->hart = calloc(sched->harts, sizeof *sched->hart);
    maker->on_hart = calloc(sched->harts, sizeof *maker->on_hart);
    maker->hart_since = calloc(sched->harts, sizeof *maker->hart_since);
    maker->is_known = calloc(sched->harts, sizeof *maker->is_known);
    maker->is_paused = calloc(sched->harts, sizeof *maker->is_paused);
    for (size_t i = 0; i < sched->harts && maker->hart_since != NULL; i++)
        maker->hart_since[i] = limits_of(maker, i).begin;
    return sched->hart != NULL && maker->on_hart != NULL && maker->hart_since != NULL &&
           maker->is_known != NULL && maker->is_paused != NULL;
}

static void close_maker(struct maker *maker)
{
    free(maker->now);
    free(maker->on_hart);
    free(maker->hart_since);
    free(maker->is_known);
    free(maker->is_paused);
}

static void end_all(struct maker *maker)
{
    struct sched *sched = maker->sched;

    for (size_t i = 0; i < sched->harts; i++) {
        struct sched_limits limits = limits_of(maker, i);
        struct sched_hart *hart = &sched->hart[i];

        close_hart(maker, i, limits.end);
        hart->cycles = cycles_between(limits.begin, limits.end);
        if (hart->paused > sched->paused)
            sched->paused = hart->paused;
    }
    for (size_t i = 0; i < sched->threads; i++)
        change(maker, i, STATE_ENDED, maker->now[i].state == STATE_RUNNING
                                          ? limits_of(maker, maker->now[i].hart).end
                                          : sched->end);
}

enum err sched_make(struct sched *sched, const struct sched_run *run, struct course *course,
                    struct diag *diag)
{
    struct maker maker = {.sched = sched, .course = course, .limits = run->limits};
    bool fits;

    *sched = (struct sched){.harts = run->harts, .start = run->start, .end = run->end};
    fits = open_maker(&maker);
    for (size_t i = 0; i < run->records && fits; i++) {
        struct kernel_record at = run->record[i];
        uint64_t begin;

        if (at.hart >= run->harts)
            continue;
        begin = limits_of(&maker, at.hart).begin;
        at.cycle = at.cycle > begin ? at.cycle : begin;     /* of a hart that is late */
        fits = step(&maker, &at);
    }
    if (fits)
        end_all(&maker);
    close_maker(&maker);
    fits = fits && spread_waits(sched) && (course == NULL || !course->lacks_memory);
    return fits ? ERR_OK : diag_no_memory(diag, "threads");
}

void sched_add_modes(struct sched *sched, size_t hart, uint32_t tid, uint64_t user, uint64_t idle)
{
    size_t at = sorted_place(sched->thread, sched->threads, sizeof sched->thread[0], is_before,
                             &tid);

    sched->hart[hart].user += user;
    sched->hart[hart].idle += idle;
    if (user != 0 && at < sched->threads && sched->thread[at].tid == tid)
        sched->thread[at].user += user;
}

void sched_free(struct sched *sched)
{
    for (size_t i = 0; i < sched->threads; i++)
        free(sched->thread[i].on_hart);
    free(sched->thread);
    free(sched->wait);
    free(sched->hart);
}
