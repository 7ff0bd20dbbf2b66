/* Threads for `rvsim hang`: `slow` and `quick` are switched out and go from hart to hart; one
 * thread waits for a lock that main holds, main for the end of others. With an argument two threads
 * wait for each other's lock. */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct node { int value; struct node *next; };

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, other_gate = PTHREAD_MUTEX_INITIALIZER;
double ratio = 2.5;
unsigned long *reserve;             /* of which one page is touched */
struct node last = {34, NULL}, list = {12, &last};
static volatile unsigned long sink;

#define SPIN(name)                                                             \
    __attribute__((noinline)) unsigned long name(unsigned long turns)          \
    {                                                                          \
        unsigned long sum = 1;                                                 \
                                                                               \
        for (unsigned long i = 0; i < turns; i++) {                            \
            sum += (sum >> 3) ^ i;                                             \
            if (i % 20000 == 0)                                                \
                sched_yield();                                                 \
        }                                                                      \
        return sum;                                                            \
    }
SPIN(slow)
SPIN(quick)

static void *work(void *is_slow)
{
    sink += is_slow != NULL ? slow(250000) : quick(100000);
    return NULL;
}

static void *wait_at_gate(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *cross(void *arg)
{
    pthread_mutex_lock(&other_gate);
    usleep(1000);
    pthread_mutex_lock(&gate);
    return arg;
}

static int deadlock(void)
{
    pthread_t thread;

    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, cross, NULL);
    usleep(1000);
    return pthread_mutex_lock(&other_gate);
}

int main(int argc, char **argv)
{
    pthread_t waiter, thread[5];

    (void)argv;
    if (argc > 1)
        return deadlock();
    reserve = mmap(NULL, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    reserve[3000000] = 77;
    pthread_mutex_lock(&gate);
    pthread_create(&waiter, NULL, wait_at_gate, NULL);
    for (int i = 0; i < 5; i++)
        pthread_create(&thread[i], NULL, work, i == 3 ? thread : NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_unlock(&gate);
    pthread_join(waiter, NULL);
    return 0;
}
