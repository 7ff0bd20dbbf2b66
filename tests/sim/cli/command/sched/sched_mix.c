/* Threads wait for locks, a condition, a time, a pipe, a process, and move from hart to hart; two
 * still run at the end. Arguments: threads, harts. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER;
static int has_begun, harts, ends[2];
static volatile long sum;

static void spin(long turns)
{
    for (long i = 0; i < turns; i++)
        sum += i;
}

static void lock(pthread_mutex_t *mutex, long turns)
{
    pthread_mutex_lock(mutex);
    spin(turns);
    if (mutex == &outer)
        lock(&inner, turns / 2);
    pthread_mutex_unlock(mutex);
}

static void move(long hart)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(hart % harts, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *work(void *arg)
{
    long number = (long)arg;
    char byte;

    pthread_mutex_lock(&inner);
    while (!has_begun)
        pthread_cond_wait(&begin, &inner);
    pthread_mutex_unlock(&inner);
    for (long round = 0; round < 6; round++) {
        spin(1500 + 200 * number);
        lock(round % 2 == 0 ? &inner : &outer, 400);
        if (round == 2)
            sched_yield();
        if (round == 3)
            nanosleep(&(struct timespec){0, 20000 + 1000 * number}, NULL);
        move(number + round);
    }
    if (number == 0 && read(ends[0], &byte, 1) != 1)
        abort();
    if (number == 1 && write(ends[1], "x", 1) != 1)
        abort();
    return arg;
}

static void *stay(void *arg)
{
    spin(100000);
    return arg;
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[1]) : 0, status;
    pthread_t thread[64];

    if (threads < 2 || threads > 64 || pipe(ends) != 0)
        return 1;
    harts = atoi(argv[2]);
    for (long i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    spin(2000);
    pthread_mutex_lock(&inner);
    has_begun = 1;
    pthread_cond_broadcast(&begin);
    pthread_mutex_unlock(&inner);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    if (fork() == 0) {
        spin(1000);
        _exit(3);
    }
    if (wait(&status) < 0 || WEXITSTATUS(status) != 3)
        return 2;
    for (long i = 2; i < 4; i++)
        pthread_create(&thread[i], NULL, stay, NULL);
    spin(1000);
    return 0;
}
