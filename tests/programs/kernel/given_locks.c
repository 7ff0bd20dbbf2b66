/* Locks that the kernel gives from thread to thread (FUTEX_LOCK_PI), case by case from futex(2),
 * alone and as glibc's mutexes with priority inheritance; prints the faults, or "right". */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "manual.h"

enum { LOCK_PI2 = 13, THREADS = 6, ROUNDS = 300 };

static uint32_t word;

/* ---- the calls ------------------------------------------------------------------------------- */

static void a_free_lock_is_taken_and_given_back(void)
{
    uint32_t tid = (uint32_t)gettid();

    check(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
    check(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0 && word == tid);
    check(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
    check(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
    check(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0 && word == 0);
    word = 1 << 28;                     /* nobody */
    check(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == ESRCH);
    word = 0;
}

static void *try_in_vain(void *arg)
{
    struct timespec soon;
    int op = *(const int *)arg;

    check(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EAGAIN);
    clock_gettime(op == FUTEX_LOCK_PI ? CLOCK_REALTIME : CLOCK_MONOTONIC, &soon);
    soon.tv_nsec += MS;
    check(futex(&word, op, 0, &soon, NULL, 0) == -1 && errno == ETIMEDOUT);
    check(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
    return NULL;
}

static void a_lock_is_waited_for_until_a_time(int op)
{
    pthread_t thread;

    check(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    pthread_create(&thread, NULL, try_in_vain, &op);
    pthread_join(thread, NULL);
    check((word & FUTEX_TID_MASK) == (uint32_t)gettid());
    check(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0 && word == 0);
}

/* ---- mutexes --------------------------------------------------------------------------------- */

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int order[THREADS], taken;
static long sum;

static void make_mutex(pthread_mutex_t *at, int robust, int shared)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    check(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    if (robust)
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (shared)
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    check(pthread_mutex_init(at, &attributes) == 0);
}

static void *add(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        if (i % 16 == 0)
            sched_yield();
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void one_has_it_at_a_time(void)
{
    pthread_t thread[THREADS];
    int i;

    make_mutex(&mutex, 0, 0);
    for (i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    check(sum == (long)THREADS * ROUNDS);
}

static void *take_by_priority(void *arg)
{
    int priority = *(const int *)arg;

    pthread_setschedparam(pthread_self(), SCHED_FIFO,
                          &(struct sched_param){.sched_priority = priority});
    pthread_mutex_lock(&mutex);
    order[taken++] = priority;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void the_highest_priority_is_next(void)
{
    static const int priority[] = {10, 30, 20};
    pthread_t thread[3];
    int i, is_permitted = sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1}) == 0;

    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    if (!is_permitted)
        return;
    taken = 0;
    pthread_mutex_lock(&mutex);
    for (i = 0; i < 3; i++) {
        pthread_create(&thread[i], NULL, take_by_priority, (void *)(uintptr_t)&priority[i]);
        wait_ms(2);
    }
    pthread_mutex_unlock(&mutex);
    for (i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    check(order[0] == 30 && order[1] == 20 && order[2] == 10);
}

static void *die_with_it(void *arg)
{
    pthread_mutex_lock(arg);
    wait_ms(3);
    return NULL;
}

static void who_waits_for_the_dead_gets_it(pthread_mutex_t *at)
{
    pthread_t thread;

    make_mutex(at, 1, 0);
    pthread_create(&thread, NULL, die_with_it, at);
    wait_ms(1);
    check(pthread_mutex_lock(at) == EOWNERDEAD && pthread_mutex_consistent(at) == 0);
    check(pthread_mutex_unlock(at) == 0 && pthread_mutex_lock(at) == 0);
    pthread_mutex_unlock(at);
    pthread_join(thread, NULL);
}

static void another_process_gets_it(void)
{
    pthread_mutex_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                                   -1, 0);
    int status;

    make_mutex(shared, 1, 1);
    if (fork() == 0) {
        pthread_mutex_lock(shared);
        wait_ms(3);
        _exit(0);
    }
    wait_ms(1);
    check(pthread_mutex_lock(shared) == EOWNERDEAD);
    wait(&status);
    check(status == 0);
    munmap(shared, 4096);
}

static volatile sig_atomic_t handled;

static void note(int signal)
{
    (void)signal;
    handled++;
}

static void *wait_for_lock(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)(pthread_mutex_lock(&mutex) | pthread_mutex_unlock(&mutex));
}

/* No handler makes it return EINTR, with SA_RESTART or without. */
static void a_signal_does_not_end_the_wait(int flags)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = flags};
    pthread_t thread;
    void *result;

    handled = 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, wait_for_lock, NULL);
    wait_ms(2);
    pthread_kill(thread, SIGUSR1);
    wait_ms(2);
    check(handled == 1);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, &result);
    check(result == NULL);
}

static void *signal_condition(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    sum = -1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void conditions_work_with_it(void)
{
    pthread_t thread;

    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, signal_condition, NULL);
    while (sum != -1)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

int main(void)
{
    static pthread_mutex_t robust;

    a_free_lock_is_taken_and_given_back();
    a_lock_is_waited_for_until_a_time(FUTEX_LOCK_PI);
    a_lock_is_waited_for_until_a_time(LOCK_PI2);
    one_has_it_at_a_time();
    the_highest_priority_is_next();
    who_waits_for_the_dead_gets_it(&robust);
    another_process_gets_it();
    a_signal_does_not_end_the_wait(0);
    a_signal_does_not_end_the_wait(SA_RESTART);
    conditions_work_with_it();
    return verdict();
}
