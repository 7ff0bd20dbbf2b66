/* Signal handlers on stacks of their own: one returns, one is left by siglongjmp, one is
 * interrupted by another. A thread's stack lies below its handlers' stack, which is main's. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf place;
static volatile int leaves;
static volatile long sum;

long leaf(long x);
void second(int number);
void first(int number);
void work(int number);
void *run(void *stack);

long leaf(long x)
{
    return x * 3;
}

void second(int number)
{
    sum += leaf(number);
}

void first(int number)
{
    sum += leaf(number);
    if (leaves == 1)
        raise(SIGUSR2);
    if (leaves == 2)
        siglongjmp(place, 1);
}

void work(int number)
{
    raise(number);
    sum += leaf(number);
}

void *run(void *stack)
{
    const stack_t own = {.ss_sp = stack, .ss_size = 65536};

    sigaltstack(&own, NULL);
    work(SIGUSR1);
    leaves = 1;
    work(SIGUSR1);
    leaves = 2;
    if (sigsetjmp(place, 1) == 0)
        work(SIGUSR1);
    leaves = 0;
    sum += leaf(1);
    work(SIGUSR2);
    return NULL;
}

int main(void)
{
    struct sigaction on_first = {.sa_handler = first, .sa_flags = SA_ONSTACK},
                     on_second = {.sa_handler = second, .sa_flags = SA_ONSTACK};
    char high[65536], low[65536];
    pthread_t thread;

    sigaction(SIGUSR1, &on_first, NULL);
    sigaction(SIGUSR2, &on_second, NULL);
    run(low);
    pthread_create(&thread, NULL, run, high);
    pthread_join(thread, NULL);
    _exit(sum == 0);
}
