/* Sections with known work: `spin` runs in four threads, which are preempted and move; `outer`
 * calls `nested`; `depth` recurs; `nap` sleeps in the section; `early` returns at two places. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 6 };

static volatile unsigned long sink;

#define SECTION __attribute__((noinline, noclone, used))

SECTION unsigned long spin(unsigned long turns)
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < turns; i++)
        __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(i));
    return sum;
}

SECTION unsigned long nested(unsigned long turns)
{
    return spin(turns) + 1;
}

SECTION unsigned long outer(unsigned long turns)
{
    unsigned long sum = 0;

    for (int i = 0; i < 5; i++)
        sum += nested(turns);
    return sum;
}

SECTION unsigned long depth(unsigned long levels)
{
    unsigned long below = levels == 0 ? spin(100) : depth(levels - 1);

    sink += below;
    return below + spin(10);
}

SECTION int nap(long microseconds)
{
    struct timespec time = {0, microseconds * 1000};

    return nanosleep(&time, NULL) + 1;
}

SECTION int early(int value)
{
    if (value < 0)
        return -1;
    sink += spin(50);
    return value;
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        sink += spin(20000 + 100 * (uintptr_t)arg);
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];

    sink += outer(300);
    sink += depth(6);
    nap(100);
    for (int i = 0; i < 10; i++)
        early(i % 2 == 0 ? i : -i);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
