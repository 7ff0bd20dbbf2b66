/* Assert timers: code that should end within a time limit is reported as soon as it exceeds it.
 *
 *     struct assert_timers *timers = assert_timers_open(&settings);
 *     void load(void)
 *     {
 *         ASSERT_TIMER(timers, "load", ASSERT_TIMER_THREAD, 200 * ASSERT_TIMER_MS);
 *         ...
 *     }
 *
 * Only executed time counts: the processor time of the thread or of the process, without waits
 * for the user (ASSERT_TIMER_WAIT) and without time that another alarm has reported. The innermost
 * of nested timers is reported first: when an outer timer exceeds its threshold while an inner one
 * of the same type is open that began before that moment and has no larger threshold, the outer
 * timer is not reported until the inner one ends or expires.
 *
 * A background thread waits for the timers of a pool. A pool has a fixed number of timers; code
 * that gets none is not watched. Compile guest/lib/assert_timer*.c with the program, with
 * -pthread. They work under Linux on any processor, in C and C++. After fork only the parent has
 * the background thread; in the child, expired timers are reported when they end. */
#ifndef RVSIM_ASSERT_TIMER_H
#define RVSIM_ASSERT_TIMER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSERT_TIMER_US UINT64_C(1000)          /* thresholds are in nanoseconds */
#define ASSERT_TIMER_MS UINT64_C(1000000)
#define ASSERT_TIMER_S  UINT64_C(1000000000)

/* The time that counts: of the calling thread, or of all threads of the process. */
enum assert_timer_type { ASSERT_TIMER_THREAD, ASSERT_TIMER_PROCESS };

/* An alarm, valid during the call of `expired`. The tag is the text that the program gave. */
struct assert_timer_report {
    uint64_t event;             /* 1, 2, ... in the order of the alarms of a pool */
    const char *tag;
    enum assert_timer_type type;
    uint64_t threshold_ns;
    uint64_t executed_ns;       /* counted time, at least the threshold */
    uint64_t elapsed_ns;        /* clock time since the timer began */
    pthread_t thread;           /* the thread that began the timer; if it reaches the timer's end,
                                   it waits there until `expired` has returned */
    unsigned depth;             /* number of open timers around this one in its thread */
    bool is_late;               /* found by the timer's own thread at the timer's end, before the
                                   background thread could look */
};

struct assert_timers_settings {
    unsigned timers;            /* in the pool, up to ASSERT_TIMERS_MAX; 0: 64 */
    /* Called once for each timer that expires; only calls for late alarms may overlap others. It
     * may use timers, and may run long. NULL: assert_timer_print to stderr. */
    void (*expired)(void *arg, const struct assert_timer_report *report);
    /* Replaces the threshold that the program gave; called when a timer begins. NULL: none. */
    uint64_t (*threshold)(void *arg, const char *tag, uint64_t threshold_ns);
    void *arg;
    bool stops;                 /* for developers: after `expired` the thread gets SIGTRAP, which
                                   stops it in a debugger and kills the process without one */
};
enum { ASSERT_TIMERS_MAX = 1 << 16 };

struct assert_timers;           /* a pool and its background thread */
struct assert_timer;

/* NULL: errno says why (EINVAL, ENOMEM, or an error of pthread_create). */
struct assert_timers *assert_timers_open(const struct assert_timers_settings *settings);
/* Call only after every timer has ended. NULL is allowed. */
void assert_timers_close(struct assert_timers *timers);

/* Counts since the pool was opened. begun + refused = calls of assert_timer_begin. */
struct assert_timers_counts {
    uint64_t begun, refused;    /* refused: the pool had no free timer */
    uint64_t expired, late;     /* all alarms, including late ones; late ones alone */
    uint64_t rearmed;           /* over the threshold in clock time, but not in executed time */
};
void assert_timers_count(struct assert_timers *timers, struct assert_timers_counts *counts);

/* The constructor. Takes a timer from the pool and starts it; NULL: none is free. The tag must be
 * unique, and must live as long as the timer. */
struct assert_timer *assert_timer_begin(struct assert_timers *timers, const char *tag,
                                        enum assert_timer_type type, uint64_t threshold_ns);
/* The destructor, to be called in the same thread; NULL is allowed. A timer over its threshold that
 * was not reported is reported now. Timers that are open when a thread ends, end with it. */
void assert_timer_end(struct assert_timer *timer);

/* The thread waits for its user: no timer that it has begun before counts time until _end. */
struct assert_timer_wait { struct assert_timers *timers; };
void assert_timer_wait_begin(struct assert_timers *timers, struct assert_timer_wait *wait);
void assert_timer_wait_end(struct assert_timer_wait *wait);

/* One line: "alarm 1: load: executed 201.3 ms, limit 200.0 ms of its thread, elapsed 250.1 ms". */
void assert_timer_print(const struct assert_timer_report *report, FILE *out);

/* ---- scopes ---------------------------------------------------------------------------------- */

static inline void assert_timer_end_scope_(struct assert_timer **timer)
{
    assert_timer_end(*timer);
}

#define ASSERT_TIMER_JOIN__(a, b) a##b
#define ASSERT_TIMER_JOIN_(a, b) ASSERT_TIMER_JOIN__(a, b)

/* A timer from here to the end of the block. It also ends when the block is left by return, break,
 * or, in C++, an exception; not by longjmp. */
#define ASSERT_TIMER(timers, tag, type, threshold_ns) \
    struct assert_timer *ASSERT_TIMER_JOIN_(assert_timer_, __LINE__) \
        __attribute__((cleanup(assert_timer_end_scope_), unused)) = \
            assert_timer_begin(timers, tag, type, threshold_ns)

/* The rest of the block waits for the user. */
#define ASSERT_TIMER_WAIT(timers) \
    struct assert_timer_wait ASSERT_TIMER_JOIN_(assert_timer_wait_, __LINE__) \
        __attribute__((cleanup(assert_timer_wait_end), unused)); \
    assert_timer_wait_begin(timers, &ASSERT_TIMER_JOIN_(assert_timer_wait_, __LINE__))

#ifdef __cplusplus
}
#endif

#endif
