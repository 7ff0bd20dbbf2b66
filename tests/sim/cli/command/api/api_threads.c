// Threads that go to another hart inside their calls. Two calls in a row of go() are on different
// harts; spin (api_exact.S) has known instructions.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

void spin(long n);

__attribute__((noinline)) static void go(unsigned hart)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(hart, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        abort();
    __asm__ volatile("");
}

__attribute__((noinline)) static void inner(unsigned hart)
{
    spin(10);
    go(hart);
    spin(10);
}

__attribute__((noinline)) static void outer(unsigned hart)
{
    go(hart ^ 1);
    inner(hart);
    __asm__ volatile("");
}

static void *work(void *rounds)
{
    for (long i = 0; i < (long)rounds; i++)
        outer((unsigned)i & 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)(5 * (i + 1)));
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
