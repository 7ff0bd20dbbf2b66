/* Conversions of F and D: the host's where its result is provably right, integers otherwise. Exact
 * ones are right in every rounding mode. Part of isa/fp.h; include that.
 *
 * Integer results have the form of an x register, as in isa/fp_soft.h. */
#ifndef ISA_FP_CAST_H
#define ISA_FP_CAST_H

#include "isa/fp.h"
#include "isa/fp_host.h"
#include "isa/fp_soft.h"

static inline uint64_t f64_to_i32(uint64_t a, unsigned rm, unsigned *flags)
{
    int64_t result;
    if (host_to_integer(host_f64(a), INT32_MIN, INT32_MAX, rm, &result, flags)) {
        return (uint64_t)result;
    }
    return soft_f64_to_i32(a, rm, flags);
}

static inline uint64_t f64_to_u32(uint64_t a, unsigned rm, unsigned *flags)
{
    int64_t result;
    if (host_to_integer(host_f64(a), 0, UINT32_MAX, rm, &result, flags)) {
        return (uint64_t)(int64_t)(int32_t)result;
    }
    return soft_f64_to_u32(a, rm, flags);
}

static inline uint64_t f64_to_i64(uint64_t a, unsigned rm, unsigned *flags)
{
    int64_t result;
    if (host_to_integer(host_f64(a), INT64_MIN, INT64_MAX, rm, &result, flags)) {
        return (uint64_t)result;
    }
    return soft_f64_to_i64(a, rm, flags);
}

static inline uint64_t f64_to_u64(uint64_t a, unsigned rm, unsigned *flags)
{
    int64_t result;
    if (host_to_integer(host_f64(a), 0, INT64_MAX, rm, &result, flags)) {
        return (uint64_t)result;
    }
    return soft_f64_to_u64(a, rm, flags);
}

static inline uint64_t f32_to_f64(uint32_t a, unsigned *flags)
{
    uint64_t result = host_f64_bits((double)host_f32(a));
    if (FP_HAS_HOST && host_f64_exponent(result) != 0x7ff) {
        return result;
    }
    return soft_f32_to_f64(a, flags);
}

static inline uint32_t f64_to_f32(uint64_t a, unsigned rm, unsigned *flags)
{
    if (FP_HAS_HOST) {
        double x = host_f64(a);
        float result = (float)x;
        if ((double)result == x) {
            return host_f32_bits(result);
        }
        if (rm == FP_RNE && host_f32_is_inside(host_f32_bits(result))) {
            *flags |= FP_NX;
            return host_f32_bits(result);
        }
    }
    return soft_f64_to_f32(a, rm, flags);
}

/* Through binary64, which holds every binary32 number. A signaling NaN raises FP_NV on the way, as
 * it does at the end. */
static inline uint64_t f32_to_i32(uint32_t a, unsigned rm, unsigned *flags)
{
    return f64_to_i32(f32_to_f64(a, flags), rm, flags);
}

static inline uint64_t f32_to_u32(uint32_t a, unsigned rm, unsigned *flags)
{
    return f64_to_u32(f32_to_f64(a, flags), rm, flags);
}

static inline uint64_t f32_to_i64(uint32_t a, unsigned rm, unsigned *flags)
{
    return f64_to_i64(f32_to_f64(a, flags), rm, flags);
}

static inline uint64_t f32_to_u64(uint32_t a, unsigned rm, unsigned *flags)
{
    return f64_to_u64(f32_to_f64(a, flags), rm, flags);
}

/* Integers up to 2^53 in magnitude are exact in binary64; rounding that once more gives
 * binary32. */
static inline uint64_t i64_to_f64(int64_t value, unsigned rm, unsigned *flags)
{
    const uint64_t limit = UINT64_C(1) << 53;
    if (FP_HAS_HOST && (uint64_t)value + limit <= 2 * limit) {
        return host_f64_bits((double)value);
    }
    return soft_i64_to_f64(value, rm, flags);
}

static inline uint64_t u64_to_f64(uint64_t value, unsigned rm, unsigned *flags)
{
    return value >> 53 == 0 ? i64_to_f64((int64_t)value, rm, flags)
                            : soft_u64_to_f64(value, rm, flags);
}

static inline uint32_t i64_to_f32(int64_t value, unsigned rm, unsigned *flags)
{
    const uint64_t limit = UINT64_C(1) << 53;
    if (FP_HAS_HOST && (uint64_t)value + limit <= 2 * limit) {
        return f64_to_f32(host_f64_bits((double)value), rm, flags);
    }
    return soft_i64_to_f32(value, rm, flags);
}

static inline uint32_t u64_to_f32(uint64_t value, unsigned rm, unsigned *flags)
{
    return value >> 53 == 0 ? i64_to_f32((int64_t)value, rm, flags)
                            : soft_u64_to_f32(value, rm, flags);
}

/* 32-bit sources, extended. */
static inline uint64_t i32_to_f64(int32_t value, unsigned rm, unsigned *flags)
{
    return i64_to_f64(value, rm, flags);
}

static inline uint64_t u32_to_f64(uint32_t value, unsigned rm, unsigned *flags)
{
    return i64_to_f64(value, rm, flags);
}

static inline uint32_t i32_to_f32(int32_t value, unsigned rm, unsigned *flags)
{
    return i64_to_f32(value, rm, flags);
}

static inline uint32_t u32_to_f32(uint32_t value, unsigned rm, unsigned *flags)
{
    return i64_to_f32(value, rm, flags);
}

#endif
