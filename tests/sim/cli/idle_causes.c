/* Harts that idle for known causes and times: a sleep of 200 us; 300 us waiting for a pipe, and
 * 400 us for a lock, while the thread that ends the wait sleeps. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int channel[2], started[2];

static __attribute__((noinline)) void doze(long microseconds)
{
    nanosleep(&(struct timespec){0, microseconds * 1000}, NULL);
}

static void *help(void *arg)
{
    pthread_mutex_lock(&lock);
    if (write(started[1], "s", 1) != 1)
        return NULL;
    doze(300);
    if (write(channel[1], "x", 1) != 1)
        return NULL;
    doze(400);
    pthread_mutex_unlock(&lock);
    return arg;
}

/* The affinity that a thread reads must not show that a sample is taken. */
static int affinity_is(const cpu_set_t *expected)
{
    cpu_set_t set;

    return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 &&
           CPU_EQUAL(&set, expected);
}

int main(void)
{
    pthread_t helper;
    cpu_set_t all;
    char letter;
    int is_same;

    if (pipe(channel) != 0 || pipe(started) != 0 ||
        pthread_getaffinity_np(pthread_self(), sizeof all, &all) != 0)
        return 2;
    doze(200);
    is_same = affinity_is(&all);
    pthread_create(&helper, NULL, help, &lock);
    if (read(started[0], &letter, 1) != 1 || read(channel[0], &letter, 1) != 1)
        return 3;
    is_same &= affinity_is(&all);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    is_same &= affinity_is(&all);
    pthread_join(helper, NULL);
    return !is_same;
}
