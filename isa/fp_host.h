/* Use of the host's FPU, and proofs of its results. Private to isa/fp_*.
 *
 * The host rounds to nearest even and keeps subnormals, as C programs start; no code changes or
 * reads its control and status word. The flags are computed by arithmetic instead: a result well
 * inside the normal range can raise only FP_NX, and whether it is exact is computed without error.
 * That is cheaper than clearing and reading the status word, and compilers cannot reorder it. */
#ifndef ISA_FP_HOST_H
#define ISA_FP_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* On other hosts (x87 arithmetic, relaxed arithmetic, unmeasured ones) all operations are in
 * software. */
#if defined(__x86_64__) && defined(__SSE2_MATH__) && !defined(__FAST_MATH__)
#include <emmintrin.h>
#define FP_HAS_HOST 1
#else
#define FP_HAS_HOST 0
#endif

static inline float host_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t host_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double host_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t host_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* True if finite, and clear of the smallest normal number, where tininess depends on rounding. */
static inline bool host_f32_is_inside(uint32_t result)
{
    return (result << 1) - (UINT32_C(2) << 24) < UINT32_C(0xfd) << 24;
}

static inline bool host_f64_is_inside(uint64_t result)
{
    return (result << 1) - (UINT64_C(2) << 53) < UINT64_C(0x7fd) << 53;
}

/* True for sums far below overflow, so that no step of *_sum_error overflows. Small ones are
 * exact. */
static inline bool host_f32_is_sum(uint32_t result)
{
    return result << 1 < UINT32_C(0xfd) << 24;
}

static inline bool host_f64_is_sum(uint64_t result)
{
    return result << 1 < UINT64_C(0x7fd) << 53;
}

/* The rounding error of sum = x + y, exactly (Knuth, The Art of Computer Programming 4.2.2). */
static inline float host_f32_sum_error(float x, float y, float sum)
{
    float y_seen = sum - x;
    return (x - (sum - y_seen)) + (y - y_seen);
}

static inline double host_f64_sum_error(double x, double y, double sum)
{
    double y_seen = sum - x;
    return (x - (sum - y_seen)) + (y - y_seen);
}

static inline unsigned host_f64_exponent(uint64_t bits)
{
    return bits >> 52 & 0x7ff;
}

static inline bool host_f64_is_zero(uint64_t bits)
{
    return bits << 1 == 0;
}

static inline bool host_f64_is_normal(uint64_t bits)
{
    return host_f64_exponent(bits) - 1 < 0x7fe;
}

/* True if a * b of normal numbers, rounded to normal `result`, is exact. The product of the 53-bit
 * significands has 105 bits, or 106, depending on the exponents; the lowest 52 or 53 must be
 * zero. */
static inline bool host_f64_product_is_exact(uint64_t a, uint64_t b, uint64_t result)
{
    const uint64_t hidden = UINT64_C(1) << 52;
    uint64_t low = ((a & (hidden - 1)) | hidden) * ((b & (hidden - 1)) | hidden);
    unsigned carry = host_f64_exponent(result) + 1023 - host_f64_exponent(a) - host_f64_exponent(b);
    return low << ((12 - carry) & 63) == 0;
}

/* Rounds x to an integer in [min, max] and raises FP_NX if inexact. False: out of range, or inexact
 * in a rounding mode that needs more than one instruction. */
static inline bool host_to_integer(double x, int64_t min, int64_t max, unsigned rm, int64_t *result,
                                   unsigned *flags)
{
#if FP_HAS_HOST
    if (!(x > -0x1p63 && x < 0x1p63)) {
        return false;
    }
    int64_t whole = rm == FP_RNE ? _mm_cvtsd_si64(_mm_set_sd(x)) : (int64_t)x;
    bool is_exact = (double)whole == x;
    if (whole < min || whole > max || !(is_exact || rm <= FP_RTZ)) {
        return false;
    }
    *flags |= is_exact ? 0 : FP_NX;
    *result = whole;
    return true;
#else
    (void)x, (void)min, (void)max, (void)rm, (void)result, (void)flags;
    return false;
#endif
}

#endif
