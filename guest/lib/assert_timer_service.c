/* Alarms for a service: the functions that the program's threads call; see
 * rvsim/assert_timer_service.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assert_timer_service_internal.h"

/* never_ns: a threshold that no timer reaches, small enough that sums with it do not overflow. */
enum { REFRESH_S = 60, PATIENCE_MS = 5000, RETRY_MS = 1000, TIMES = 100 };
static const uint64_t never_ns = UINT64_MAX / 4;

/* ---- opening and closing --------------------------------------------------------------------- */

/* Sets the path of the control file. False: the program's name is too long. */
static bool set_path(struct assert_timer_service *service)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    enum { ESCAPED = 3, SUFFIX = 16 };
    char *to = service->control_path + sprintf(service->control_path, "/v1/control/");

    for (const char *at = service->settings.program; *at != '\0'; at++) {
        if (to + ESCAPED + SUFFIX >= service->control_path + SERVICE_PATH)
            return false;
        if (strchr(plain, *at) != NULL)
            *to++ = *at;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*at);
    }
    strcpy(to, "?format=text");
    return true;
}

/* Fills in defaults, and reads the address. False: a setting is invalid. */
static bool complete_settings(struct assert_timer_service *service)
{
    struct assert_timer_service_settings *own = &service->settings;

    if (own->address == NULL)
        own->address = getenv("RVSIM_SERVICE");
    if (own->token == NULL)
        own->token = getenv("RVSIM_TOKEN");
    own->token = own->token != NULL ? own->token : "";
    own->version = own->version != NULL ? own->version : "";
    own->refresh_s = own->refresh_s != 0 ? own->refresh_s : REFRESH_S;
    own->patience_ms = own->patience_ms != 0 ? own->patience_ms : PATIENCE_MS;
    own->retry_ms = own->retry_ms != 0 ? own->retry_ms : RETRY_MS;
    own->signal = own->signal != 0 ? own->signal : SIGURG;
    return own->address != NULL && own->program != NULL && own->program[0] != '\0' &&
           strpbrk(own->token, "\r\n") == NULL &&
           http_parse_address(&service->http, own->address) && set_path(service);
}

static int start(struct assert_timer_service *service)
{
    pthread_condattr_t attributes;

    if (!complete_settings(service))
        return EINVAL;
    if (service->settings.signal > 0 && !stack_open(service->settings.signal))
        return errno;
    atomic_store(&service->close_at, UINT64_MAX);
    pthread_mutex_init(&service->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&service->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(&service->sender, NULL, service_send, service);
}

struct assert_timer_service *
assert_timer_service_open(const struct assert_timer_service_settings *settings)
{
    struct assert_timer_service *service = calloc(1, sizeof *service);
    int error;

    if (service == NULL)
        return NULL;
    service->settings = *settings;
    error = start(service);
    if (error == 0)
        return service;
    free(service);
    errno = error;
    return NULL;
}

static void free_all(struct assert_timer_service *service)
{
    while (service->queued > 0)
        free(service->queue[--service->queued].other);
    for (struct tag_count *at = service->tags, *next; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
    for (struct old_control *at = service->old, *next; at != NULL; at = next) {
        next = at->next;
        control_free(at->control);
        free(at);
    }
    control_free(atomic_load(&service->control));
    pthread_cond_destroy(&service->changed);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

void assert_timer_service_close(struct assert_timer_service *service, unsigned wait_ms)
{
    if (service == NULL)
        return;
    pthread_mutex_lock(&service->lock);
    atomic_store(&service->close_at, service_monotonic() + wait_ms * ASSERT_TIMER_MS);
    pthread_cond_broadcast(&service->changed);
    pthread_mutex_unlock(&service->lock);
    pthread_join(service->sender, NULL);
    free_all(service);
}

bool assert_timer_service_wait(struct assert_timer_service *service, unsigned wait_ms)
{
    uint64_t until = service_monotonic() + wait_ms * ASSERT_TIMER_MS;
    const struct timespec at = {(time_t)(until / ASSERT_TIMER_S), (long)(until % ASSERT_TIMER_S)};
    int error = 0;

    pthread_mutex_lock(&service->lock);
    while (!service->was_asked && error == 0)
        error = pthread_cond_timedwait(&service->changed, &service->lock, &at);
    pthread_mutex_unlock(&service->lock);
    return atomic_load(&service->control) != NULL;
}

void assert_timer_service_count(struct assert_timer_service *service,
                                struct assert_timer_service_counts *counts)
{
    pthread_mutex_lock(&service->lock);
    *counts = service->counts;
    pthread_mutex_unlock(&service->lock);
}

/* ---- the calls of a pool --------------------------------------------------------------------- */

static enum assert_timer_detail detail_of(const struct assert_timer_service *service,
                                          const char *tag, uint64_t *times)
{
    const struct assert_timer_service_settings *own = &service->settings;
    const struct control_tag *row = control_find(atomic_load(&service->control), tag);

    *times = row != NULL ? row->times : TIMES;
    if (row != NULL)
        return row->detail;
    return own->detail != NULL ? own->detail(own->arg, tag) : ASSERT_TIMER_LIGHT;
}

uint64_t assert_timer_service_threshold(void *arg, const char *tag, uint64_t threshold_ns)
{
    const struct assert_timer_service *service = arg;
    const struct control_tag *row = control_find(atomic_load(&service->control), tag);

    if (row != NULL && row->detail == ASSERT_TIMER_NONE)
        return never_ns;
    return row != NULL && row->threshold_ns != 0 ? row->threshold_ns : threshold_ns;
}

/* The reports of a tag in this run; NULL: no memory. The caller holds the lock. */
static struct tag_count *count_of(struct assert_timer_service *service, const char *tag)
{
    struct tag_count *at = service->tags;

    while (at != NULL && strncmp(at->tag, tag, sizeof at->tag - 1) != 0)
        at = at->next;
    if (at != NULL)
        return at;
    at = calloc(1, sizeof *at);
    if (at == NULL)
        return NULL;
    strncpy(at->tag, tag, sizeof at->tag - 1);
    at->next = service->tags;
    service->tags = at;
    return at;
}

/* True if this alarm is to be reported; otherwise counts it as silent or dropped. */
static bool is_wanted(struct assert_timer_service *service, const char *tag,
                      enum assert_timer_detail detail, uint64_t times)
{
    struct tag_count *count;
    bool wanted = false;

    pthread_mutex_lock(&service->lock);
    service->counts.alarms++;
    count = count_of(service, tag);
    if (detail == ASSERT_TIMER_NONE || (count != NULL && count->reports >= times)) {
        service->counts.silent++;
    } else if (count == NULL || service->queued == SERVICE_QUEUE) {
        service->counts.dropped++;
    } else {
        count->reports++;
        wanted = true;
    }
    pthread_mutex_unlock(&service->lock);
    return wanted;
}

static void take_stacks(const struct assert_timer_service *service, pthread_t thread,
                        struct alarm *alarm)
{
    int signal = service->settings.signal;

    if (signal < 0)
        return;
    stack_take(signal, thread, &alarm->own);
    if (alarm->is_full)
        alarm->other = calloc(STACK_THREADS, sizeof *alarm->other);
    if (alarm->other != NULL)
        alarm->others = stack_take_others(signal, thread, alarm->other);
}

void assert_timer_service_expired(void *arg, const struct assert_timer_report *report)
{
    struct assert_timer_service *service = arg;
    struct alarm alarm = {
        .type = report->type, .event = report->event, .threshold_ns = report->threshold_ns,
        .executed_ns = report->executed_ns, .elapsed_ns = report->elapsed_ns,
        .depth = report->depth, .is_late = report->is_late,
    };
    uint64_t times;
    enum assert_timer_detail detail = detail_of(service, report->tag, &times);

    if (!is_wanted(service, report->tag, detail, times))
        return;
    strncpy(alarm.tag, report->tag, sizeof alarm.tag - 1);
    alarm.is_full = detail == ASSERT_TIMER_FULL;
    take_stacks(service, report->thread, &alarm);
    pthread_mutex_lock(&service->lock);
    if (service->queued < SERVICE_QUEUE) {
        service->queue[service->queued++] = alarm;
        pthread_cond_broadcast(&service->changed);
    } else {
        service->counts.dropped++;
        free(alarm.other);
    }
    pthread_mutex_unlock(&service->lock);
}
