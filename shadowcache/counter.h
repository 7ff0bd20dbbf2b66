/* The arithmetic of own counters: width, wrap or saturation, nearness to the overflow.
 *
 * A frame counts in a delta, which starts at zero and only grows until it is merged into memory; a
 * counter is cleared in memory alone, in one step with the merge. So every value is a sum of
 * non-negative terms, and both additions here are associative and commutative: the result does not
 * depend on the order in which frames and harts merge, and equals that of one counter of this
 * width. A delta needs no more bits than the counter. */
#ifndef SHADOWCACHE_COUNTER_H
#define SHADOWCACHE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/abi.h"

struct counter_format {
    uint64_t top;               /* largest value: 2^width - 1 */
    uint64_t near;              /* largest value that is not near the overflow */
    bool saturates;             /* else it wraps to zero */
};

/* bits: 8..64, other values mean 64. distance: a count is near the overflow if it is less than this
 * below the top (the top itself always is); 0 = never. */
static inline struct counter_format counter_format_make(unsigned bits, bool saturates,
                                                        uint64_t distance)
{
    struct counter_format format = {.top = UINT64_MAX, .saturates = saturates};

    if (bits >= 8 && bits < 64)
        format.top >>= 64 - bits;
    if (distance == 0)
        format.near = UINT64_MAX;
    else
        format.near = distance > format.top ? 0 : format.top - distance;
    return format;
}

static inline uint64_t counter_add(const struct counter_format *format, uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;

    if (format->saturates && (sum < a || sum > format->top))
        return format->top;
    return sum & format->top;
}

/* True if the sum, before it wraps or saturates, is near the overflow or past it. */
static inline bool counter_is_near(const struct counter_format *format, uint64_t a, uint64_t b)
{
    return format->near != UINT64_MAX && (a > format->near || b > format->near - a);
}

#endif
