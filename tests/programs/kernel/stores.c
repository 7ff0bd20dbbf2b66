/* stores HARTS ROUNDS: no store of a hart is lost, whatever the kernel does with the page
 * meanwhile. A thread on each hart stores to one page, which the first store copies; and a store
 * conditional fails if another thread or a handler may have stored since its load. Prints the
 * faults, or "right". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "manual.h"

enum { PAGE = 4096, LINE_WORDS = 8, THREADS = 16, LOADS = 1024, TRIES = 50 };

/* ---- a page that is copied at the first store ------------------------------------------------ */

static volatile uint64_t (*page)[LINE_WORDS];   /* private, of a file: the same until a store */
static uint64_t threads, rounds, arrived;

/* All threads meet here, none of them asleep. */
static void meet(void)
{
    uint64_t all = (__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL) / threads + 1) * threads;

    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < all)
        ;
}

/* No other thread stores to this word. The page is loaded for a while before, so that this hart
 * knows the page that another hart's store is about to replace. */
static void *store(void *arg)
{
    uintptr_t self = (uintptr_t)arg;
    uint64_t i, j, mistakes_seen = 0, loads = self;

    for (i = 1; i <= rounds; i++) {
        meet();
        loads = (loads * 5 + 3) % LOADS;
        for (j = 0; j < loads; j++)
            (void)page[self][0];
        page[self][0] = i;
        mistakes_seen += page[self][0] != i;
        meet();
        mistakes_seen += page[self][0] != i;
        meet();
    }
    return (void *)mistakes_seen;
}

static void first_stores(void)
{
    pthread_t thread[THREADS];
    uint64_t mistakes_seen = 0, i;
    void *result;
    int file = open("/proc/self/exe", O_RDONLY);

    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    check(page != MAP_FAILED);
    for (i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, store, (void *)i);
    for (i = 1; i <= rounds; i++) {
        meet();
        page[0][0] = i;
        meet();
        meet();
        check(page[0][0] == i);
        check(madvise((void *)page, PAGE, MADV_DONTNEED) == 0);
    }
    for (i = 1; i < threads; i++) {
        pthread_join(thread[i], &result);
        mistakes_seen += (uintptr_t)result;
    }
    check(mistakes_seen == 0);
}

/* ---- reservations ---------------------------------------------------------------------------- */

static uint64_t sum;

/* Adds one to the value that the word had before a system call of two arguments; returns 0, or 1 if
 * the store conditional fails. */
static uint64_t add_around_call(uint64_t *word, long number, long first, long second)
{
    register long a0 __asm__("a0") = first, a1 __asm__("a1") = second, a7 __asm__("a7") = number;
    uint64_t value, refused;

    __asm__ volatile("lr.d %0, (%3)\n\tecall\n\taddi %0, %0, 1\n\tsc.d %1, %0, (%3)"
                     : "=&r"(value), "=&r"(refused), "+r"(a0) : "r"(word), "r"(a1), "r"(a7)
                     : "memory");
    return refused;
}

static void pin(void)
{
    cpu_set_t first;

    CPU_ZERO(&first);
    CPU_SET(0, &first);
    check(sched_setaffinity(0, sizeof first, &first) == 0);
}

static void *add_in_turn(void *arg)
{
    int i;

    pin();
    for (i = 0; i < TRIES; i++) {
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
        sched_yield();
    }
    return arg;
}

/* Both threads run on one hart, so the other's addition comes between load and store. */
static void another_thread_adds(void)
{
    pthread_t thread;
    uint64_t own = 0;
    int i;

    pin();
    pthread_create(&thread, NULL, add_in_turn, NULL);
    for (i = 0; i < TRIES; i++)
        own += add_around_call(&sum, SYS_sched_yield, 0, 0) == 0;
    pthread_join(thread, NULL);
    check(own == 0);
    check(sum == TRIES);
}

static void add_in_handler(int signo)
{
    uint64_t value;

    (void)signo;
    sum++;
    __asm__ volatile("lr.d %0, (%1)" : "=&r"(value) : "r"(&sum) : "memory");
}

static void a_handler_adds(void)
{
    uint64_t own = 0;
    int i;

    sum = 0;
    signal(SIGUSR1, add_in_handler);
    for (i = 0; i < TRIES; i++)
        own += add_around_call(&sum, SYS_tkill, gettid(), SIGUSR1) == 0;
    check(own == 0);
    check(sum == TRIES);
}

int main(int argc, char **argv)
{
    threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    first_stores();
    another_thread_adds();
    a_handler_adds();
    return verdict();
}
