/* Four threads call work() a hundred times each, with 100, 101, 102 and 103 rounds of its loop, and
 * read and write an element of tally[] each time; at the end all four are read once. */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long tally[4];

__attribute__((noinline)) static unsigned long work(unsigned long rounds)
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < rounds; i++) {
        sum += i;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static void *run(void *arg)
{
    unsigned long me = (unsigned long)arg;

    for (int i = 0; i < 100; i++)
        tally[me] += work(100 + me);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];

    for (unsigned long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%lu\n", tally[0] + tally[1] + tally[2] + tally[3]);
    return 0;
}
