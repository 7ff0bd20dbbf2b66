/* Arithmetic of F and D in integers. Both formats run through the same functions.
 *
 * There is one adder. A sum is fma(a, 1, b) and a product fma(a, b, 0) with the zero's sign that of
 * the product: IEEE 754 defines all three as the exact value rounded once, and the special cases
 * (zeros' signs, infinities, NaNs) of the narrow operations are those of the wide one. */
#include "isa/fp_soft.h"

#include "isa/fp_pack.h"

/* sig * 2^(exp - 126), bit 127 of sig clear as room for a carry. */
struct fp_term {
    bool sign;
    int exp;
    fp_u128 sig;
};

static inline uint64_t nan_result(const struct fp_format *format, bool is_invalid, unsigned *flags)
{
    return is_invalid ? fp_invalid(format, flags) : fp_nan_bits(format);
}

/* Rounds x + y, both not zero. At least one term has enough clear low bits that a bit jammed into
 * the other, shifted term cannot be cancelled upwards into the rounding position. */
static inline uint64_t add_terms(const struct fp_format *format, struct fp_term x,
                                 struct fp_term y, unsigned rm, unsigned *flags)
{
    if (x.exp < y.exp) {
        struct fp_term smaller = x;
        x = y;
        y = smaller;
    }
    y.sig = fp_shift_jam(y.sig, x.exp - y.exp);
    fp_u128 sum;
    if (x.sign == y.sign) {
        sum = x.sig + y.sig;
    } else if (x.sig >= y.sig) {
        sum = x.sig - y.sig;
    } else {
        sum = y.sig - x.sig;
        x.sign = y.sign;
    }
    if (sum == 0) {
        return fp_zero_bits(format, rm == FP_RDN);
    }
    return fp_round_pack_wide(format, x.sign, x.exp + 1, sum, rm, flags);
}

/* The product of finite numbers keeps all its bits: 106 of them for binary64, from bit 126 down. */
static inline struct fp_term product(struct fp_value a, struct fp_value b)
{
    return (struct fp_term){a.sign != b.sign, a.exp + b.exp + 1, (fp_u128)a.sig * b.sig >> 1};
}

static inline struct fp_term widened(struct fp_value value)
{
    return (struct fp_term){value.sign, value.exp, (fp_u128)value.sig << 63};
}

/* a * b + c when an operand is NaN or infinite. */
static inline uint64_t fma_special(const struct fp_format *format, struct fp_value a,
                                   struct fp_value b, struct fp_value c, unsigned *flags)
{
    bool is_inf_product = a.kind == FP_KIND_INF || b.kind == FP_KIND_INF;
    bool has_zero_factor = a.kind == FP_KIND_ZERO || b.kind == FP_KIND_ZERO;
    bool is_nan_product = a.kind == FP_KIND_NAN || b.kind == FP_KIND_NAN;
    if (is_nan_product || c.kind == FP_KIND_NAN) {
        /* infinity times zero is invalid even when a quiet NaN is added (section 20.6) */
        bool is_invalid = a.is_signaling || b.is_signaling || c.is_signaling
                          || (!is_nan_product && is_inf_product && has_zero_factor);
        return nan_result(format, is_invalid, flags);
    }
    bool sign = a.sign != b.sign;
    if (!is_inf_product) {
        return fp_inf_bits(format, c.sign);
    }
    if (has_zero_factor || (c.kind == FP_KIND_INF && c.sign != sign)) {
        return fp_invalid(format, flags);
    }
    return fp_inf_bits(format, sign);
}

static inline uint64_t fma_values(const struct fp_format *format, struct fp_value a,
                                  struct fp_value b, struct fp_value c, unsigned rm,
                                  unsigned *flags)
{
    if (a.kind >= FP_KIND_INF || b.kind >= FP_KIND_INF || c.kind >= FP_KIND_INF) {
        return fma_special(format, a, b, c, flags);
    }
    bool is_zero_product = a.kind == FP_KIND_ZERO || b.kind == FP_KIND_ZERO;
    if (is_zero_product && c.kind == FP_KIND_ZERO) {
        bool sign = a.sign != b.sign;
        return fp_zero_bits(format, sign == c.sign ? sign : rm == FP_RDN);
    }
    if (is_zero_product) {
        return fp_round_pack(format, c.sign, c.exp, c.sig, rm, flags);
    }
    struct fp_term term = product(a, b);
    if (c.kind == FP_KIND_ZERO) {
        return fp_round_pack_wide(format, term.sign, term.exp + 1, term.sig, rm, flags);
    }
    return add_terms(format, term, widened(c), rm, flags);
}

static uint64_t soft_add(const struct fp_format *format, uint64_t a, uint64_t b, unsigned rm,
                         unsigned *flags)
{
    struct fp_value one = {.kind = FP_KIND_FINITE, .sig = UINT64_C(1) << 63};
    return fma_values(format, fp_unpack(format, a), one, fp_unpack(format, b), rm, flags);
}

static uint64_t soft_mul(const struct fp_format *format, uint64_t a, uint64_t b, unsigned rm,
                         unsigned *flags)
{
    struct fp_value x = fp_unpack(format, a), y = fp_unpack(format, b);
    struct fp_value zero = {.kind = FP_KIND_ZERO, .sign = x.sign != y.sign};
    return fma_values(format, x, y, zero, rm, flags);
}

static uint64_t soft_fma(const struct fp_format *format, uint64_t a, uint64_t b, uint64_t c,
                         unsigned rm, unsigned *flags)
{
    return fma_values(format, fp_unpack(format, a), fp_unpack(format, b), fp_unpack(format, c), rm,
                      flags);
}

/* a / b when an operand is NaN, infinite or zero. */
static uint64_t div_special(const struct fp_format *format, struct fp_value a, struct fp_value b,
                            unsigned *flags)
{
    if (a.kind == FP_KIND_NAN || b.kind == FP_KIND_NAN) {
        return nan_result(format, a.is_signaling || b.is_signaling, flags);
    }
    if (a.kind == b.kind) {
        return fp_invalid(format, flags);
    }
    bool sign = a.sign != b.sign;
    if (a.kind == FP_KIND_INF) {
        return fp_inf_bits(format, sign);
    }
    if (b.kind == FP_KIND_ZERO) {
        *flags |= FP_DZ;
        return fp_inf_bits(format, sign);
    }
    return fp_zero_bits(format, sign);
}

static uint64_t soft_div(const struct fp_format *format, uint64_t a, uint64_t b, unsigned rm,
                         unsigned *flags)
{
    struct fp_value x = fp_unpack(format, a), y = fp_unpack(format, b);
    if (x.kind != FP_KIND_FINITE || y.kind != FP_KIND_FINITE) {
        return div_special(format, x, y, flags);
    }
    /* 62 or 63 quotient bits; of the remainder only its being zero or not matters */
    fp_u128 dividend = (fp_u128)x.sig << 62;
    fp_u128 quotient = dividend / y.sig;
    quotient |= quotient * y.sig != dividend;
    return fp_round_pack_wide(format, x.sign != y.sign, x.exp - y.exp + 1, quotient << 64, rm,
                              flags);
}

/* floor(sqrt(value)), digit by digit; value >= 2^126. *is_exact: the remainder is zero. */
static uint64_t integer_sqrt(fp_u128 value, bool *is_exact)
{
    fp_u128 rest = value, root = 0;
    for (int shift = 126; shift >= 0; shift -= 2) {
        fp_u128 step = root | (fp_u128)1 << shift;
        root >>= 1;
        if (rest >= step) {
            rest -= step;
            root |= (fp_u128)1 << shift;
        }
    }
    *is_exact = rest == 0;
    return (uint64_t)root;
}

static uint64_t soft_sqrt(const struct fp_format *format, uint64_t a, unsigned rm, unsigned *flags)
{
    struct fp_value x = fp_unpack(format, a);
    if (x.kind == FP_KIND_NAN) {
        return nan_result(format, x.is_signaling, flags);
    }
    if (x.kind == FP_KIND_ZERO) {
        return a;
    }
    if (x.sign) {
        return fp_invalid(format, flags);
    }
    if (x.kind == FP_KIND_INF) {
        return a;
    }
    /* an even exponent is halved; an odd one moves a factor of two to the radicand */
    bool is_exact;
    uint64_t root = integer_sqrt((fp_u128)x.sig << (x.exp & 1 ? 64 : 63), &is_exact);
    return fp_round_pack(format, false, x.exp >> 1, root | !is_exact, rm, flags);
}

uint32_t soft_f32_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_add(&fp_single, a, b, rm, flags);
}

uint32_t soft_f32_sub(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_add(&fp_single, a, b ^ F32_SIGN, rm, flags);
}

uint32_t soft_f32_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_mul(&fp_single, a, b, rm, flags);
}

uint32_t soft_f32_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_div(&fp_single, a, b, rm, flags);
}

uint32_t soft_f32_sqrt(uint32_t a, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_sqrt(&fp_single, a, rm, flags);
}

uint32_t soft_f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags)
{
    return (uint32_t)soft_fma(&fp_single, a, b, c, rm, flags);
}

uint64_t soft_f64_add(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    return soft_add(&fp_double, a, b, rm, flags);
}

uint64_t soft_f64_sub(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    return soft_add(&fp_double, a, b ^ F64_SIGN, rm, flags);
}

uint64_t soft_f64_mul(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    return soft_mul(&fp_double, a, b, rm, flags);
}

uint64_t soft_f64_div(uint64_t a, uint64_t b, unsigned rm, unsigned *flags)
{
    return soft_div(&fp_double, a, b, rm, flags);
}

uint64_t soft_f64_sqrt(uint64_t a, unsigned rm, unsigned *flags)
{
    return soft_sqrt(&fp_double, a, rm, flags);
}

uint64_t soft_f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, unsigned *flags)
{
    return soft_fma(&fp_double, a, b, c, rm, flags);
}
