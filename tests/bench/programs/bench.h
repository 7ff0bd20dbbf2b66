/* The common part of the programs that measure the simulator's speed: a program does the same work
 * each round, and each round must end in the same checksum, on every machine.
 *
 * BENCH_ROUNDS, defined when a program is compiled, replaces its own number of rounds. */
#ifndef TESTS_BENCH_PROGRAMS_BENCH_H
#define TESTS_BENCH_PROGRAMS_BENCH_H

#include <stddef.h>
#include <stdint.h>

struct bench { uint32_t rounds, expected; };

#ifdef BENCH_ROUNDS
#define BENCH(count, checksum) const struct bench bench = {BENCH_ROUNDS, checksum}
#else
#define BENCH(count, checksum) const struct bench bench = {count, checksum}
#endif

/* Each program defines these two functions. */
extern const struct bench bench;
uint32_t bench_round(void);

/* Fowler/Noll/Vo hash (FNV-1a), a word at a time; starts with BENCH_BASIS. */
#define BENCH_BASIS UINT32_C(2166136261)
static inline uint32_t bench_mix(uint32_t sum, uint32_t word)
{
    return (sum ^ word) * UINT32_C(16777619);
}

/* Xorshift of period 2^32 - 1; the state is never 0. Source: Marsaglia, "Xorshift RNGs", 2003. */
static inline uint32_t bench_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
