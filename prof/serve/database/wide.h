/* Numbers of 64 bits and more in two parts, for databases whose integers have a sign: the value is
 * high * 2^32 + low. Low parts of many rows may be summed before the parts are put together. */
#ifndef PROF_SERVE_DATABASE_WIDE_H
#define PROF_SERVE_DATABASE_WIDE_H

#include <stdint.h>

struct wide { int64_t high, low; };

static inline struct wide wide_of(uint64_t value)
{
    return (struct wide){(int64_t)(value >> 32), (int64_t)(value & UINT32_MAX)};
}

/* Saturates at 64 bits. */
static inline uint64_t wide_value(int64_t high, int64_t low)
{
    uint64_t top = (uint64_t)high + ((uint64_t)low >> 32);

    return top > UINT32_MAX ? UINT64_MAX : top << 32 | ((uint64_t)low & UINT32_MAX);
}

#endif
