/* Four threads add under one lock; each adds STEPS times before it releases the lock. One
 * sleeps. */
#include <pthread.h>
#include <time.h>

#ifndef STEPS
#define STEPS 3000
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;

static void *work(void *arg)
{
    for (int round = 0; round < 20; round++) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < STEPS; i++)
            sum = sum + (unsigned long)arg;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *nap(void *arg)
{
    nanosleep(&(struct timespec){0, 100000}, NULL);
    return arg;
}

int main(void)
{
    pthread_t thread[5];

    for (long i = 0; i < 5; i++)
        pthread_create(&thread[i], NULL, i < 4 ? work : nap, (void *)(i + 1));
    for (int i = 0; i < 5; i++)
        pthread_join(thread[i], NULL);
    return sum == 20UL * STEPS * 10 ? 0 : 1;
}
