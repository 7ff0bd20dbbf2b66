/* Cycles compared: which of two moments comes first. */
#ifndef SIM_BASE_CYCLE_H
#define SIM_BASE_CYCLE_H

#include <stdint.h>

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* So many cycles before; 0: before the first. */
static inline uint64_t cycles_before(uint64_t cycle, uint64_t cycles)
{
    return cycle > cycles ? cycle - cycles : 0;
}

#endif
