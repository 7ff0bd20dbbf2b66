/* Threads that share a lock, wait in turn, meet at barriers and read under a lock; prints the
 * results of all of them. Then time limits, and the lock of a thread that ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t done;
static int turn, total;
static __thread int own;

static void *work(void *arg)
{
    int id = (int)(long)arg, round;

    for (round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        while (turn != id)
            pthread_cond_wait(&turned, &lock);
        turn = (turn + 1) % THREADS;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&lock);
        if (round % 10 == 0)
            pthread_barrier_wait(&barrier);
        pthread_rwlock_rdlock(&shared);
        own++;
        pthread_rwlock_unlock(&shared);
        pthread_rwlock_wrlock(&shared);
        total++;
        pthread_rwlock_unlock(&shared);
    }
    sem_post(&done);
    return (void *)(long)own;
}

static void *die_with_lock(void *arg)
{
    pthread_mutex_lock(&robust);
    return arg;
}

static int wait_in_vain(void)
{
    struct timespec until;
    int err;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    err = pthread_cond_timedwait(&turned, &lock, &until);
    pthread_mutex_unlock(&lock);
    return err;
}

static int lock_of_the_dead(void)
{
    pthread_mutexattr_t attribute;
    pthread_t thread;

    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attribute);
    pthread_create(&thread, NULL, die_with_lock, NULL);
    pthread_join(thread, NULL);
    return pthread_mutex_lock(&robust);
}

int main(void)
{
    pthread_t thread[THREADS];
    void *result;
    long i, sum = 0;

    sem_init(&done, 0, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)i) != 0)
            return 1;
    for (i = 0; i < THREADS; i++)
        sem_wait(&done);
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &result);
        sum += (long)result;
    }
    printf("total %d own %ld\n", total, sum);
    printf("wait in vain: %s\n", wait_in_vain() == ETIMEDOUT ? "timed out" : "woken");
    printf("lock of the dead: %s\n", lock_of_the_dead() == EOWNERDEAD ? "owner died" : "taken");
    return 3;
}
