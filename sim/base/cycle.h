/* Comparisons of cycle numbers. */
#ifndef SIM_BASE_CYCLE_H
#define SIM_BASE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* places[i] is taken until cycle until[i]; returns the place that is free first. count must be at
 * least 1. */
static inline uint64_t *first_free(uint64_t *until, uint32_t count)
{
    uint64_t *first = &until[0];
    for (uint32_t i = 1; i < count; i++)
        if (until[i] < *first)
            first = &until[i];
    return first;
}

/* The cycle `cycles` before `cycle`, at least 0. */
static inline uint64_t cycles_before(uint64_t cycle, uint64_t cycles)
{
    return cycle > cycles ? cycle - cycles : 0;
}

/* True if at least `cycles` cycles lie between the known cycle `cycle` and `now`. */
static inline bool cycle_has_come(uint64_t cycle, uint64_t now, uint64_t cycles)
{
    return (int64_t)cycle <= (int64_t)(now - cycles);
}

#endif
