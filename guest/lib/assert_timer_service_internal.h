/* Shared by the two halves of the service: the functions that queue alarms, and the thread that
 * sends them.
 *
 * One lock guards the queue and the counts. It is held only while data is copied, never during a
 * request. The control file is a pointer that is exchanged as a whole, so that a timer that begins
 * reads it without the lock; old control files are freed when the service closes. */
#ifndef GUEST_LIB_ASSERT_TIMER_SERVICE_INTERNAL_H
#define GUEST_LIB_ASSERT_TIMER_SERVICE_INTERNAL_H

#include <stdatomic.h>

#include "assert_timer_control.h"
#include "assert_timer_http.h"
#include "assert_timer_stack.h"

enum { SERVICE_TAG = 128, SERVICE_QUEUE = 64, SERVICE_PATH = 1024, SERVICE_TRIES = 6 };

struct alarm {
    char tag[SERVICE_TAG];
    enum assert_timer_type type;
    uint64_t event, threshold_ns, executed_ns, elapsed_ns;
    unsigned depth;
    bool is_late, is_full;
    struct stack own;
    unsigned others;
    struct stack *other;                /* with ASSERT_TIMER_FULL; NULL: none */
};

struct tag_count { struct tag_count *next; uint64_t reports; char tag[SERVICE_TAG]; };
struct old_control { struct old_control *next; struct control *control; };

struct assert_timer_service {
    struct assert_timer_service_settings settings;
    struct http_service http;
    char control_path[SERVICE_PATH];
    pthread_t sender;
    pthread_mutex_t lock;
    pthread_cond_t changed;             /* follows the monotonic clock */
    struct alarm queue[SERVICE_QUEUE];
    unsigned queued;
    struct tag_count *tags;
    struct assert_timer_service_counts counts;
    bool was_asked;                     /* the control file was requested once */
    _Atomic uint64_t close_at;          /* in monotonic time; UINT64_MAX: the service is open */
    struct control *_Atomic control;    /* NULL: none yet */
    struct old_control *old;            /* replaced control files; only the sender uses this */
};

uint64_t service_monotonic(void);       /* in ns */
/* The function of the sending thread. */
void *service_send(void *service);
/* The body of a report of these alarms; NULL: no memory. The caller frees it. */
char *service_report(const struct assert_timer_service *service, const struct alarm *alarm,
                     unsigned alarms);

#endif
