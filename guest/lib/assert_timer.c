/* Assert timers: the pool, the constructor and the destructor; see rvsim/assert_timer.h.
 *
 * Neither takes a lock while nothing expires: timers come from a lock-free list, and a timer's
 * state publishes it. The constructor wakes the background thread only when that would look too
 * late otherwise. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "assert_timer_internal.h"

enum { TIMERS_DEFAULT = 64 };

/* ---- the pool -------------------------------------------------------------------------------- */

/* Each change of the list counts up the upper half of its head, so that a list that was emptied and
 * filled again in between does not compare equal (the ABA problem). */
static struct assert_timer *take(struct assert_timers *timers)
{
    uint64_t head = atomic_load_explicit(&timers->free, memory_order_acquire), rest;
    struct assert_timer *timer;

    do {
        if ((uint32_t)head == 0)
            return NULL;
        timer = &timers->timer[(uint32_t)head - 1];
        rest = ((head >> 32) + 1) << 32 |
               atomic_load_explicit(&timer->next, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&timers->free, &head, rest,
                                                    memory_order_acquire, memory_order_acquire));
    return timer;
}

static void give_back(struct assert_timer *timer)
{
    struct assert_timers *timers = timer->timers;
    uint64_t head = atomic_load_explicit(&timers->free, memory_order_relaxed), all;

    atomic_store_explicit(&timer->state, TIMER_FREE, memory_order_relaxed);
    do {
        atomic_store_explicit(&timer->next, (uint32_t)head, memory_order_relaxed);
        all = ((head >> 32) + 1) << 32 | (uint32_t)(timer - timers->timer + 1);
    } while (!atomic_compare_exchange_weak_explicit(&timers->free, &head, all,
                                                    memory_order_release, memory_order_relaxed));
}

/* Ends the open timers of a thread that has ended. */
static void end_all(void *innermost)
{
    struct assert_timer *timer = innermost, *parent;

    for (; timer != NULL; timer = parent) {
        parent = timer->parent;
        assert_timer_end(timer);
    }
}

static int start_thread(struct assert_timers *timers)
{
    pthread_condattr_t attributes;
    int error;

    pthread_mutex_init(&timers->lock, NULL);
    pthread_cond_init(&timers->handled, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&timers->due, &attributes);
    pthread_condattr_destroy(&attributes);
    error = pthread_key_create(&timers->innermost, end_all);
    if (error != 0)
        return error;
    error = pthread_create(&timers->background, NULL, expiry_wait, timers);
    if (error != 0)
        pthread_key_delete(timers->innermost);
    return error;
}

static void free_pool(struct assert_timers *timers)
{
    pthread_cond_destroy(&timers->due);
    pthread_cond_destroy(&timers->handled);
    pthread_mutex_destroy(&timers->lock);
    free(timers->timer);
    free(timers);
}

struct assert_timers *assert_timers_open(const struct assert_timers_settings *settings)
{
    struct assert_timers *timers = calloc(1, sizeof *timers);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (timers == NULL)
        return NULL;
    timers->settings = *settings;
    if (settings->timers == 0)
        timers->settings.timers = TIMERS_DEFAULT;
    timers->processors = processors > 0 ? (unsigned)processors : 1;
    timers->wake_at = NO_TIME;
    timers->timer = calloc(timers->settings.timers, sizeof timers->timer[0]);
    errno = timers->settings.timers > ASSERT_TIMERS_MAX ? EINVAL
            : timers->timer == NULL ? ENOMEM : start_thread(timers);
    if (errno != 0) {
        int error = errno;

        free_pool(timers);
        errno = error;
        return NULL;
    }
    for (unsigned i = timers->settings.timers; i-- > 0;) {
        timers->timer[i].timers = timers;
        give_back(&timers->timer[i]);
    }
    return timers;
}

void assert_timers_close(struct assert_timers *timers)
{
    if (timers == NULL)
        return;
    pthread_mutex_lock(&timers->lock);
    timers->is_closing = true;
    pthread_cond_signal(&timers->due);
    pthread_mutex_unlock(&timers->lock);
    pthread_join(timers->background, NULL);
    pthread_key_delete(timers->innermost);
    free_pool(timers);
}

void assert_timers_count(struct assert_timers *timers, struct assert_timers_counts *counts)
{
    pthread_mutex_lock(&timers->lock);
    *counts = timers->counts;
    pthread_mutex_unlock(&timers->lock);
    counts->begun = atomic_load_explicit(&timers->begun, memory_order_relaxed);
    counts->refused = atomic_load_explicit(&timers->refused, memory_order_relaxed);
}

/* ---- the constructor ------------------------------------------------------------------------- */

/* The background thread clears wake_at before it looks at the timers, and a timer is published
 * before wake_at is set here, so at least one of the two sees the other. A background thread that
 * looks just now is not signalled: it reads wake_at afterwards. */
static void wake_background(struct assert_timers *timers, uint64_t deadline)
{
    if (!expiry_wake_by(timers, deadline) || !atomic_load(&timers->is_waiting))
        return;
    pthread_mutex_lock(&timers->lock);
    pthread_cond_signal(&timers->due);
    pthread_mutex_unlock(&timers->lock);
}

static void set_up(struct assert_timer *timer, const char *tag, enum assert_timer_type type)
{
    struct assert_timer *parent = pthread_getspecific(timer->timers->innermost);

    timer->tag = tag;
    timer->type = type;
    timer->thread = pthread_self();
    pthread_getcpuclockid(timer->thread, &timer->clock);
    timer->parent = parent;
    atomic_store_explicit(&timer->depth, parent != NULL ? parent->depth + 1 : 0,
                          memory_order_relaxed);
    atomic_store_explicit(&timer->is_deferred, false, memory_order_relaxed);
    timer->clocks = 1u << type | (parent != NULL ? parent->clocks : 0);
    timer->paused_by = NULL;
    for (unsigned i = 0; i < CLOCKS; i++)
        timer->excluded[i] = 0;
    pthread_setspecific(timer->timers->innermost, timer);
}

struct assert_timer *assert_timer_begin(struct assert_timers *timers, const char *tag,
                                        enum assert_timer_type type, uint64_t threshold_ns)
{
    const struct assert_timers_settings *settings = &timers->settings;
    struct assert_timer *timer = take(timers);
    uint64_t deadline;

    if (timer == NULL) {
        atomic_fetch_add_explicit(&timers->refused, 1, memory_order_relaxed);
        return NULL;
    }
    atomic_fetch_add_explicit(&timers->begun, 1, memory_order_relaxed);
    set_up(timer, tag, type);
    timer->threshold = settings->threshold != NULL
                           ? settings->threshold(settings->arg, tag, threshold_ns) : threshold_ns;
    timer->started = expiry_monotonic();
    deadline = expiry_deadline(timer, timer->started, timer->threshold);
    atomic_store_explicit(&timer->deadline, deadline, memory_order_relaxed);
    ASSERT_TIMER_AT("constructing");
    expiry_read_clocks(timer, timer->began);
    atomic_store(&timer->state, TIMER_ARMED);
    ASSERT_TIMER_AT("armed");
    wake_background(timers, deadline);
    return timer;
}

/* ---- the destructor -------------------------------------------------------------------------- */

/* Removes the timer from its thread's stack of timers: from the top, unless timers end out of
 * order. */
static void unlink_timer(struct assert_timer *timer)
{
    struct assert_timers *timers = timer->timers;
    struct assert_timer *at = pthread_getspecific(timers->innermost);

    if (at == timer) {
        pthread_setspecific(timers->innermost, timer->parent);
        return;
    }
    pthread_mutex_lock(&timers->lock);
    while (at != NULL && at->parent != timer)
        at = at->parent;
    if (at != NULL)
        at->parent = timer->parent;
    pthread_mutex_unlock(&timers->lock);
}

/* Ends a timer that is over its threshold, at least in clock time, or that the background thread
 * is checking or handling. */
static void end_slowly(struct assert_timer *timer)
{
    struct assert_timers *timers = timer->timers;
    uint64_t now[CLOCKS];

    pthread_mutex_lock(&timers->lock);
    while (atomic_load(&timer->state) == TIMER_HANDLING)
        pthread_cond_wait(&timers->handled, &timers->lock);
    if (atomic_load(&timer->state) == TIMER_REPORTED) {
        for (struct assert_timer *p = timer->parent; p != NULL; p = p->parent)
            expiry_resume(p, timer);
    } else {
        atomic_store(&timer->state, TIMER_ENDING);
        expiry_read_clocks(timer, now);
        if (expiry_counted(timer, timer->type, now) >= timer->threshold)
            expiry_handle(timer, now, true);
        else if (expiry_monotonic() >= atomic_load(&timer->deadline))
            timers->counts.rearmed++;
    }
    pthread_mutex_unlock(&timers->lock);
}

/* Ends the deferral of the timer itself and of those around it. */
static void undefer(struct assert_timer *timer)
{
    pthread_mutex_lock(&timer->timers->lock);
    expiry_undefer(timer);
    pthread_mutex_unlock(&timer->timers->lock);
}

void assert_timer_end(struct assert_timer *timer)
{
    unsigned armed = TIMER_ARMED;
    bool is_usual;

    if (timer == NULL)
        return;
    assert(pthread_equal(timer->thread, pthread_self()));
    ASSERT_TIMER_AT("destructing");
    is_usual = atomic_compare_exchange_strong(&timer->state, &armed, TIMER_ENDING);
    ASSERT_TIMER_AT("ending");
    if (!is_usual || expiry_monotonic() >= atomic_load(&timer->deadline))
        end_slowly(timer);
    unlink_timer(timer);
    if (atomic_load(&timer->timers->deferred) != 0)
        undefer(timer);
    give_back(timer);
}

/* ---- waits ----------------------------------------------------------------------------------- */

void assert_timer_wait_begin(struct assert_timers *timers, struct assert_timer_wait *wait)
{
    wait->timers = timers;
    pthread_mutex_lock(&timers->lock);
    expiry_pause(pthread_getspecific(timers->innermost), wait);
    pthread_mutex_unlock(&timers->lock);
}

void assert_timer_wait_end(struct assert_timer_wait *wait)
{
    struct assert_timer *timer = pthread_getspecific(wait->timers->innermost);

    pthread_mutex_lock(&wait->timers->lock);
    for (; timer != NULL; timer = timer->parent)
        expiry_resume(timer, wait);
    pthread_mutex_unlock(&wait->timers->lock);
}
