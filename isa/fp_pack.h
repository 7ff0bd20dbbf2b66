/* Taking floating-point numbers apart and rounding them back into bits. Private to isa/fp_*.c.
 *
 * An unpacked finite number is sig * 2^(exp - 63) with bit 63 of sig set, so 1.xxx * 2^exp;
 * subnormal operands are normalised and need no further care. Bits that fall off the low end are
 * "jammed" into the lowest bit, which keeps every later rounding decision right: binary64 leaves 11
 * bits to spare. */
#ifndef ISA_FP_PACK_H
#define ISA_FP_PACK_H

#include "isa/fp.h"

__extension__ typedef unsigned __int128 fp_u128;

struct fp_format {
    unsigned width, frac_bits;
    int bias;
};

static const struct fp_format fp_single = {32, 23, 127}, fp_double = {64, 52, 1023};

enum fp_kind { FP_KIND_ZERO, FP_KIND_FINITE, FP_KIND_INF, FP_KIND_NAN };

struct fp_value {
    enum fp_kind kind;
    bool sign, is_signaling;
    int exp;
    uint64_t sig;
};

static inline uint64_t fp_zero_bits(const struct fp_format *format, bool sign)
{
    return (uint64_t)sign << (format->width - 1);
}

static inline uint64_t fp_inf_bits(const struct fp_format *format, bool sign)
{
    return fp_zero_bits(format, sign) | (uint64_t)(2 * format->bias + 1) << format->frac_bits;
}

static inline uint64_t fp_nan_bits(const struct fp_format *format)
{
    return fp_inf_bits(format, false) | UINT64_C(1) << (format->frac_bits - 1);
}

static inline uint64_t fp_invalid(const struct fp_format *format, unsigned *flags)
{
    *flags |= FP_NV;
    return fp_nan_bits(format);
}

static inline struct fp_value fp_unpack(const struct fp_format *format, uint64_t bits)
{
    uint64_t inf = fp_inf_bits(format, false);
    uint64_t magnitude = bits & (fp_zero_bits(format, true) - 1);
    struct fp_value value = {.sign = bits >> (format->width - 1) & 1};
    if (magnitude >= inf) {
        value.kind = magnitude == inf ? FP_KIND_INF : FP_KIND_NAN;
        value.is_signaling = magnitude > inf && magnitude < fp_nan_bits(format);
    } else if (magnitude != 0) {
        int biased = (int)(magnitude >> format->frac_bits);
        uint64_t hidden = UINT64_C(1) << format->frac_bits;
        uint64_t sig = biased != 0 ? (magnitude & (hidden - 1)) | hidden : magnitude;
        int lead = __builtin_clzll(sig);
        value.kind = FP_KIND_FINITE;
        value.sig = sig << lead;
        value.exp = (biased != 0 ? biased : 1) - format->bias + 63 - (int)format->frac_bits - lead;
    }
    return value;
}

/* True if a magnitude is rounded up when `rest`, out of 2 * half, is dropped below it. */
static inline bool fp_rounds_up(unsigned rm, bool sign, bool is_odd, uint64_t rest, uint64_t half)
{
    switch (rm) {
    case FP_RNE: return rest > half || (rest == half && is_odd);
    case FP_RDN: return rest != 0 && sign;
    case FP_RUP: return rest != 0 && !sign;
    case FP_RMM: return rest >= half;
    default: return false;
    }
}

/* Shifts right by `count` >= 0 places; a one that is shifted out stays visible in bit 0. */
static inline fp_u128 fp_shift_jam(fp_u128 value, int count)
{
    if (count > 127) {
        return value != 0;
    }
    fp_u128 kept = value >> count;
    return kept | (kept << count != value);
}

/* Drops `shift` low bits of sig with rounding; *rest: the dropped bits. */
static inline uint64_t fp_round(uint64_t sig, unsigned shift, bool sign, unsigned rm,
                                uint64_t *rest)
{
    uint64_t half = UINT64_C(1) << (shift - 1);
    *rest = sig & (2 * half - 1);
    uint64_t kept = sig >> shift;
    return kept + fp_rounds_up(rm, sign, kept & 1, *rest, half);
}

/* Rounds sig * 2^(exp - 63), with bit 63 of sig set, to the format, and raises the flags of the
 * rounding. */
static inline uint64_t fp_round_pack(const struct fp_format *format, bool sign, int exp,
                                     uint64_t sig, unsigned rm, unsigned *flags)
{
    unsigned shift = 63 - format->frac_bits;
    int biased = exp + format->bias;
    bool is_tiny = false;
    uint64_t rest;
    if (biased < 1) {
        /* tested after rounding: a number that reaches the smallest normal one is not tiny */
        uint64_t unbounded = fp_round(sig, shift, sign, rm, &rest);
        is_tiny = biased < 0 || unbounded >> (format->frac_bits + 1) == 0;
        sig = (uint64_t)fp_shift_jam(sig, 1 - biased);
        biased = 1;
    }
    uint64_t rounded = fp_round(sig, shift, sign, rm, &rest);
    /* adding, not or-ing, lets a carry out of the significand step the exponent */
    uint64_t magnitude = ((uint64_t)(biased - 1) << format->frac_bits) + rounded;
    uint64_t inf = fp_inf_bits(format, false);
    if (magnitude >= inf) {
        *flags |= FP_OF | FP_NX;
        /* infinity, unless the rounding direction keeps the largest finite number */
        return fp_zero_bits(format, sign) | (inf - !fp_rounds_up(rm, sign, true, 3, 2));
    }
    if (rest != 0) {
        *flags |= is_tiny ? FP_NX | FP_UF : FP_NX;
    }
    return fp_zero_bits(format, sign) | magnitude;
}

/* As fp_round_pack, for sig * 2^(exp - 127) of any alignment, sig != 0. */
static inline uint64_t fp_round_pack_wide(const struct fp_format *format, bool sign, int exp,
                                          fp_u128 sig, unsigned rm, unsigned *flags)
{
    uint64_t high = (uint64_t)(sig >> 64);
    int lead = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)sig);
    sig <<= lead;
    high = (uint64_t)(sig >> 64) | ((uint64_t)sig != 0);
    return fp_round_pack(format, sign, exp - lead, high, rm, flags);
}

#endif
