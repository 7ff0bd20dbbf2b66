/* The pool of assert timers and the states of a timer, for the files of the library.
 *
 *     FREE -> ARMED -> ENDING -> FREE                      the usual course, without a lock
 *     ARMED -> CHECKING -> ARMED                           not yet, or not counting
 *     ARMED -> CHECKING -> HANDLING -> REPORTED -> FREE    an alarm of the background thread
 *     ARMED -> ENDING -> HANDLING -> ENDING -> FREE        a late one, of the timer's own thread
 *
 * Invariants:
 * 1. Only a thread that holds the lock of the pool makes a timer CHECKING, and no timer is CHECKING
 *    when it releases the lock. HANDLING lasts while `expired` is called, without the lock.
 * 2. Once a timer is ARMED, its times (began, excluded, paused) change only under the lock.
 * 3. The timers of a thread are a stack, linked by `parent`. A timer that is CHECKING or HANDLING
 *    does not go away, so neither do those around it.
 * 4. When a timer is paused, all timers around it are paused too. The timer or wait that paused it
 *    resumes it when that ends. */
#ifndef GUEST_LIB_ASSERT_TIMER_INTERNAL_H
#define GUEST_LIB_ASSERT_TIMER_INTERNAL_H

#include <stdatomic.h>
#include <time.h>

#include "rvsim/assert_timer.h"

/* Places at which a test stops a thread; without a test they are empty. */
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
    _Atomic uint64_t deadline;          /* earliest clock time of expiry; NO_TIME: paused */
    _Atomic uint32_t next;              /* next free timer's number + 1; 0: none */
    const char *tag;
    enum assert_timer_type type;
    uint64_t threshold;
    uint64_t started;                   /* clock time */
    pthread_t thread;
    clockid_t clock;                    /* the thread's processor-time clock */
    struct assert_timer *parent;
    _Atomic unsigned depth;
    _Atomic bool is_deferred;           /* over its threshold: waits for a timer inside it */
    /* `clocks`: the kinds of time needed, its own and those of the timers around it. The arrays
     * have an entry for each kind. */
    unsigned clocks;
    uint64_t began[CLOCKS], excluded[CLOCKS], paused[CLOCKS];
    const void *paused_by;              /* timer or wait; NULL: the timer counts */
};

struct assert_timers {
    struct assert_timers_settings settings;
    struct assert_timer *timer;         /* [settings.timers] */
    unsigned processors;
    _Atomic uint64_t free;              /* [31:0] first free timer + 1, [63:32] changes so far */
    _Atomic uint64_t refused, begun;
    _Atomic unsigned deferred;          /* number of deferred timers */
    _Atomic uint64_t wake_at;           /* latest time of the background thread's next look */
    _Atomic bool is_waiting;            /* it waits, and does not look just now */
    pthread_key_t innermost;            /* each thread's innermost timer */
    pthread_t background;
    pthread_mutex_t lock;
    pthread_cond_t due, handled;        /* `due` follows the monotonic clock */
    struct assert_timers_counts counts; /* under the lock, except begun and refused (above) */
    bool is_closing;
};

/* assert_timer_expiry.c. The caller holds the lock, unless said otherwise. */

/* Reads the timer's clocks. */
void expiry_read_clocks(const struct assert_timer *timer, uint64_t now[CLOCKS]);
uint64_t expiry_monotonic(void);
/* The counted time of one kind, up to `now`. */
uint64_t expiry_counted(const struct assert_timer *timer, unsigned kind,
                        const uint64_t now[CLOCKS]);
/* Pauses a timer and those around it on behalf of `by`, and resumes a timer that `by` paused. */
void expiry_pause(struct assert_timer *timer, const void *by);
void expiry_resume(struct assert_timer *timer, const void *by);
/* Ends the deferral of a timer that has ended, and of the timers around it. */
void expiry_undefer(struct assert_timer *innermost);
/* Reports a timer over its threshold: adjusts the timers around it and inside it, then calls
 * `expired` without the lock. */
void expiry_handle(struct assert_timer *timer, const uint64_t now[CLOCKS], bool is_late);
/* The earliest clock time, from `from` on, at which the rest of the threshold can be used up. */
uint64_t expiry_deadline(const struct assert_timer *timer, uint64_t from, uint64_t rest);
/* Makes the background thread look at the timers at `at` at the latest. True: it would have looked
 * later. Needs no lock. */
bool expiry_wake_by(struct assert_timers *timers, uint64_t at);
/* The function of the background thread. */
void *expiry_wait(void *timers);

#endif
