/* A pointer chase: each load's address is the value of the one before, in an order no prefetcher
 * guesses, over 128 KiB. It measures waiting, not work, and is left out of means. */
#include "bench.h"

enum { LINES = 2048, STEPS = 1 << 19 };

struct line { uint32_t next, visited[15]; };            /* 64 bytes */

static struct line lines[LINES];

/* One cycle through all lines: Sattolo's shuffle. */
static void shuffle(void)
{
    uint32_t state = 13;
    for (uint32_t i = 0; i < LINES; i++)
        lines[i] = (struct line){.next = i};
    for (uint32_t i = LINES - 1; i > 0; i--) {
        uint32_t other = bench_random(&state) % i, kept = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = kept;
    }
}

uint32_t bench_round(void)
{
    uint32_t at = 0, sum = BENCH_BASIS;
    shuffle();
    for (uint32_t step = 0; step < STEPS; step++)
        at = lines[at].next;
    sum = bench_mix(sum, at);
    for (uint32_t step = 0; step < LINES; step++) {
        lines[at].visited[0]++;
        at = lines[at].next;
    }
    for (uint32_t i = 0; i < LINES; i++)
        sum = bench_mix(sum, lines[i].visited[0]);
    return sum;
}

BENCH(8, UINT32_C(326092063));
