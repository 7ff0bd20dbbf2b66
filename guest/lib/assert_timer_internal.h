/* Shared by the parts of assert timers: the pool, and the states of a timer.
 *
 *     FREE -> ARMED -> ENDING -> FREE                      the usual course, without a lock
 *     ARMED -> CHECKING -> ARMED                           not yet, or not counting
 *     ARMED -> CHECKING -> HANDLING -> REPORTED -> FREE    an alarm of the background thread
 *     ARMED -> ENDING -> HANDLING -> ENDING -> FREE        a late one, of the timer's own thread
 *
 * Invariants:
 * 1. Only a thread with the lock of the pool makes a timer CHECKING, and it leaves none so when it
 *    gives the lock up. HANDLING lasts while `expired` is called, without the lock.
 * 2. Once a timer is ARMED, its times (began, excluded, paused) change only under the lock.
 * 3. The timers of a thread are a stack, linked by `parent`. A timer that is CHECKING or HANDLING
 *    does not go away, so neither do those around it.
 * 4. A paused timer is paused with all around it; the one that paused it unpauses it when it
 *    ends. */
#ifndef GUEST_LIB_ASSERT_TIMER_INTERNAL_H
#define GUEST_LIB_ASSERT_TIMER_INTERNAL_H

#include <stdatomic.h>
#include <time.h>

#include "rvsim/assert_timer.h"

/* A test stops a thread at these places; else they are nothing. */
#ifndef ASSERT_TIMER_AT
#define ASSERT_TIMER_AT(place) ((void)0)
#endif

enum assert_timer_state { TIMER_FREE, TIMER_ARMED, TIMER_CHECKING, TIMER_HANDLING, TIMER_REPORTED,
                          TIMER_ENDING };
enum { CLOCKS = 2, THREAD_BIT = 1 << ASSERT_TIMER_THREAD, PROCESS_BIT = 1 << ASSERT_TIMER_PROCESS };
#define NO_TIME UINT64_MAX

struct assert_timer {
    struct assert_timers *timers;
    _Atomic unsigned state;
    _Atomic uint64_t deadline;          /* of the clock: not expired before; NO_TIME: paused */
    _Atomic uint32_t next;              /* in the list of free ones: its number + 1; 0: none */
    const char *tag;
    enum assert_timer_type type;
    uint64_t threshold;
    uint64_t started;                   /* of the clock */
    pthread_t thread;
    clockid_t clock;                    /* of the thread's processor time */
    struct assert_timer *parent;
    _Atomic unsigned depth;
    _Atomic bool is_deferred;           /* over its threshold: waits for a timer inside it */
    /* Of each kind of time in `clocks`: its own and those of the timers around it. */
    unsigned clocks;
    uint64_t began[CLOCKS], excluded[CLOCKS], paused[CLOCKS];
    const void *paused_by;              /* timer or wait; NULL: it counts */
};

struct assert_timers {
    struct assert_timers_settings settings;
    struct assert_timer *timer;         /* [settings.timers] */
    unsigned processors;
    _Atomic uint64_t free;              /* [31:0] first free timer + 1, [63:32] changes so far */
    _Atomic uint64_t refused, begun;
    _Atomic unsigned deferred;          /* timers that are */
    _Atomic uint64_t wake_at;           /* when the background thread looks next, at the latest */
    _Atomic bool is_waiting;            /* it waits for that, and does not look just now */
    pthread_key_t innermost;            /* of each thread */
    pthread_t background;
    pthread_mutex_t lock;
    pthread_cond_t due, handled;        /* `due` follows the monotonic clock */
    struct assert_timers_counts counts; /* under the lock; begun, refused are above */
    bool is_closing;
};

/* assert_timer_expiry.c; all with the lock held */

/* Now, of the timer's clocks. */
void expiry_read_clocks(const struct assert_timer *timer, uint64_t now[CLOCKS]);
uint64_t expiry_monotonic(void);
/* The time of one kind that counts. */
uint64_t expiry_counted(const struct assert_timer *timer, unsigned kind,
                        const uint64_t now[CLOCKS]);
/* Makes a timer (and those around it) stand still, or go on, for `by`. */
void expiry_pause(struct assert_timer *timer, const void *by);
void expiry_resume(struct assert_timer *timer, const void *by);
/* A timer has ended: those around it that waited for it wait no longer. */
void expiry_undefer(struct assert_timer *innermost);
/* Over its threshold: tells those around it and inside it, then `expired`, without the lock. */
void expiry_handle(struct assert_timer *timer, const uint64_t now[CLOCKS], bool is_late);
/* The first moment at which the rest of the threshold can be over. */
uint64_t expiry_deadline(const struct assert_timer *timer, uint64_t from, uint64_t rest);
/* The background thread looks at the timers by then; true: earlier than it would have. Needs no
 * lock. */
bool expiry_wake_by(struct assert_timers *timers, uint64_t at);
/* The background thread. */
void *expiry_wait(void *timers);

#endif
