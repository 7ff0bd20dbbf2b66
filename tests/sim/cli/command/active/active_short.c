/* Two threads run through a section of a few instructions again and again, while timers interrupt
 * them. */
#include <pthread.h>

static volatile unsigned long sum;

__attribute__((noinline)) unsigned long leaf(unsigned long value)
{
    return value * 3 + 1;
}

static void *work(void *arg)
{
    for (unsigned long i = 0; i < 4000; i++)
        sum = leaf(sum + i);
    return arg;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
