/* See sched.h. */
#include "prof/sched/sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sorted.h"

enum state { STATE_READY, STATE_RUNNING, STATE_BLOCKED, STATE_ENDED };

/* The present state of a thread, parallel to sched->thread. */
struct now {
    enum state state;
    unsigned reason;
    uint64_t since;
    uint32_t hart;                  /* while it runs */
    bool will_block, will_end;
    struct course_track *track;     /* NULL: without a course */
};

struct maker {
    struct sched *sched;
    struct now *now;
    uint32_t *on_hart;              /* [harts] tid of its thread; 0: idle */
    uint64_t *hart_since;
    bool *is_known;                 /* [harts] a record has named its thread */
    bool is_paused;                 /* between KERNEL_PAUSE and KERNEL_RESUME: no time counts */
    uint64_t paused_at;
    struct course *course;          /* NULL: without a course */
    struct diag *diag;
};

static const char *const reason_name[SCHED_REASONS] = {
    "preempted", "lock", "sleep", "io", "child", "signal", "exit",
};

const char *sched_reason_name(enum kernel_reason reason)
{
    return (unsigned)reason < SCHED_REASONS ? reason_name[reason] : "unknown";
}

/* ---- order ----------------------------------------------------------------------------------- */

struct keyed { struct kernel_record record; size_t place; };

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->record.cycle != y->record.cycle)
        return x->record.cycle > y->record.cycle ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

enum err sched_sort(struct kernel_record *record, size_t records, struct diag *diag)
{
    struct keyed *keyed = malloc((records + 1) * sizeof *keyed);

    if (keyed == NULL)
        return diag_no_memory(diag, "records");
    for (size_t i = 0; i < records; i++)
        keyed[i] = (struct keyed){record[i], i};
    qsort(keyed, records, sizeof *keyed, compare);
    for (size_t i = 0; i < records; i++)
        record[i] = keyed[i].record;
    free(keyed);
    return ERR_OK;
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
    sched->thread[at] = (struct sched_thread){.tid = tid};
    maker->now[at] = (struct now){.state = STATE_READY, .since = time};
    sched->threads++;
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
    return PROFILE_THREAD_IDLE;
}

/* Adds the time since its last change to the thread's present state. */
static void change(struct maker *maker, size_t place, enum state state, uint64_t time)
{
    struct sched_thread *thread = &maker->sched->thread[place];
    struct now *now = &maker->now[place];
    uint64_t spent = time - now->since;

    switch (now->state) {
    case STATE_RUNNING: thread->running += spent; break;
    case STATE_READY: thread->ready += spent; break;
    case STATE_BLOCKED: thread->blocked[now->reason] += spent; break;
    case STATE_ENDED: break;
    }
    if (now->track != NULL && (now->state != STATE_ENDED || state != STATE_ENDED))
        course_add(maker->course, now->track, course_state(now), now->hart,
                   time - maker->sched->start);
    if (now->state == STATE_READY && state == STATE_RUNNING) {
        thread->waits++;
        if (spent > thread->longest_wait)
            thread->longest_wait = spent;
    }
    now->state = state;
    now->since = time;
}

static void leave_hart(struct maker *maker, size_t place, uint64_t time)
{
    struct now *now = &maker->now[place];
    bool is_ready = !now->will_end && !now->will_block;

    maker->sched->thread[place].switches++;
    maker->sched->thread[place].preempted += is_ready;
    change(maker, place, now->will_end ? STATE_ENDED : is_ready ? STATE_READY : STATE_BLOCKED,
           time);
    now->will_block = false;
}

/* ---- harts ----------------------------------------------------------------------------------- */

static void close_hart(struct maker *maker, size_t hart, uint64_t time)
{
    uint64_t spent = time - maker->hart_since[hart];

    if (maker->is_paused)
        spent = 0;
    if (maker->on_hart[hart] != 0)
        maker->sched->hart[hart].running += spent;
    else
        maker->sched->hart[hart].idle += spent;
    if (maker->course != NULL)
        course_add(maker->course, &maker->course->hart[hart],
                   maker->on_hart[hart] != 0 ? PROFILE_THREAD_RUNNING : PROFILE_THREAD_IDLE,
                   maker->on_hart[hart], time - maker->sched->start);
    maker->hart_since[hart] = time;
}

/* A thread that leaves a hart in the hart's first record ran there from the start. */
static bool begin_hart(struct maker *maker, const struct kernel_record *record)
{
    uint64_t start = maker->sched->start;
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
    maker->now[place].state = STATE_RUNNING;
    maker->now[place].since = start;
    maker->now[place].hart = record->hart;
    return true;
}

/* ---- pauses ---------------------------------------------------------------------------------- */

/* Nothing is known of any thread until the records go on. */
static void pause(struct maker *maker, uint64_t time)
{
    if (maker->is_paused)
        return;                         /* by the record of another hart */
    for (size_t i = 0; i < maker->sched->harts; i++) {
        close_hart(maker, i, time);
        maker->on_hart[i] = 0;
        maker->is_known[i] = true;
    }
    for (size_t i = 0; i < maker->sched->threads; i++) {
        change(maker, i, STATE_ENDED, time);
        maker->now[i].will_block = maker->now[i].will_end = false;
    }
    maker->is_paused = true;
    maker->paused_at = time;
}

static void end_pause(struct maker *maker, uint64_t time)
{
    if (!maker->is_paused)
        return;
    for (size_t i = 0; i < maker->sched->harts; i++)
        close_hart(maker, i, time);
    maker->is_paused = false;
    maker->sched->paused += time - maker->paused_at;
}

static bool resume(struct maker *maker, const struct kernel_record *record)
{
    size_t place;

    end_pause(maker, record->cycle);
    close_hart(maker, record->hart, record->cycle);
    maker->on_hart[record->hart] = record->thread;
    if (record->thread == 0)
        return true;
    place = place_of(maker, record->thread, record->cycle);
    if (place == SIZE_MAX)
        return false;
    maker->now[place].state = STATE_ENDED;
    change(maker, place, STATE_RUNNING, record->cycle);
    maker->now[place].hart = record->hart;
    return true;
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
        if (place == SIZE_MAX)
            return false;
        leave_hart(maker, place, record->cycle);
    }
    if (record->other == 0)
        return true;
    place = place_of(maker, record->other, record->cycle);
    if (place == SIZE_MAX)
        return false;
    change(maker, place, STATE_RUNNING, record->cycle);
    maker->now[place].hart = record->hart;
    return true;
}

static void wake(struct maker *maker, size_t place, uint64_t time)
{
    struct now *now = &maker->now[place];

    now->will_block = false;
    if (now->state == STATE_BLOCKED || now->state == STATE_ENDED)
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
        pause(maker, record->cycle);
    if (record->thread == 0 || record->event == KERNEL_PAUSE)
        return true;
    place = place_of(maker, record->thread, record->cycle);
    if (place == SIZE_MAX)
        return false;
    switch (record->event) {
    case KERNEL_WAKE: wake(maker, place, record->cycle); break;
    case KERNEL_MIGRATE: maker->sched->thread[place].migrations++; break;
    case KERNEL_BLOCK:
        maker->now[place].will_block = true;
        maker->now[place].reason = record->reason < SCHED_REASONS ? record->reason : 0;
        break;
    case KERNEL_EXIT: maker->now[place].will_end = true; break;
    default: break;
    }
    return true;
}

enum err sched_make(struct sched *sched, const struct kernel_record *record, size_t records,
                    size_t harts, uint64_t start, uint64_t end, struct course *course,
                    struct diag *diag)
{
    struct maker maker = {.sched = sched, .course = course, .diag = diag};
    bool fits;

    *sched = (struct sched){.harts = harts, .start = start, .end = end};
    sched->hart = calloc(harts, sizeof *sched->hart);
    maker.on_hart = calloc(harts, sizeof *maker.on_hart);
    maker.hart_since = calloc(harts, sizeof *maker.hart_since);
    maker.is_known = calloc(harts, sizeof *maker.is_known);
    fits = sched->hart != NULL && maker.on_hart != NULL && maker.hart_since != NULL &&
           maker.is_known != NULL;
    for (size_t i = 0; i < harts && fits; i++)
        maker.hart_since[i] = start;
    for (size_t i = 0; i < records && fits; i++) {
        struct kernel_record at = record[i];

        at.cycle = at.cycle > start ? at.cycle : start;     /* of a hart that is late */
        fits = at.hart >= harts || step(&maker, &at);
    }
    if (fits)
        end_pause(&maker, end);
    for (size_t i = 0; i < harts && fits; i++)
        close_hart(&maker, i, end);
    for (size_t i = 0; i < sched->threads && fits; i++)
        change(&maker, i, STATE_ENDED, end);
    free(maker.now);
    free(maker.on_hart);
    free(maker.hart_since);
    free(maker.is_known);
    fits &= course == NULL || !course->lacks_memory;
    return fits ? ERR_OK : diag_no_memory(diag, "threads");
}

void sched_add_user(struct sched *sched, size_t hart, uint32_t tid, uint64_t cycles)
{
    sched->has_user = true;
    sched->hart[hart].user += cycles;
    for (size_t i = 0; i < sched->threads && cycles != 0; i++)
        if (sched->thread[i].tid == tid)
            sched->thread[i].user += cycles;
}

void sched_free(struct sched *sched)
{
    free(sched->thread);
    free(sched->hart);
}
