/* Alarms that go to a service: ADDRESS TOKEN PROGRAM CASE [ARGUMENT...]. At the end it prints how
 * many alarms were sent, kept silent, dropped and refused. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rvsim/assert_timer_service.h"

static struct assert_timer_service *service;
static struct assert_timers *timers;
static volatile unsigned work;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * ASSERT_TIMER_S + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
    uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        for (unsigned i = 0; i < 1000; i++)
            work += i;
}

__attribute__((noinline)) static void save_file(const char *tag, uint64_t ns)
{
    ASSERT_TIMER(timers, tag, ASSERT_TIMER_THREAD, 2 * ASSERT_TIMER_MS);
    compute(ns);
    work++;
}

__attribute__((noinline)) static void save(const char *tag, uint64_t ns)
{
    save_file(tag, ns);
    work++;
}

/* TAG COUNT: this number of alarms. */
static void do_alarms(char **argument)
{
    for (int i = atoi(argument[1]); i > 0; i--)
        save(argument[0], 20 * ASSERT_TIMER_MS);
}

/* TAG: waits until the threshold of the tag has changed. */
static void do_change(char **argument)
{
    while (assert_timer_service_threshold(service, argument[0], 1) == 1)
        usleep(10000);
    printf("changed to %llu\n",
           (unsigned long long)assert_timer_service_threshold(service, argument[0], 1));
}

static void *other(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
        compute(ASSERT_TIMER_MS);
    return NULL;
}

/* TAG: an alarm while another thread exists. */
static void do_threads(char **argument)
{
    int stop = 0;
    pthread_t thread;

    pthread_create(&thread, NULL, other, &stop);
    save(argument[0], 50 * ASSERT_TIMER_MS);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* More alarms than the queue has room for: none waits for the service. */
static void do_flood(char **argument)
{
    uint64_t longest = 0;

    for (int i = 0; i < atoi(argument[1]); i++) {
        const struct assert_timer_report report = {
            .event = (uint64_t)i, .tag = argument[0], .threshold_ns = 1, .executed_ns = 2,
            .elapsed_ns = 3, .thread = pthread_self()};
        uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;

        assert_timer_service_expired(service, &report);
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        longest = took > longest ? took : longest;
    }
    printf("an alarm takes less than 10 ms: %s\n", longest < 10 * ASSERT_TIMER_MS ? "yes" : "no");
}

static void print_counts(void)
{
    struct assert_timer_service_counts counts;

    for (int i = 0; i < 500; i++) {
        assert_timer_service_count(service, &counts);
        if (counts.sent + counts.silent + counts.dropped + counts.refused == counts.alarms)
            break;
        usleep(10000);
    }
    printf("alarms %llu sent %llu silent %llu dropped %llu refused %llu control %s\n",
           (unsigned long long)counts.alarms, (unsigned long long)counts.sent,
           (unsigned long long)counts.silent, (unsigned long long)counts.dropped,
           (unsigned long long)counts.refused, counts.controls > 0 ? "yes" : "no");
}

int main(int argc, char **argv)
{
    const struct assert_timer_service_settings to = {
        .address = argv[1], .token = argv[2], .program = argv[3], .version = "1", .refresh_s = 1,
        .patience_ms = 2000, .retry_ms = 10};
    struct assert_timers_settings settings = {.timers = 4, .expired = assert_timer_service_expired,
                                              .threshold = assert_timer_service_threshold};
    static const struct { const char *name; void (*run)(char **); } cases[] = {
        {"alarms", do_alarms}, {"change", do_change}, {"threads", do_threads}, {"flood", do_flood}};

    setvbuf(stdout, NULL, _IOLBF, 0);
    service = assert_timer_service_open(&to);
    settings.arg = service;
    timers = service != NULL ? assert_timers_open(&settings) : NULL;
    if (timers == NULL || argc < 5) {
        perror("open");
        return 1;
    }
    assert_timer_service_wait(service, 1000);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(cases[i].name, argv[4]) == 0)
            cases[i].run(&argv[5]);
    assert_timers_close(timers);
    print_counts();
    assert_timer_service_close(service, 1000);
    return 0;
}
