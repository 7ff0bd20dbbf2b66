/* A program with indicators in its instruction stream, which has the same results wherever it runs:
 * prints the sum of a table and ends with status 7. With -DPLAIN no-ops take the indicators'
 * places; with -DBARE it runs on the bare machine. Marked are the 50 executions of the instruction
 * after PROF_MARK, and all instructions between start and stop. */
#ifdef PLAIN
#define HINT ".option push\n\t.option norvc\n\tnop\n\t.option pop"
#define PROF_MARK_NEXT(n, flags) __asm__ volatile(HINT : : : "memory")
#define PROF_LABEL_NEXT(n, k, flags) __asm__ volatile(HINT : : : "memory")
#define PROF_BUNDLE(flags) __asm__ volatile(".balign 16\n\t" HINT : : : "memory")
#define PROF_MARK() PROF_MARK_NEXT(1, 0)
#define PROF_START() PROF_MARK_NEXT(1, 0)
#define PROF_STOP() PROF_MARK_NEXT(1, 0)
#define PROF_TOGGLE() PROF_MARK_NEXT(1, 0)
#else
#include "guest/include/rvsim/indicator.h"
#endif

enum { ROUNDS = 50, WORDS = 64 };

static volatile unsigned table[WORDS];

static __attribute__((noinline)) unsigned sum_table(unsigned seed)
{
    unsigned sum = seed;

    for (unsigned i = 0; i < WORDS; i++) {
        PROF_LABEL_NEXT(2, 5, HINT_LABEL_COUNT);
        sum += table[i];
    }
    return sum;
}

static __attribute__((noinline)) unsigned work(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < WORDS; i++)
        table[i] = i * i;
    for (unsigned round = 0; round < ROUNDS; round++) {
        PROF_MARK();
        table[round % WORDS]++;
        PROF_START();
        sum = sum_table(sum);
        PROF_STOP();
        PROF_BUNDLE(HINT_COUNT);
        PROF_TOGGLE();
        sum ^= round;
        PROF_TOGGLE();
    }
    return sum;
}

#ifdef BARE
extern void fail(int status) __attribute__((noreturn));

void program(void)
{
    fail(work() == 4268530 ? 7 : 1);
}
#else
#include <stdio.h>

int main(void)
{
    printf("%u\n", work());
    return 7;
}
#endif
