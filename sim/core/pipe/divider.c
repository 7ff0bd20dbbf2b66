/* The cycles that an iterative unit works on its operands: integer division, FP division, FP square
 * root.
 *
 * A divider makes some bits of the result a cycle (SRT: one of radix 4 makes two), beside a number
 * of cycles for any operands.
 *   integer  as many as the quotient has, none for the zeros in front; or (part_div_counts) as many
 *            as the dividend has in two's complement, with its sign. The first cycle can make more
 *            of them (rounds that overlap), and results can be kept (c910.div_results).
 *   FP       as many as the significand of the format has: 24 or 53; subnormal operands are
 *            normalized on the way. It can stop early: when an operand makes the result without
 *            iteration (NaN, infinity, zero, the root of a negative number), when the divisor is a
 *            power of two or the root is one, or when the remainder is zero.
 * Left out: the few cycles that rounding to a subnormal result takes in some units. Source:
 * Ercegovac and Lang, "Division and Square Root: Digit-Recurrence Algorithms and Implementations",
 * 1994. */

#include "isa/fp.h"
#include "isa/hart.h"
#include "isa/op.h"
#include "sim/core/pipe/stage_back.h"

/* latency.fdiv_early */
enum early { EARLY_NONE, EARLY_SPECIAL, EARLY_POWER_OF_TWO, EARLY_EXACT, EARLY_REMAINDER };

static uint32_t bit_width(uint64_t value)
{
    return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value);
}

/* min + bits / a cycle, and at most `most`. */
static uint8_t cycles_of(uint32_t min, uint32_t bits, uint32_t bits_a_cycle, uint32_t most)
{
    uint32_t cycles = min + (bits + bits_a_cycle - 1) / bits_a_cycle;
    return (uint8_t)(cycles < most ? cycles : most);
}

/* ---- integers -------------------------------------------------------------------------------- */

enum { SIGNED_64 = 1, SIGNED_32, UNSIGNED_64, UNSIGNED_32 };

/* The type as which the unit reads its operands. Registers of RV32 are sign-extended. */
static unsigned type_of_operands(unsigned op)
{
    switch (op) {
    case OP_div: case OP_rem: return SIGNED_64;
    case OP_divw: case OP_remw: case OP_div_32: return SIGNED_32;
    case OP_divuw: case OP_remuw: case OP_divu_32: case OP_remu_32: return UNSIGNED_32;
    default: return UNSIGNED_64;
    }
}

static uint64_t extend(uint64_t value, unsigned type)
{
    return type == SIGNED_32     ? (uint64_t)(int64_t)(int32_t)value
           : type == UNSIGNED_32 ? (uint32_t)value
                                 : value;
}

static uint32_t quotient_width(uint64_t a, uint64_t b, bool is_signed)
{
    a = is_signed && a >> 63 != 0 ? 0 - a : a;
    b = is_signed && b >> 63 != 0 ? 0 - b : b;
    return b == 0 || a < b ? 0 : bit_width(a) - bit_width(b) + 1;
}

static uint8_t integer_cycles(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    unsigned type = type_of_operands(uop->insn.op);
    bool is_signed = type == SIGNED_64 || type == SIGNED_32;
    uint64_t a = extend(core->hart->reg[uop->insn.rs1], type);
    uint64_t b = extend(core->hart->reg[uop->insn.rs2], type);
    uint32_t bits = core->config->part_div_counts == 0
                        ? quotient_width(a, b, is_signed)
                        : bit_width(is_signed && a >> 63 != 0 ? ~a : a) + 1;
    uint32_t min = settings->latency_div_min;
    if (bits != 0 && core->config->part_div_first != 0) {
        min++;
        bits = bits > core->config->part_div_first ? bits - core->config->part_div_first : 0;
    }
    return cycles_of(min, bits, settings->latency_div_bits, settings->latency_div);
}

/* True if the result is known without iteration and not worth keeping. */
static bool is_special(unsigned op, uint64_t a, uint64_t b)
{
    unsigned type = type_of_operands(op);
    bool is_signed = type == SIGNED_64 || type == SIGNED_32;
    a = extend(a, type);
    b = extend(b, type);
    return b == 0 || (is_signed && a == UINT64_C(1) << 63 && b == UINT64_MAX);
}

static bool is_iterated(uint64_t a, uint64_t b, unsigned type)
{
    bool is_signed = type == SIGNED_64 || type == SIGNED_32;
    return quotient_width(extend(a, type), extend(b, type), is_signed) != 0;
}

/* True if the divider has the results, or they need no work. It keeps the results it computes, in
 * place of the least recently used ones. (C910: ct_iu_div.v, div_ex1_special_result;
 * ct_iu_div_entry.v.) */
static bool is_known(struct core *core, const struct uop *uop)
{
    uint64_t a = core->hart->reg[uop->insn.rs1], b = core->hart->reg[uop->insn.rs2];
    unsigned op = insn_division_of(uop->insn.op, hart_xlen(core->hart)), n = 0;
    unsigned last = core->config->part_div_results - 1;
    struct division *kept = core->iq.divisions;
    if (is_special(op, a, b))
        return true;
    while (n < last && (kept[n].op != op || kept[n].a != a || kept[n].b != b))
        n++;
    bool is_hit = kept[n].op == op && kept[n].a == a && kept[n].b == b;
    if (!is_hit && !is_iterated(a, b, type_of_operands(op)))
        return false;
    memmove(kept + 1, kept, n * sizeof *kept);
    kept[0] = (struct division){.a = a, .b = b, .op = op};
    return is_hit;
}

/* ---- floating point -------------------------------------------------------------------------- */

/* odd * 2^exponent, unless is_special. */
struct number {
    uint64_t odd;
    int exponent;
    bool is_special, is_negative;       /* special: zero, infinite, NaN */
};

static struct number unpack(uint64_t bits, unsigned fraction_bits, unsigned exponent_bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    unsigned most = (1u << exponent_bits) - 1;
    unsigned exponent = (unsigned)(bits >> fraction_bits) & most;
    struct number number = {
        .is_special = exponent == most || (exponent == 0 && fraction == 0),
        .is_negative = (bits >> (fraction_bits + exponent_bits) & 1) != 0,
    };
    if (number.is_special)
        return number;
    if (exponent == 0)
        exponent = 1;
    else
        fraction |= UINT64_C(1) << fraction_bits;
    int zeros = __builtin_ctzll(fraction);
    number.odd = fraction >> zeros;
    number.exponent = (int)exponent - (int)(most / 2) - (int)fraction_bits + zeros;
    return number;
}

/* The root of a perfect square, or 0. */
static uint64_t exact_root(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    return root * root == square ? root : 0;
}

/* The number of quotient bits that are computed. */
static uint32_t quotient_bits(const struct number *a, const struct number *b, uint32_t precision,
                              enum early early)
{
    if (early >= EARLY_SPECIAL && (a->is_special || b->is_special))
        return 0;
    if (a->is_special || b->is_special || early < EARLY_POWER_OF_TWO)
        return precision;
    if (b->odd == 1 && early != EARLY_REMAINDER)
        return 0;
    return early >= EARLY_EXACT && a->odd % b->odd == 0 ? bit_width(a->odd / b->odd) : precision;
}

static uint32_t root_bits(const struct number *a, uint32_t precision, enum early early)
{
    bool is_special = a->is_special || a->is_negative;
    if (early >= EARLY_SPECIAL && is_special)
        return 0;
    if (is_special || early < EARLY_POWER_OF_TWO || a->exponent % 2 != 0)
        return precision;
    if (a->odd == 1 && early != EARLY_REMAINDER)
        return 0;
    uint64_t root = early >= EARLY_EXACT ? exact_root(a->odd) : 0;
    return root != 0 ? bit_width(root) : precision;
}

static uint8_t fp_cycles(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    const uint64_t *reg = core->hart->reg;
    enum early early = (enum early)settings->latency_fdiv_early;
    bool is_single = uop->insn.op == OP_fdiv_s || uop->insn.op == OP_fsqrt_s;
    uint32_t precision = is_single ? 24 : 53;
    struct number a = is_single ? unpack(f32_unbox(reg[uop->insn.rs1]), 23, 8)
                                : unpack(reg[uop->insn.rs1], 52, 11);
    struct number b = is_single ? unpack(f32_unbox(reg[uop->insn.rs2]), 23, 8)
                                : unpack(reg[uop->insn.rs2], 52, 11);
    bool is_root = uop->latency == LAT_FSQRT;
    uint32_t bits = is_root ? root_bits(&a, precision, early)
                            : quotient_bits(&a, &b, precision, early);
    if (bits == 0 && settings->latency_fdiv_short != 0)
        return (uint8_t)settings->latency_fdiv_short;
    return is_root ? cycles_of(settings->latency_fdiv_min, bits, settings->latency_fsqrt_bits,
                               settings->latency_fsqrt)
                   : cycles_of(settings->latency_fdiv_min, bits, settings->latency_fdiv_bits,
                               settings->latency_fdiv);
}

SELDOM uint8_t divider_cycles(struct core *core, const struct uop *uop)
{
    bool keeps = core->config->part_div_results != 0 && !core_is_in_order(core);
    if (uop->latency == LAT_DIV && keeps && is_known(core, uop))
        return (uint8_t)core_config(core)->latency_div_repeat;
    if (uop->latency == LAT_DIV && core_config(core)->latency_div_min != 0)
        return integer_cycles(core, uop);
    if (uop->latency != LAT_DIV && core_config(core)->latency_fdiv_min != 0)
        return fp_cycles(core, uop);
    return (uint8_t)core->latency[uop->latency];
}
