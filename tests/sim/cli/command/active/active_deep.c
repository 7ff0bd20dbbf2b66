/* Three threads recur: `even` and `odd` call each other 600 deep, `fib` calls itself twice. */
#include <pthread.h>

enum { THREADS = 3 };

static volatile unsigned long sink;

#define SECTION __attribute__((noinline, noclone, used))

SECTION unsigned long odd(unsigned long left);

SECTION unsigned long even(unsigned long left)
{
    __asm__ volatile("" : : : "memory");
    return left == 0 ? 1 : 1 + odd(left - 1);
}

SECTION unsigned long odd(unsigned long left)
{
    __asm__ volatile("" : : : "memory");
    return left == 0 ? 0 : 2 + even(left - 1);
}

SECTION unsigned long fib(unsigned long number)
{
    return number < 2 ? number : fib(number - 1) + fib(number - 2);
}

static void *work(void *arg)
{
    sink += even(0) + fib(12);
    for (int i = 0; i < 8; i++)
        sink += even(600);
    for (volatile int i = 0; i < 20000; i++)
        ;
    sink += fib(11);
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
