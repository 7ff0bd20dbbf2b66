/* Programs that spend their time like programs of SPEC CPU2017 and PARSEC: the same kind of work on
 * the same kind of data, in few lines. They are Linux programs, and the profiling schemes are
 * compared on them (docs/profiling/comparison.md).
 *
 * A program makes its data in setup() and processes them in work(), where the region of interest
 * begins (--roi work); a round takes some million instructions, and the argument is the number of
 * rounds. The result of work() is printed, so that the compiler removes no part of the work. */
#ifndef TESTS_BENCH_WORKLOADS_WORKLOAD_H
#define TESTS_BENCH_WORKLOADS_WORKLOAD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each program defines these two. */
static void setup(void);
__attribute__((noinline)) uint64_t work(void);

/* Xorshift (Marsaglia, 2003). */
static uint64_t random_state = 88172645463325252u;
static inline uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}
static inline uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((random_word() >> 32) * limit >> 32);
}
/* In [0, 1). */
static inline double random_real(void)
{
    return (double)(random_word() >> 11) * 0x1p-53;
}

int main(int arguments, char **argument)
{
    uint64_t sum = 0;

    setup();
    for (int round = arguments > 1 ? atoi(argument[1]) : 1; round > 0; round--)
        sum = sum * 31 + work();
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}

#endif
