/* Assert timers: code that should be done within a time names itself when it is not, just then.
 *
 *     struct assert_timers *timers = assert_timers_open(&settings);
 *     void load(void)
 *     {
 *         ASSERT_TIMER(timers, "load", ASSERT_TIMER_THREAD, 200 * ASSERT_TIMER_MS);
 *         ...
 *     }
 *
 * Only time really executed counts: the processor time of the thread or of the process, without
 * waits for the user (ASSERT_TIMER_WAIT) and without time that another alarm has reported. Of
 * timers around one another the inner one is asked first: an outer one that is over its threshold
 * waits until a timer inside it of the same type that began before, with no larger threshold, ends
 * or expires.
 *
 * One thread in the background waits for the timers of a pool; a pool has a fixed number of them,
 * and code that gets none is not watched. Compile guest/lib/assert_timer*.c with the program, with
 * -pthread; it is for Linux on any processor, in C and C++. After fork only the parent has the
 * background thread; in the child the ends of timers find what has expired. */
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

/* An alarm. Valid during the call of `expired`; the tag is the program's. */
struct assert_timer_report {
    uint64_t event;             /* 1, 2, ... in the order of the alarms of a pool */
    const char *tag;
    enum assert_timer_type type;
    uint64_t threshold_ns;
    uint64_t executed_ns;       /* that counted, at least the threshold */
    uint64_t elapsed_ns;        /* of the clock, since the timer began */
    pthread_t thread;           /* that began the timer; it waits in the timer's end, if it gets
                                   there, until `expired` has returned */
    unsigned depth;             /* timers around this one in its thread */
    bool is_late;               /* found at the timer's end, in its own thread, because the
                                   background thread had no chance before */
};

struct assert_timers_settings {
    unsigned timers;            /* in the pool, up to ASSERT_TIMERS_MAX; 0: 64 */
    /* Called once for each timer that expires, one call at a time but for late ones. It may use
     * timers, and may take its time. NULL: assert_timer_print to stderr. */
    void (*expired)(void *arg, const struct assert_timer_report *report);
    /* The threshold for a tag in place of the program's; called when a timer begins. NULL: none. */
    uint64_t (*threshold)(void *arg, const char *tag, uint64_t threshold_ns);
    void *arg;
    bool stops;                 /* for developers: after `expired` the thread gets SIGTRAP, which
                                   stops it in a debugger and kills it without one */
};
enum { ASSERT_TIMERS_MAX = 1 << 16 };

struct assert_timers;           /* a pool and its background thread */
struct assert_timer;

/* NULL: errno says why (EINVAL, ENOMEM, or as pthread_create). */
struct assert_timers *assert_timers_open(const struct assert_timers_settings *settings);
/* Every timer has ended. NULL is allowed. */
void assert_timers_close(struct assert_timers *timers);

/* Since the pool was opened. begun + refused: all calls of assert_timer_begin. */
struct assert_timers_counts {
    uint64_t begun, refused;    /* refused: the pool was empty */
    uint64_t expired, late;     /* alarms, with the late ones; late ones alone */
    uint64_t rearmed;           /* expired by the clock, but not by the time executed */
};
void assert_timers_count(struct assert_timers *timers, struct assert_timers_counts *counts);

/* The constructor. Takes a timer from the pool and starts it; NULL: there is none. The tag is
 * unique, and lives as long as the timer. */
struct assert_timer *assert_timer_begin(struct assert_timers *timers, const char *tag,
                                        enum assert_timer_type type, uint64_t threshold_ns);
/* The destructor, in the same thread; NULL is allowed. A timer that is over its threshold and was
 * not reported is reported now. Timers that are open when a thread ends, end with it. */
void assert_timer_end(struct assert_timer *timer);

/* The thread waits for its user: until _end no timer that this thread has begun before counts. */
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

/* A timer from here to the end of the block, however that is left: also by return, break, and in
 * C++ by an exception; not by longjmp. */
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
