/* Conversions of F and D in integers: between the formats, and from and to integers. */
#include "isa/fp_pack.h"
#include "isa/fp_soft.h"

/* The magnitudes an integer type can hold with either sign. */
struct int_range {
    uint64_t positive, negative;
};

static const struct int_range i32_range = {INT32_MAX, UINT64_C(1) << 31};
static const struct int_range u32_range = {UINT32_MAX, 0};
static const struct int_range i64_range = {INT64_MAX, UINT64_C(1) << 63};
static const struct int_range u64_range = {UINT64_MAX, 0};

static inline uint64_t saturate(const struct int_range *range, bool sign, unsigned *flags)
{
    *flags |= FP_NV;
    return sign ? 0 - range->negative : range->positive;
}

/* Rounds first, then tests whether the integer fits (section 20.7): -0.5 may become 0u. */
static uint64_t to_integer(uint64_t bits, const struct int_range *range, unsigned rm,
                           unsigned *flags)
{
    struct fp_value a = fp_unpack(&fp_double, bits);
    if (a.kind == FP_KIND_ZERO) {
        return 0;
    }
    if (a.kind != FP_KIND_FINITE || a.exp > 63) {
        return saturate(range, a.sign && a.kind != FP_KIND_NAN, flags);
    }
    fp_u128 fixed = fp_shift_jam((fp_u128)a.sig << 64, 63 - a.exp);
    uint64_t whole = (uint64_t)(fixed >> 64), rest = (uint64_t)fixed;
    uint64_t magnitude = whole + fp_rounds_up(rm, a.sign, whole & 1, rest, F64_SIGN);
    /* a carry out of bit 63 cannot happen: a number with a fraction is below 2^53 */
    if (magnitude > (a.sign ? range->negative : range->positive)) {
        return saturate(range, a.sign, flags);
    }
    if (rest != 0) {
        *flags |= FP_NX;
    }
    return a.sign ? 0 - magnitude : magnitude;
}

static inline uint64_t sign_extended(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static uint64_t from_integer(const struct fp_format *format, bool sign, uint64_t magnitude,
                             unsigned rm, unsigned *flags)
{
    if (magnitude == 0) {
        return 0;
    }
    int lead = __builtin_clzll(magnitude);
    return fp_round_pack(format, sign, 63 - lead, magnitude << lead, rm, flags);
}

static inline uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t change_format(const struct fp_format *from, const struct fp_format *to,
                              uint64_t bits, unsigned rm, unsigned *flags)
{
    struct fp_value a = fp_unpack(from, bits);
    switch (a.kind) {
    case FP_KIND_ZERO: return fp_zero_bits(to, a.sign);
    case FP_KIND_INF: return fp_inf_bits(to, a.sign);
    case FP_KIND_FINITE: return fp_round_pack(to, a.sign, a.exp, a.sig, rm, flags);
    default: return a.is_signaling ? fp_invalid(to, flags) : fp_nan_bits(to);
    }
}

uint64_t soft_f64_to_i32(uint64_t a, unsigned rm, unsigned *flags)
{
    return to_integer(a, &i32_range, rm, flags);
}

uint64_t soft_f64_to_u32(uint64_t a, unsigned rm, unsigned *flags)
{
    return sign_extended(to_integer(a, &u32_range, rm, flags));
}

uint64_t soft_f64_to_i64(uint64_t a, unsigned rm, unsigned *flags)
{
    return to_integer(a, &i64_range, rm, flags);
}

uint64_t soft_f64_to_u64(uint64_t a, unsigned rm, unsigned *flags)
{
    return to_integer(a, &u64_range, rm, flags);
}

uint32_t soft_i64_to_f32(int64_t value, unsigned rm, unsigned *flags)
{
    return (uint32_t)from_integer(&fp_single, value < 0, magnitude_of(value), rm, flags);
}

uint32_t soft_u64_to_f32(uint64_t value, unsigned rm, unsigned *flags)
{
    return (uint32_t)from_integer(&fp_single, false, value, rm, flags);
}

uint64_t soft_i64_to_f64(int64_t value, unsigned rm, unsigned *flags)
{
    return from_integer(&fp_double, value < 0, magnitude_of(value), rm, flags);
}

uint64_t soft_u64_to_f64(uint64_t value, unsigned rm, unsigned *flags)
{
    return from_integer(&fp_double, false, value, rm, flags);
}

uint64_t soft_f32_to_f64(uint32_t a, unsigned *flags)
{
    return change_format(&fp_single, &fp_double, a, FP_RNE, flags);
}

uint32_t soft_f64_to_f32(uint64_t a, unsigned rm, unsigned *flags)
{
    return (uint32_t)change_format(&fp_double, &fp_single, a, rm, flags);
}
