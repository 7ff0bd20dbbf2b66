/* Alarms of assert timers go to a collection service (rvsim serve), and its control file says which
 * and how much:
 *
 *     struct assert_timer_service_settings to = {.address = "http://127.0.0.1:8700",
 *                                                .program = "editor", .version = "2.0"};
 *     struct assert_timer_service *service = assert_timer_service_open(&to);
 *     struct assert_timers_settings settings = {.expired = assert_timer_service_expired,
 *                                               .threshold = assert_timer_service_threshold,
 *                                               .arg = service};
 *     struct assert_timers *timers = assert_timers_open(&settings);
 *     ...
 *     assert_timers_close(timers);
 *     assert_timer_service_close(service, 1000);
 *
 * A thread of its own sends reports and fetches the control file, at the start and periodically.
 * The program never waits for it: an alarm is put into a queue with a fixed number of places, and
 * dropped when all are taken. An alarm that cannot be sent is tried a few times, then dropped.
 *
 * A report has the tag, the times, the stack of the thread that hangs as names of functions, the
 * kind of processor and the number of processors. It has no path, host or user. HTTP alone is
 * spoken: use it on the machine itself, or through a tunnel. In the simulator the service is the
 * address of --connect. */
#ifndef RVSIM_ASSERT_TIMER_SERVICE_H
#define RVSIM_ASSERT_TIMER_SERVICE_H

#include "rvsim/assert_timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NONE: the tag is not watched. LIGHT: the stack of the thread that hangs. FULL: those of all
 * threads, where /proc lists them. */
enum assert_timer_detail { ASSERT_TIMER_NONE, ASSERT_TIMER_LIGHT, ASSERT_TIMER_FULL };

/* Texts live as long as the service. */
struct assert_timer_service_settings {
    const char *address;        /* "http://127.0.0.1:8700": a numeric address or localhost; NULL:
                                   RVSIM_SERVICE of the environment */
    const char *token;          /* NULL: RVSIM_TOKEN of the environment, or none */
    const char *program, *version;  /* as the service knows them; version NULL: "" */
    unsigned refresh_s;         /* time between two looks at the control file; 0: 60 */
    unsigned patience_ms;       /* a request has at most; 0: 5,000 */
    unsigned retry_ms;          /* until a request is made again, doubled each time; 0: 1,000 */
    int signal;                 /* that takes a thread's stack; 0: SIGURG; -1: no stacks */
    enum assert_timer_detail (*detail)(void *arg, const char *tag); /* of tags that the control file
                                   does not name; NULL: LIGHT */
    void *arg;
};

struct assert_timer_service;

/* NULL: errno says why (EINVAL: the address or the program, ENOMEM, or as pthread_create). */
struct assert_timer_service *
assert_timer_service_open(const struct assert_timer_service_settings *settings);
/* Waits at most wait_ms for what is still to be sent; nothing is called afterwards. NULL is
 * allowed. */
void assert_timer_service_close(struct assert_timer_service *service, unsigned wait_ms);

/* For a pool's settings: `expired`, `threshold`; arg is the service. */
void assert_timer_service_expired(void *service, const struct assert_timer_report *report);
uint64_t assert_timer_service_threshold(void *service, const char *tag, uint64_t threshold_ns);

/* Waits until the service was asked for the control file once; false: it gave none in time. */
bool assert_timer_service_wait(struct assert_timer_service *service, unsigned wait_ms);

struct assert_timer_service_counts {
    uint64_t alarms;            /* all of them; each is one of the next four, or waits */
    uint64_t sent;              /* the service has them */
    uint64_t silent;            /* the control file wants none, or no more */
    uint64_t dropped;           /* no place in the queue, or the service was not reached */
    uint64_t refused;           /* by the service: the token, the program's name */
    uint64_t requests;          /* made, with those that failed */
    uint64_t controls;          /* control files taken */
};
void assert_timer_service_count(struct assert_timer_service *service,
                                struct assert_timer_service_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
