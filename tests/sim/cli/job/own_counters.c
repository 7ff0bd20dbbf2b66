/* A Linux program that counts its own events: each number is that of its source. */
#include <stdio.h>

#include "rvsim/counter.h"
#include "rvsim/indicator.h"

/* `times` times seven instructions with two loads and a store, and nothing in between. */
static void work(unsigned long times)
{
    static volatile unsigned long words[2];

    __asm__ volatile(".option push\n.option norvc\n"
                     "1: ld t0, 0(%1)\n ld t1, 8(%1)\n add t0, t0, t1\n sd t0, 0(%1)\n"
                     "nop\n addi %0, %0, -1\n bnez %0, 1b\n.option pop"
                     : "+r"(times) : "r"(words) : "t0", "t1", "memory");
}

/* Reading a counter adds nothing to the counts: there are no loads or stores between begin and
 * read. */
static void count_all(void)
{
    struct prof_counter loads, stores, branches, kernel;
    unsigned long long l, s, b, k;

    if (prof_counter_open(&loads, PROF_EVENT_LOADS | PROF_ONLY_RANGE(0)) != 0)
        return;
    prof_counter_close(&loads);
    prof_counter_open(&stores, PROF_EVENT_STORES | PROF_ONLY_STARTED);
    prof_counter_open(&loads, PROF_EVENT_LOADS | PROF_ONLY_STARTED);
    prof_counter_open(&branches, PROF_EVENT_BRANCHES_TAKEN | PROF_ONLY_STARTED);
    prof_counter_open(&kernel, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_KERNEL | PROF_ONLY_STARTED);
    work(50);                               /* before start: not counted */
    PROF_START();
    work(100);
    PROF_STOP();
    work(50);
    l = prof_counter_read(&loads), s = prof_counter_read(&stores);
    b = prof_counter_read(&branches), k = prof_counter_read(&kernel);
    printf("started: %llu loads, %llu stores, %llu taken, %llu in the kernel\n", l, s, b, k);
    prof_counter_close(&loads);
    prof_counter_close(&stores);
    prof_counter_close(&branches);
    prof_counter_close(&kernel);
}

static void count_labels(void)
{
    static unsigned long word;
    struct prof_counter seven, marked, eight;

    prof_counter_open(&seven, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_LABEL(7));
    prof_counter_open(&eight, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_LABEL(8));
    prof_counter_open(&marked, PROF_EVENT_STORES | PROF_ONLY_MARKED);
    for (volatile int i = 0; i < 10; i++) {
        PROF_LABEL(1, 7);
        __asm__ volatile("nop");
        PROF_MARK();
        __asm__ volatile("sd zero, 0(%0)" : : "r"(&word) : "memory");
    }
    printf("labelled: %llu, other: %llu, marked stores: %llu\n", prof_counter_read(&seven),
           prof_counter_read(&eight), prof_counter_read(&marked));
    prof_counter_close(&seven);
    prof_counter_close(&eight);
    prof_counter_close(&marked);
}

static void take_all(void)
{
    struct prof_counter counter[PROF_COUNTERS];
    unsigned taken = 0;

    while (taken < PROF_COUNTERS &&
           prof_counter_open(&counter[taken], PROF_EVENT_INSNS_RETIRED) == 0)
        taken++;
    printf("counters: %u\n", taken);
    while (taken-- != 0)
        prof_counter_close(&counter[taken]);
}

int main(void)
{
    struct prof_counter insns;

    prof_marks_enable(1);
    count_all();
    count_labels();
    take_all();
    prof_counter_open(&insns, PROF_EVENT_INSNS_RETIRED | PROF_ONLY_USER);
    work(1000);
    unsigned long long all = prof_counter_read(&insns);
    printf("all: %d\n", all >= 7000 && all < 7100);
    prof_counter_close(&insns);
    return 0;
}
