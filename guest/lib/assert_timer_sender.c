/* The thread that talks to the service. It fetches the control file, at the start and periodically,
 * and sends alarms as they come. A report that the service does not take is sent again with the
 * same id, so that it counts once. The wait before each repetition doubles; after SERVICE_TRIES
 * attempts the report is dropped. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assert_timer_service_internal.h"

/* A report that waits to be sent, or sent again. */
struct batch { char *body; unsigned alarms, tries; uint64_t next; };

uint64_t service_monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ASSERT_TIMER_S + (uint64_t)now.tv_nsec;
}

static bool is_over(void *arg)
{
    const struct assert_timer_service *service = arg;

    return service_monotonic() >= atomic_load(&service->close_at);
}

/* Makes a request. The caller holds the lock; it is released during the request. */
static void ask(struct assert_timer_service *service, const char *path, const char *body,
                struct http_answer *answer)
{
    const struct http_request request = {
        .method = body != NULL ? "POST" : "GET", .path = path, .token = service->settings.token,
        .body = body, .body_bytes = body != NULL ? strlen(body) : 0,
        .deadline = service_monotonic() + service->settings.patience_ms * ASSERT_TIMER_MS,
        .is_over = is_over, .arg = service,
    };

    pthread_mutex_unlock(&service->lock);
    http_ask(&service->http, &request, answer);
    pthread_mutex_lock(&service->lock);
    service->counts.requests++;
}

/* ---- the control file ------------------------------------------------------------------------ */

/* Replaces the control file. The old one stays: timers that begin just now may still read it. */
static void replace(struct assert_timer_service *service, const char *text)
{
    struct old_control *old = malloc(sizeof *old);
    struct control *control = control_read(text);

    if (old == NULL || control == NULL) {
        control_free(control);
        free(old);
        return;
    }
    *old = (struct old_control){service->old, atomic_exchange(&service->control, control)};
    service->old = old;
}

/* Fetches the control file. last: the text of the present one; NULL: there is none. */
static void fetch(struct assert_timer_service *service, struct http_answer *answer, char **last)
{
    ask(service, service->control_path, NULL, answer);
    if (answer->status == 200 && (*last == NULL || strcmp(*last, answer->text) != 0)) {
        replace(service, answer->text);
        free(*last);
        *last = strdup(answer->text);
    }
    service->counts.controls += answer->status == 200;
    service->was_asked = true;
    pthread_cond_broadcast(&service->changed);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void collect(struct assert_timer_service *service, struct batch *batch)
{
    static const size_t alarm_bytes = sizeof(struct alarm);
    struct alarm *alarm = malloc(service->queued * alarm_bytes);
    unsigned alarms = service->queued;

    service->queued = 0;
    if (alarm == NULL) {
        for (unsigned i = 0; i < alarms; i++)
            free(service->queue[i].other);
        service->counts.dropped += alarms;
        return;
    }
    memcpy(alarm, service->queue, alarms * alarm_bytes);
    pthread_mutex_unlock(&service->lock);
    *batch = (struct batch){.body = service_report(service, alarm, alarms), .alarms = alarms};
    for (unsigned i = 0; i < alarms; i++)
        free(alarm[i].other);
    free(alarm);
    pthread_mutex_lock(&service->lock);
    if (batch->body == NULL)
        service->counts.dropped += alarms;
}

static void finish(struct batch *batch, uint64_t *counter)
{
    *counter += batch->alarms;
    free(batch->body);
    batch->body = NULL;
}

static void post(struct assert_timer_service *service, struct batch *batch,
                 struct http_answer *answer)
{
    enum { TOO_MANY = 429 };
    uint64_t wait = service->settings.retry_ms * ASSERT_TIMER_MS << batch->tries;

    ask(service, "/v1/hangs", batch->body, answer);
    if (answer->status >= 200 && answer->status < 300)
        finish(batch, &service->counts.sent);
    else if (answer->status >= 400 && answer->status < 500 && answer->status != TOO_MANY)
        finish(batch, &service->counts.refused);
    else if (++batch->tries == SERVICE_TRIES)
        finish(batch, &service->counts.dropped);
    else
        batch->next = service_monotonic() + wait;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void wait_until(struct assert_timer_service *service, uint64_t until)
{
    const struct timespec at = {(time_t)(until / ASSERT_TIMER_S), (long)(until % ASSERT_TIMER_S)};

    if (until == UINT64_MAX)
        pthread_cond_wait(&service->changed, &service->lock);
    else
        pthread_cond_timedwait(&service->changed, &service->lock, &at);
}

/* Does one thing that is due, or waits until one is. False: the service is closing, and everything
 * is sent or the time is over. */
static bool step(struct assert_timer_service *service, struct batch *batch, uint64_t *refresh,
                 struct http_answer *answer, char **last)
{
    uint64_t now = service_monotonic(), close_at = atomic_load(&service->close_at);
    bool is_closing = close_at != UINT64_MAX;

    if (is_closing && (now >= close_at || (batch->body == NULL && service->queued == 0)))
        return false;
    if (!is_closing && now >= *refresh) {
        fetch(service, answer, last);
        *refresh = service_monotonic() + service->settings.refresh_s * ASSERT_TIMER_S;
    } else if (batch->body != NULL && now >= batch->next) {
        post(service, batch, answer);
    } else if (batch->body == NULL && service->queued > 0) {
        collect(service, batch);
    } else {
        uint64_t until = earlier(close_at, is_closing ? UINT64_MAX : *refresh);

        wait_until(service, batch->body != NULL ? earlier(until, batch->next) : until);
    }
    return true;
}

void *service_send(void *arg)
{
    struct assert_timer_service *service = arg;
    struct http_answer *answer = malloc(sizeof *answer);
    struct batch batch = {.body = NULL};
    uint64_t refresh = 0;
    char *last = NULL;
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_mutex_lock(&service->lock);
    while (answer != NULL && step(service, &batch, &refresh, answer, &last)) {
    }
    if (batch.body != NULL)
        finish(&batch, &service->counts.dropped);
    pthread_mutex_unlock(&service->lock);
    free(answer);
    free(last);
    return NULL;
}
