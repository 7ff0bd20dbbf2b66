/* own_registers THREADS: profiling registers belong to a thread. Each thread holds a gate open by
 * marks in its stream while it gives way to the others, and counts its own instructions with a
 * counter that it has programmed, on one hart after another. Prints the count of each, or the
 * fault. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rvsim/counter.h"
#include "rvsim/indicator.h"

enum { THREADS_MAX = 8, TURNS = 20, ROUNDS = 1000 };

static unsigned long long held[THREADS_MAX], all[THREADS_MAX];
static pthread_barrier_t start;
static long harts;

static void give_way(long turn)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(turn % harts, &set);
    sched_setaffinity(0, sizeof set, &set);
    prof_marks_enable(1);               /* on this hart */
    sched_yield();
}

/* Two instructions a round. */
__attribute__((noinline)) static void work(long rounds)
{
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(rounds));
}

/* Every second thread never opens its gate. */
static void *run(void *arg)
{
    long me = (long)arg;
    struct prof_counter gated = {0, 0}, own = {0, 0};

    if (prof_counter_open(&gated, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_STARTED |
                                      PROF_ONLY_USER) != 0 ||
        prof_counter_open(&own, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_USER) != 0)
        puts("no counter is free");
    pthread_barrier_wait(&start);
    give_way(me);
    prof_counter_begin(&own);
    if (me % 2 == 0)
        PROF_START();
    for (long i = 0; i < TURNS; i++) {
        work(ROUNDS);
        give_way(i + me);
    }
    if (me % 2 == 0)
        PROF_STOP();
    prof_counter_close(&own);
    give_way(me);
    all[me] = prof_counter_read(&own);
    held[me] = prof_counter_read(&gated);
    return NULL;
}

/* A child goes on where its parent is: with the gate open, and with no counter of its own. */
static void fork_in_the_gate(void)
{
    struct prof_counter gated = {0, 0};
    int status = 0;

    PROF_START();
    if (fork() == 0) {
        prof_marks_enable(1);
        prof_counter_open(&gated, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_STARTED | PROF_ONLY_USER);
        work(ROUNDS);
        PROF_STOP();
        work(ROUNDS);
        _exit(gated.number == 3 && prof_counter_read(&gated) / ROUNDS == 2 ? 0 : 1);
    }
    PROF_STOP();
    wait(&status);
    if (status != 0)
        puts("the child has another gate than its parent had");
}

/* The work of one thread, and some for its calls. */
static int is_own(unsigned long long insns)
{
    enum { WORK = 2 * TURNS * ROUNDS };

    return insns >= WORK && insns < WORK + WORK / 10;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 1;
    pthread_t thread[THREADS_MAX];

    harts = sysconf(_SC_NPROCESSORS_ONLN);
    prof_marks_enable(1);
    fork_in_the_gate();
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (long i = 0; i < threads; i++)
        if (!is_own(all[i]) || !(i % 2 == 0 ? is_own(held[i]) : held[i] == 0))
            printf("thread %ld: %llu, while its gate was open %llu\n", i, all[i], held[i]);
    puts("done");
    return 0;
}
