/* Assert timers: counted time, expiry, the background thread; see assert_timer_internal.h. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "assert_timer_internal.h"

#define NS_PER_S UINT64_C(1000000000)
/* The shortest wait before another look at a timer: 1 / PATIENCE of its threshold, and LEAST_NS. */
enum { PATIENCE = 64, LEAST_NS = 2000 };

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now = {0, 0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t expiry_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void expiry_read_clocks(const struct assert_timer *timer, uint64_t now[CLOCKS])
{
    if ((timer->clocks & PROCESS_BIT) != 0)
        now[ASSERT_TIMER_PROCESS] = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    if ((timer->clocks & THREAD_BIT) != 0)
        now[ASSERT_TIMER_THREAD] = read_clock(timer->clock);
}

static uint64_t until(const struct assert_timer *timer, unsigned kind, const uint64_t now[CLOCKS])
{
    return timer->paused_by != NULL ? timer->paused[kind] : now[kind];
}

uint64_t expiry_counted(const struct assert_timer *timer, unsigned kind,
                        const uint64_t now[CLOCKS])
{
    uint64_t all = until(timer, kind, now) - timer->began[kind];

    return all > timer->excluded[kind] ? all - timer->excluded[kind] : 0;
}

/* Processor time of a process passes faster than the clock, by the number of its processors. */
uint64_t expiry_deadline(const struct assert_timer *timer, uint64_t from, uint64_t rest)
{
    if (timer->type == ASSERT_TIMER_PROCESS)
        rest /= timer->timers->processors;
    return rest < NO_TIME - 1 - from ? from + rest : NO_TIME - 1;
}

/* ---- pauses ---------------------------------------------------------------------------------- */

static bool is_counting(const struct assert_timer *timer)
{
    unsigned state = atomic_load(&timer->state);

    return timer->paused_by == NULL && (state == TIMER_ARMED || state == TIMER_CHECKING);
}

static bool end_deferral(struct assert_timer *timer)
{
    bool was_deferred = atomic_exchange(&timer->is_deferred, false);

    if (was_deferred)
        atomic_fetch_sub(&timer->timers->deferred, 1);
    return was_deferred;
}

static void pause_one(struct assert_timer *timer, const void *by, const uint64_t now[CLOCKS])
{
    timer->paused_by = by;
    end_deferral(timer);
    for (unsigned i = 0; i < CLOCKS; i++)
        timer->paused[i] = now[i];
    atomic_store(&timer->deadline, NO_TIME);
}

void expiry_pause(struct assert_timer *timer, const void *by)
{
    uint64_t now[CLOCKS] = {0};

    if (timer != NULL)
        expiry_read_clocks(timer, now);
    for (; timer != NULL; timer = timer->parent)
        if (is_counting(timer))
            pause_one(timer, by, now);
}

static void arm_rest(struct assert_timer *timer, const uint64_t now[CLOCKS], uint64_t least)
{
    uint64_t counted = expiry_counted(timer, timer->type, now);
    uint64_t rest = counted < timer->threshold ? timer->threshold - counted : 0;

    atomic_store(&timer->deadline, expiry_deadline(timer, expiry_monotonic(),
                                                   rest > least ? rest : least));
}

void expiry_resume(struct assert_timer *timer, const void *by)
{
    uint64_t now[CLOCKS] = {0};

    if (timer->paused_by != by)
        return;
    expiry_read_clocks(timer, now);
    for (unsigned i = 0; i < CLOCKS; i++)
        if ((timer->clocks & 1u << i) != 0)
            timer->excluded[i] += now[i] - timer->paused[i];
    timer->paused_by = NULL;
    arm_rest(timer, now, 0);
    pthread_cond_signal(&timer->timers->due);
}

/* ---- an alarm -------------------------------------------------------------------------------- */

/* The timer's time has been reported: its parents do not count that time, and are paused until the
 * timer ends. */
static void tell_parents(struct assert_timer *timer, const uint64_t now[CLOCKS], bool is_late)
{
    for (struct assert_timer *p = timer->parent; p != NULL && p->paused_by == NULL; p = p->parent) {
        for (unsigned i = 0; i < CLOCKS; i++)
            if ((p->clocks & 1u << i) != 0)
                p->excluded[i] += expiry_counted(timer, i, now);
        if (!is_late && is_counting(p))
            pause_one(p, timer, now);
    }
}

static bool is_inside(const struct assert_timer *timer, const struct assert_timer *other)
{
    while (timer != NULL && timer != other)
        timer = timer->parent;
    return timer != NULL;
}

/* The timers inside this one begin anew: the alarm contains their time so far. */
static void tell_children(struct assert_timer *timer, const uint64_t now[CLOCKS])
{
    struct assert_timers *timers = timer->timers;

    for (unsigned k = 0; k < timers->settings.timers; k++) {
        struct assert_timer *child = &timers->timer[k];
        unsigned armed = TIMER_ARMED;

        if (child == timer ||
            !atomic_compare_exchange_strong(&child->state, &armed, TIMER_CHECKING))
            continue;
        if (pthread_equal(child->thread, timer->thread) && is_inside(child, timer)) {
            uint64_t own[CLOCKS] = {now[0], now[1]};

            expiry_read_clocks(child, own);
            for (unsigned i = 0; i < CLOCKS; i++) {
                child->began[i] = until(child, i, own);
                child->excluded[i] = 0;
            }
        }
        atomic_store(&child->state, TIMER_ARMED);
    }
}

static void call_expired(struct assert_timer *timer, const struct assert_timer_report *report)
{
    const struct assert_timers_settings *settings = &timer->timers->settings;

    if (settings->expired != NULL)
        settings->expired(settings->arg, report);
    else
        assert_timer_print(report, stderr);
    if (settings->stops)
        pthread_kill(timer->thread, SIGTRAP);
}

void expiry_handle(struct assert_timer *timer, const uint64_t now[CLOCKS], bool is_late)
{
    struct assert_timers *timers = timer->timers;
    const struct assert_timer_report report = {
        .event = ++timers->counts.expired, .tag = timer->tag, .type = timer->type,
        .threshold_ns = timer->threshold,
        .executed_ns = expiry_counted(timer, timer->type, now),
        .elapsed_ns = expiry_monotonic() - timer->started, .thread = timer->thread,
        .depth = timer->depth, .is_late = is_late,
    };

    end_deferral(timer);
    timers->counts.late += is_late;
    tell_parents(timer, now, is_late);
    if (!is_late)
        tell_children(timer, now);
    atomic_store(&timer->state, TIMER_HANDLING);
    pthread_mutex_unlock(&timers->lock);
    ASSERT_TIMER_AT("handling");
    call_expired(timer, &report);
    pthread_mutex_lock(&timers->lock);
    atomic_store(&timer->state, is_late ? TIMER_ENDING : TIMER_REPORTED);
    pthread_cond_broadcast(&timers->handled);
}

void assert_timer_print(const struct assert_timer_report *report, FILE *out)
{
    fprintf(out, "alarm %llu: %s: executed %.3f ms, limit %.3f ms of its %s, elapsed %.3f ms%s\n",
            (unsigned long long)report->event, report->tag, (double)report->executed_ns / 1e6,
            (double)report->threshold_ns / 1e6,
            report->type == ASSERT_TIMER_THREAD ? "thread" : "process",
            (double)report->elapsed_ns / 1e6, report->is_late ? ", seen at its end" : "");
}

/* ---- inner timers first ---------------------------------------------------------------------- */

/* True if `child` is inside `timer`, was open when `timer` exceeded its threshold (`excess` ago),
 * and can still expire itself. */
static bool may_explain(const struct assert_timer *child, const struct assert_timer *timer,
                        uint64_t excess)
{
    uint64_t now[CLOCKS] = {0};

    if (child->type != timer->type || child->threshold > timer->threshold ||
        child->paused_by != NULL || !pthread_equal(child->thread, timer->thread) ||
        !is_inside(child, timer))
        return false;
    expiry_read_clocks(child, now);
    return expiry_counted(child, timer->type, now) >= excess;
}

static void defer(struct assert_timer *timer, uint64_t deadline)
{
    atomic_store(&timer->deadline, deadline);
    if (!atomic_exchange(&timer->is_deferred, true))
        atomic_fetch_add(&timer->timers->deferred, 1);
}

/* For a timer over its threshold by `excess`: if a timer inside it may explain the excess, defers
 * it until that one's deadline, and returns true. */
static bool is_explained(struct assert_timer *timer, uint64_t excess)
{
    struct assert_timers *timers = timer->timers;
    bool is_found = false;

    for (unsigned k = 0; k < timers->settings.timers && !is_found; k++) {
        struct assert_timer *child = &timers->timer[k];
        unsigned armed = TIMER_ARMED;

        if (child == timer ||
            !atomic_compare_exchange_strong(&child->state, &armed, TIMER_CHECKING))
            continue;
        is_found = may_explain(child, timer, excess);
        if (is_found)
            defer(timer, atomic_load(&child->deadline));
        atomic_store(&child->state, TIMER_ARMED);
    }
    return is_found;
}

void expiry_undefer(struct assert_timer *innermost)
{
    for (struct assert_timer *timer = innermost; timer != NULL; timer = timer->parent) {
        if (!end_deferral(timer) || timer == innermost)
            continue;
        atomic_store(&timer->deadline, expiry_monotonic());
        pthread_cond_signal(&innermost->timers->due);
    }
}

/* ---- the background thread ------------------------------------------------------------------- */

/* Checks a timer whose deadline has passed: reports it, defers it, or sets a new deadline. */
static void check(struct assert_timer *timer)
{
    uint64_t now[CLOCKS] = {0};
    unsigned armed = TIMER_ARMED;

    if (!atomic_compare_exchange_strong(&timer->state, &armed, TIMER_CHECKING))
        return;
    if (timer->paused_by == NULL) {
        uint64_t counted;

        expiry_read_clocks(timer, now);
        counted = expiry_counted(timer, timer->type, now);
        if (counted >= timer->threshold && is_explained(timer, counted - timer->threshold)) {
            atomic_store(&timer->state, TIMER_ARMED);
            return;
        }
        if (counted >= timer->threshold) {
            expiry_handle(timer, now, false);
            return;
        }
        arm_rest(timer, now, timer->threshold / PATIENCE + LEAST_NS);
        timer->timers->counts.rearmed++;
    }
    atomic_store(&timer->state, TIMER_ARMED);
}

/* The largest depth, less than `below`, of a timer that was due at `now`; -1: no timer was.
 * *earliest: the first deadline after `now`. */
static int64_t find_deepest(const struct assert_timers *timers, uint64_t now, int64_t below,
                            uint64_t *earliest)
{
    int64_t deepest = -1;

    *earliest = NO_TIME;
    for (unsigned i = 0; i < timers->settings.timers; i++) {
        const struct assert_timer *timer = &timers->timer[i];
        uint64_t deadline;
        int64_t depth;

        if (atomic_load(&timer->state) != TIMER_ARMED)
            continue;
        deadline = atomic_load(&timer->deadline);
        depth = timer->depth;
        if (deadline > now && deadline < *earliest)
            *earliest = deadline;
        if (deadline <= now && depth > deepest && depth < below)
            deepest = depth;
    }
    return deepest;
}

/* Checks the timers that are due and returns the earliest deadline of the others. Inner timers are
 * checked first: they name the place more exactly, and the time that they report no longer counts
 * for the timers around them. */
static uint64_t look(struct assert_timers *timers)
{
    uint64_t earliest, now = expiry_monotonic();
    int64_t depth = INT64_MAX;

    while ((depth = find_deepest(timers, now, depth, &earliest)) >= 0)
        for (unsigned i = 0; i < timers->settings.timers; i++) {
            struct assert_timer *timer = &timers->timer[i];

            if (timer->depth == depth && atomic_load(&timer->deadline) <= now)
                check(timer);
        }
    return earliest;
}

bool expiry_wake_by(struct assert_timers *timers, uint64_t at)
{
    uint64_t wake_at = atomic_load(&timers->wake_at);

    while (at < wake_at)
        if (atomic_compare_exchange_weak(&timers->wake_at, &wake_at, at))
            return true;
    return false;
}

/* The deadline of a timer stays in wake_at after the timer has ended. So code that begins and ends
 * timers again and again wakes this thread once per threshold, not each time. */
static void wait_until(struct assert_timers *timers, uint64_t least)
{
    uint64_t at;

    atomic_store(&timers->is_waiting, true);
    at = atomic_load(&timers->wake_at);
    if (at >= NO_TIME - 1) {
        pthread_cond_wait(&timers->due, &timers->lock);
    } else {
        const uint64_t until = at > least ? at : least;
        const struct timespec end = {(time_t)(until / NS_PER_S), (long)(until % NS_PER_S)};

        pthread_cond_timedwait(&timers->due, &timers->lock, &end);
    }
    atomic_store(&timers->is_waiting, false);
}

/* One look, and the wait for the next one. The wait is at least as long as the look took, so that
 * other threads get the lock however many timers are due. After an alarm there is no such wait: its
 * report took most of the time, without the lock. */
static void look_and_wait(struct assert_timers *timers)
{
    uint64_t began = expiry_monotonic(), alarms = timers->counts.expired;
    uint64_t asked = atomic_exchange(&timers->wake_at, NO_TIME), next = look(timers);
    uint64_t now = expiry_monotonic();
    bool was_quiet = timers->counts.expired == alarms;

    if (timers->is_closing)
        return;
    expiry_wake_by(timers, asked > now && asked < next ? asked : next);
    wait_until(timers, was_quiet ? now + (now - began) : now);
}

void *expiry_wait(void *arg)
{
    struct assert_timers *timers = arg;
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_mutex_lock(&timers->lock);
    while (!timers->is_closing)
        look_and_wait(timers);
    pthread_mutex_unlock(&timers->lock);
    return NULL;
}
