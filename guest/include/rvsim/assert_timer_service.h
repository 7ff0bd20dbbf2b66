/* Sends the alarms of assert timers to a collection service (rvsim serve). The service's control
 * file says which tags are watched, and in what detail:
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
 * A separate thread sends reports and fetches the control file, at the start and periodically.
 * The program never waits for this thread: alarms go into a queue of fixed length, and are dropped
 * when the queue is full. An alarm that cannot be sent is tried a few times, then dropped.
 *
 * A report has the tag, the times, the stack of the thread that hangs as names of functions, the
 * kind of processor and the number of processors. It has no path, host or user name. The protocol
 * is HTTP without encryption: use it on the same machine, or through a tunnel. In the simulator
 * the service is the address given by --connect. */
#ifndef RVSIM_ASSERT_TIMER_SERVICE_H
#define RVSIM_ASSERT_TIMER_SERVICE_H

#include "rvsim/assert_timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NONE: the tag is not watched. LIGHT: a report has the stack of the thread that hangs. FULL: the
 * stacks of all threads, where /proc lists them. */
enum assert_timer_detail { ASSERT_TIMER_NONE, ASSERT_TIMER_LIGHT, ASSERT_TIMER_FULL };

/* The texts must live as long as the service. */
struct assert_timer_service_settings {
    const char *address;        /* "http://127.0.0.1:8700": a numeric address or localhost; NULL:
                                   RVSIM_SERVICE of the environment */
    const char *token;          /* NULL: RVSIM_TOKEN of the environment, or none */
    const char *program, *version;  /* as the service shows them; version NULL: "" */
    unsigned refresh_s;         /* time from one fetch of the control file to the next; 0: 60 */
    unsigned patience_ms;       /* longest time for a request; 0: 5,000 */
    unsigned retry_ms;          /* wait before another try, doubled each time; 0: 1,000 */
    int signal;                 /* whose handler takes a thread's stack; 0: SIGURG; -1: no stacks */
    enum assert_timer_detail (*detail)(void *arg, const char *tag); /* of tags that the control file
                                   does not name; NULL: LIGHT */
    void *arg;
};

struct assert_timer_service;

/* NULL: errno says why (EINVAL: address or program; ENOMEM; or an error of pthread_create). */
struct assert_timer_service *
assert_timer_service_open(const struct assert_timer_service_settings *settings);
/* Waits at most wait_ms until all queued alarms are sent. No callback is called after it returns.
 * NULL is allowed. */
void assert_timer_service_close(struct assert_timer_service *service, unsigned wait_ms);

/* For the members `expired` and `threshold` of a pool's settings; their arg is the service. */
void assert_timer_service_expired(void *service, const struct assert_timer_report *report);
uint64_t assert_timer_service_threshold(void *service, const char *tag, uint64_t threshold_ns);

/* Waits, at most wait_ms, for the answer to the first request for the control file. False: none. */
bool assert_timer_service_wait(struct assert_timer_service *service, unsigned wait_ms);

struct assert_timer_service_counts {
    uint64_t alarms;            /* all alarms; each is in one of the next four, or still waits */
    uint64_t sent;              /* alarms that the service acknowledged */
    uint64_t silent;            /* the control file excludes the tag, or limits its reports */
    uint64_t dropped;           /* the queue was full, or the service was not reached */
    uint64_t refused;           /* refused by the service, for instance because of the token */
    uint64_t requests;          /* requests made, including failed ones */
    uint64_t controls;          /* control files received */
};
void assert_timer_service_count(struct assert_timer_service *service,
                                struct assert_timer_service_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
