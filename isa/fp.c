/* Comparison, minimum and maximum, classification: the operations that never round.
 *
 * Both formats share one implementation on left-justified bits: a binary32 is shifted into the
 * upper half, so that the sign is bit 63 and only the place of the exponent differs. */
#include "isa/fp.h"

#define F32_INF_LEFT (UINT64_C(0x7f800000) << 32)
#define F64_INF_LEFT UINT64_C(0x7ff0000000000000)

static inline uint64_t left(uint32_t value)
{
    return (uint64_t)value << 32;
}

static inline bool is_nan(uint64_t value, uint64_t inf)
{
    return value << 1 > inf << 1;
}

/* The first fraction bit, just below the exponent's lowest, is clear in a signaling NaN. */
static inline bool is_signaling(uint64_t value, uint64_t inf)
{
    uint64_t quiet = (inf & (0 - inf)) >> 1;
    return is_nan(value, inf) && !(value & quiet);
}

/* Orders like the number; both zeros have key 0. */
static inline int64_t order_key(uint64_t value)
{
    int64_t magnitude = (int64_t)(value & ~F64_SIGN);
    return value & F64_SIGN ? -magnitude : magnitude;
}

/* False for unordered operands, after raising the flags of eq (quiet) or of lt and le
 * (signaling). */
static inline bool is_ordered(uint64_t a, uint64_t b, uint64_t inf, bool is_quiet, unsigned *flags)
{
    if (!is_nan(a, inf) && !is_nan(b, inf)) {
        return true;
    }
    if (!is_quiet || is_signaling(a, inf) || is_signaling(b, inf)) {
        *flags |= FP_NV;
    }
    return false;
}

/* True if min (or max) returns `a`. The sign decides between zeros. */
static inline bool picks_first(uint64_t a, uint64_t b, uint64_t inf, bool is_max, unsigned *flags)
{
    if (!is_ordered(a, b, inf, true, flags)) {
        return is_nan(b, inf);
    }
    int64_t x = order_key(a), y = order_key(b);
    bool is_less = x < y || (x == y && (a & F64_SIGN));
    return is_less != is_max;
}

static inline unsigned classify(uint64_t value, uint64_t inf)
{
    enum { INFINITE = 0, NORMAL = 1, SUBNORMAL = 2, ZERO = 3, SIGNALING = 8, QUIET = 9 };
    uint64_t magnitude = value & ~F64_SIGN;
    if (magnitude > inf) {
        return 1u << (is_signaling(value, inf) ? SIGNALING : QUIET);
    }
    unsigned kind = magnitude == inf ? INFINITE : magnitude & inf ? NORMAL
                    : magnitude != 0 ? SUBNORMAL : ZERO;
    return 1u << (value & F64_SIGN ? kind : 7 - kind);
}

static inline uint32_t f32_pick(uint32_t a, uint32_t b, bool is_max, unsigned *flags)
{
    bool is_first = picks_first(left(a), left(b), F32_INF_LEFT, is_max, flags);
    uint32_t picked = is_first ? a : b;
    return is_nan(left(picked), F32_INF_LEFT) ? F32_NAN : picked;
}

static inline uint64_t f64_pick(uint64_t a, uint64_t b, bool is_max, unsigned *flags)
{
    uint64_t picked = picks_first(a, b, F64_INF_LEFT, is_max, flags) ? a : b;
    return is_nan(picked, F64_INF_LEFT) ? F64_NAN : picked;
}

uint32_t f32_min(uint32_t a, uint32_t b, unsigned *flags)
{
    return f32_pick(a, b, false, flags);
}

uint32_t f32_max(uint32_t a, uint32_t b, unsigned *flags)
{
    return f32_pick(a, b, true, flags);
}

uint64_t f64_min(uint64_t a, uint64_t b, unsigned *flags)
{
    return f64_pick(a, b, false, flags);
}

uint64_t f64_max(uint64_t a, uint64_t b, unsigned *flags)
{
    return f64_pick(a, b, true, flags);
}

bool f32_eq(uint32_t a, uint32_t b, unsigned *flags)
{
    return is_ordered(left(a), left(b), F32_INF_LEFT, true, flags)
           && order_key(left(a)) == order_key(left(b));
}

bool f32_lt(uint32_t a, uint32_t b, unsigned *flags)
{
    return is_ordered(left(a), left(b), F32_INF_LEFT, false, flags)
           && order_key(left(a)) < order_key(left(b));
}

bool f32_le(uint32_t a, uint32_t b, unsigned *flags)
{
    return is_ordered(left(a), left(b), F32_INF_LEFT, false, flags)
           && order_key(left(a)) <= order_key(left(b));
}

bool f64_eq(uint64_t a, uint64_t b, unsigned *flags)
{
    return is_ordered(a, b, F64_INF_LEFT, true, flags) && order_key(a) == order_key(b);
}

bool f64_lt(uint64_t a, uint64_t b, unsigned *flags)
{
    return is_ordered(a, b, F64_INF_LEFT, false, flags) && order_key(a) < order_key(b);
}

bool f64_le(uint64_t a, uint64_t b, unsigned *flags)
{
    return is_ordered(a, b, F64_INF_LEFT, false, flags) && order_key(a) <= order_key(b);
}

unsigned f32_classify(uint32_t a)
{
    return classify(left(a), F32_INF_LEFT);
}

unsigned f64_classify(uint64_t a)
{
    return classify(a, F64_INF_LEFT);
}
