/* Arithmetic and conversions from three sides: the short paths on the host's FPU against the
 * integer implementation, operands special and random; the integer implementation against the
 * host's FPU with its status word, in the rounding modes that the FPU has; ties away from zero,
 * which the FPU lacks, against exact wider numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/fp.h"

/* The sanitizers take ten times as long, and get an eighth. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 8 };
#else
enum { STRIDE = 1 };
#endif

enum { RM_COUNT = FP_RMM + 1, RANDOM_ROUNDS = 300000 / STRIDE };
enum operand { F32, F64, INT };

/* OP(name, operands' kind, how many, arguments): f(arguments) and soft_f(arguments) must agree. */
#define OPS(OP) \
    OP(f32_add, F32, 2, ((uint32_t)a, (uint32_t)b, rm, flags)) \
    OP(f32_sub, F32, 2, ((uint32_t)a, (uint32_t)b, rm, flags)) \
    OP(f32_mul, F32, 2, ((uint32_t)a, (uint32_t)b, rm, flags)) \
    OP(f32_div, F32, 2, ((uint32_t)a, (uint32_t)b, rm, flags)) \
    OP(f32_sqrt, F32, 1, ((uint32_t)a, rm, flags)) \
    OP(f32_fma, F32, 3, ((uint32_t)a, (uint32_t)b, (uint32_t)c, rm, flags)) \
    OP(f64_add, F64, 2, (a, b, rm, flags)) \
    OP(f64_sub, F64, 2, (a, b, rm, flags)) \
    OP(f64_mul, F64, 2, (a, b, rm, flags)) \
    OP(f64_div, F64, 2, (a, b, rm, flags)) \
    OP(f64_sqrt, F64, 1, (a, rm, flags)) \
    OP(f64_fma, F64, 3, (a, b, c, rm, flags)) \
    OP(f32_to_i32, F32, 1, ((uint32_t)a, rm, flags)) \
    OP(f32_to_u32, F32, 1, ((uint32_t)a, rm, flags)) \
    OP(f32_to_i64, F32, 1, ((uint32_t)a, rm, flags)) \
    OP(f32_to_u64, F32, 1, ((uint32_t)a, rm, flags)) \
    OP(f64_to_i32, F64, 1, (a, rm, flags)) \
    OP(f64_to_u32, F64, 1, (a, rm, flags)) \
    OP(f64_to_i64, F64, 1, (a, rm, flags)) \
    OP(f64_to_u64, F64, 1, (a, rm, flags)) \
    OP(i32_to_f32, INT, 1, ((int32_t)a, rm, flags)) \
    OP(u32_to_f32, INT, 1, ((uint32_t)a, rm, flags)) \
    OP(i64_to_f32, INT, 1, ((int64_t)a, rm, flags)) \
    OP(u64_to_f32, INT, 1, (a, rm, flags)) \
    OP(i32_to_f64, INT, 1, ((int32_t)a, rm, flags)) \
    OP(u32_to_f64, INT, 1, ((uint32_t)a, rm, flags)) \
    OP(i64_to_f64, INT, 1, ((int64_t)a, rm, flags)) \
    OP(u64_to_f64, INT, 1, (a, rm, flags)) \
    OP(f32_to_f64, F32, 1, ((uint32_t)a, flags)) \
    OP(f64_to_f32, F64, 1, (a, rm, flags))

/* The narrow ones that the integer implementation reaches through wider ones. */
#define soft_f32_to_i32(a, rm, flags) soft_f64_to_i32(soft_f32_to_f64(a, flags), rm, flags)
#define soft_f32_to_u32(a, rm, flags) soft_f64_to_u32(soft_f32_to_f64(a, flags), rm, flags)
#define soft_f32_to_i64(a, rm, flags) soft_f64_to_i64(soft_f32_to_f64(a, flags), rm, flags)
#define soft_f32_to_u64(a, rm, flags) soft_f64_to_u64(soft_f32_to_f64(a, flags), rm, flags)
#define soft_i32_to_f32 soft_i64_to_f32
#define soft_u32_to_f32 soft_u64_to_f32
#define soft_i32_to_f64 soft_i64_to_f64
#define soft_u32_to_f64 soft_u64_to_f64

#define AS_ENUM(name, kind, count, arguments) OP_##name,
enum op { OPS(AS_ENUM) OP_COUNT };

struct op_info {
    const char *name;
    enum operand kind;
    unsigned count;
};

#define AS_INFO(name, kind, count, arguments) {#name, kind, count},
static const struct op_info op_info[] = {OPS(AS_INFO)};

#define AS_CASE(name, kind, count, arguments) case OP_##name: return name arguments;
#define AS_SOFT_CASE(name, kind, count, arguments) case OP_##name: return soft_##name arguments;

static uint64_t run(enum op op, const uint64_t in[3], unsigned rm, unsigned *flags)
{
    uint64_t a = in[0], b = in[1], c = in[2];
    switch (op) {
    OPS(AS_CASE)
    default: fail(); return 0;
    }
}

static uint64_t run_soft(enum op op, const uint64_t in[3], unsigned rm, unsigned *flags)
{
    uint64_t a = in[0], b = in[1], c = in[2];
    switch (op) {
    OPS(AS_SOFT_CASE)
    default: fail(); return 0;
    }
}

static void check(const char *what, enum op op, const uint64_t in[3], unsigned rm,
                  const uint64_t got[2], const uint64_t want[2])
{
    if (got[0] != want[0] || got[1] != want[1]) {
        fail_msg("%s: %s(%#llx, %#llx, %#llx) rm %u is %#llx flags %#llx, expected %#llx %#llx",
                 what, op_info[op].name, (unsigned long long)in[0], (unsigned long long)in[1],
                 (unsigned long long)in[2], rm, (unsigned long long)got[0],
                 (unsigned long long)got[1], (unsigned long long)want[0],
                 (unsigned long long)want[1]);
    }
}

/* With the flags clear, and with flags set, which must stay set and shorten the short path. */
static void compare_with_soft(enum op op, const uint64_t in[3], unsigned rm)
{
    unsigned soft_flags = 0;
    uint64_t soft = run_soft(op, in, rm, &soft_flags);
    for (unsigned before = 0; before <= (FP_NX | FP_DZ); before += FP_NX | FP_DZ) {
        unsigned flags = before;
        uint64_t result = run(op, in, rm, &flags);
        check("against soft", op, in, rm, (uint64_t[]){result, flags},
              (uint64_t[]){soft, soft_flags | before});
    }
}

/* ---- operands ---- */

static const uint64_t f64_specials[] = {
    0, 1, 2, 0x8000000000000, 0xfffffffffffff,                      /* subnormal */
    0x10000000000000, 0x10000000000001, 0x1fffffffffffff, 0x20000000000000,
    0x340fffffffffffff, 0x3690000000000000, 0x380fffffe0000000, 0x3810000000000000,
    0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff,     /* about 1/2 and 1 */
    0x3ff0000000000000, 0x3ff0000000000001, 0x3ff0000010000000, 0x3ff8000000000000,
    0x4000000000000000, 0x4008000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
    0x41e0000000000000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000,
    0x4340000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff,
    0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x47f0000000000000,
    0x7fcfffffffffffff, 0x7fd0000000000000, 0x7fefffffffffffff,     /* about the largest */
    0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff, F64_NAN, 0x7fffffffffffffff,
};

static const uint64_t f32_specials[] = {
    0, 1, 2, 0x400000, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x1000000,
    0x1f7fffff, 0x1f800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
    0x3fc00000, 0x40000000, 0x40400000, 0x4b000000, 0x4b800000, 0x4effffff, 0x4f000000,
    0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e7fffff,
    0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, F32_NAN, 0x7fffffff,
};

static const uint64_t int_specials[] = {
    0, 1, 2, 3, 0xffffff, 0x1000000, 0x1000001, 0x1000002, 0x1000003, 0x7fffff80, 0x7fffffbf,
    0x7fffffc0, 0x7fffffff, 0x80000000, 0xffffff7f, 0xffffff80, 0xffffffff, 0x100000000,
    0x1fffffffffffff, 0x20000000000000, 0x20000000000001, 0x20000000000002, 0x20000000000003,
    0x7fffffffffffffff, 0x7ffffffffffffe00, 0x7ffffffffffffdff, 0x7fffff4000000001,
    0x7fffffc000000000,
};

#define COUNT_OF(array) (unsigned)(sizeof(array) / sizeof((array)[0]))

static const uint64_t *specials(enum operand kind, unsigned *count)
{
    *count = kind == F32 ? COUNT_OF(f32_specials)
             : kind == F64 ? COUNT_OF(f64_specials) : COUNT_OF(int_specials);
    return kind == F32 ? f32_specials : kind == F64 ? f64_specials : int_specials;
}

/* The special values, then their negatives. */
static uint64_t special(enum operand kind, unsigned index)
{
    unsigned count;
    const uint64_t *list = specials(kind, &count);
    if (index < count) {
        return list[index];
    }
    uint64_t value = list[index - count];
    return kind == F32 ? value ^ F32_SIGN : kind == F64 ? value ^ F64_SIGN : 0 - value;
}

static unsigned special_count(enum operand kind)
{
    unsigned count;
    specials(kind, &count);
    return 2 * count;
}

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Mixes operands that expose errors: any bits, close exponents, few significant bits (exact results
 * and ties), runs of ones, both ends of the exponent range. */
static uint64_t random_float(uint64_t *state, unsigned frac_bits, unsigned bias)
{
    uint64_t bits = random_bits(state), choice = random_bits(state);
    uint64_t frac = bits & ((UINT64_C(1) << frac_bits) - 1);
    uint64_t exp = choice >> 8 & (2 * bias + 1);
    switch (choice & 7) {
    case 0: break;
    case 1: exp = bias - 8 + (choice >> 8 & 15); break;
    case 2: exp = bias - 160 % bias + (choice >> 8) % 300 % bias; break;
    case 3: exp = (choice >> 8 & 64 ? 0 : 2 * bias - 63) + (choice >> 8 & 63); break;
    case 4: exp = bias + (choice >> 8) % (frac_bits + 13); break;
    case 5: exp = bias / 2 - 16 + (choice >> 8 & 31); break;
    case 6: exp = bias * 3 / 2 - 16 + (choice >> 8 & 31); break;
    default: exp = bias - 32 + (choice >> 8 & 63); break;
    }
    unsigned cut = (unsigned)(choice >> 20) % frac_bits;
    switch (choice >> 40 & 3) {
    case 0: frac = frac >> cut << cut; break;
    case 1: frac |= (UINT64_C(1) << cut) - 1; break;
    default: break;
    }
    return frac | exp << frac_bits | (choice >> 63) << (frac_bits == 23 ? 31 : 63);
}

static uint64_t random_operand(uint64_t *state, enum operand kind)
{
    uint64_t choice = random_bits(state);
    if (choice % 16 == 0) {
        return special(kind, (unsigned)(choice >> 8) % special_count(kind));
    }
    if (kind == INT) {
        uint64_t value = random_bits(state) >> (choice >> 8) % 64;
        return choice >> 63 ? 0 - value : value;
    }
    return kind == F32 ? random_float(state, 23, 127) : random_float(state, 52, 1023);
}

static void special_values_get_the_soft_answer_in_every_mode(void **unused)
{
    (void)unused;
    for (enum op op = 0; op < OP_COUNT; op++) {
        enum operand kind = op_info[op].kind;
        unsigned count = special_count(kind), arity = op_info[op].count;
        for (unsigned i = 0; i < count; i++) {
            for (unsigned j = 0; j < (arity > 1 ? count : 1); j++) {
                for (unsigned k = (i + j) % STRIDE; k < (arity > 2 ? count : STRIDE); k += STRIDE) {
                    uint64_t in[] = {special(kind, i), special(kind, j), special(kind, k)};
                    for (unsigned rm = 0; rm < (arity > 2 ? 1 : RM_COUNT); rm++) {
                        compare_with_soft(op, in, rm);
                    }
                }
            }
        }
    }
}

static void random_values_get_the_soft_answer_in_every_mode(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (enum op op = 0; op < OP_COUNT; op++) {
        for (unsigned i = 0; i < RANDOM_ROUNDS; i++) {
            uint64_t in[3];
            for (unsigned j = 0; j < 3; j++) {
                in[j] = random_operand(&state, op_info[op].kind);
            }
            /* mostly the mode that has short paths */
            compare_with_soft(op, in, i % 8 < RM_COUNT ? i % 8 : FP_RNE);
        }
    }
}

#if FP_HAS_HOST

/* ---- the host's FPU as a judge: rounding mode set, status word cleared and read ---- */

static unsigned host_flags(void)
{
    unsigned status = _mm_getcsr();
    return (status & _MM_EXCEPT_INEXACT ? FP_NX : 0) | (status & _MM_EXCEPT_UNDERFLOW ? FP_UF : 0)
           | (status & _MM_EXCEPT_OVERFLOW ? FP_OF : 0) | (status & _MM_EXCEPT_DIV_ZERO ? FP_DZ : 0)
           | (status & _MM_EXCEPT_INVALID ? FP_NV : 0);
}

static uint64_t f32_answer(float value)
{
    return value != value ? F32_NAN : host_f32_bits(value);
}

static uint64_t f64_answer(double value)
{
    return value != value ? F64_NAN : host_f64_bits(value);
}

/* The host saturates to one value only; the operand shows which of the two is due. */
static uint64_t i64_answer(double value)
{
    int64_t result = _mm_cvtsd_si64(_mm_set_sd(value));
    __asm__ volatile("" : "+r"(result) : : "memory");   /* before the status word is read */
    bool is_saturated = host_flags() & FP_NV;
    return is_saturated && !(value < 0) ? INT64_MAX : (uint64_t)result;
}

__attribute__((target("fma"), noinline))
static uint64_t fused_answer(enum op op, const uint64_t in[3])
{
    volatile float u = host_f32((uint32_t)in[0]);
    volatile double x = host_f64(in[0]);
    return op == OP_f32_fma
        ? f32_answer(__builtin_fmaf(u, host_f32((uint32_t)in[1]), host_f32((uint32_t)in[2])))
        : f64_answer(__builtin_fma(x, host_f64(in[1]), host_f64(in[2])));
}

/* Volatile operands in a function of its own keep the operation between the accesses to the status
 * word. */
__attribute__((noinline))
static uint64_t host_answer(enum op op, const uint64_t in[3])
{
    volatile float u = host_f32((uint32_t)in[0]), v = host_f32((uint32_t)in[1]);
    volatile double x = host_f64(in[0]), y = host_f64(in[1]);
    volatile int64_t i = (int64_t)in[0];
    switch (op) {
    case OP_f32_add: return f32_answer(u + v);
    case OP_f32_sub: return f32_answer(u - v);
    case OP_f32_mul: return f32_answer(u * v);
    case OP_f32_div: return f32_answer(u / v);
    case OP_f32_sqrt: return f32_answer(_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(u))));
    case OP_f64_add: return f64_answer(x + y);
    case OP_f64_sub: return f64_answer(x - y);
    case OP_f64_mul: return f64_answer(x * y);
    case OP_f64_div: return f64_answer(x / y);
    case OP_f64_sqrt: return f64_answer(_mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x))));
    case OP_f64_to_f32: return f32_answer((float)x);
    case OP_f32_to_f64: return f64_answer((double)u);
    case OP_f64_to_i64: return i64_answer(x);
    case OP_i64_to_f32: return f32_answer((float)i);
    case OP_i64_to_f64: return f64_answer((double)i);
    default: fail(); return 0;
    }
}

static bool is_judged(enum op op)
{
    switch (op) {
    case OP_f32_fma: case OP_f64_fma: return __builtin_cpu_supports("fma") != 0;
    case OP_f32_to_i32: case OP_f32_to_u32: case OP_f32_to_i64: case OP_f32_to_u64:
    case OP_f64_to_i32: case OP_f64_to_u32: case OP_f64_to_u64: return false;
    case OP_i32_to_f32: case OP_u32_to_f32: case OP_u64_to_f32: return false;
    case OP_i32_to_f64: case OP_u32_to_f64: case OP_u64_to_f64: return false;
    default: return true;
    }
}

static bool is_nan(enum op op, uint64_t value)
{
    double number = op_info[op].kind == F32 ? (double)host_f32((uint32_t)value) : host_f64(value);
    return number != number;
}

static void compare_with_host(enum op op, const uint64_t in[3], unsigned rm)
{
    static const unsigned rounding[] = {
        _MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN, _MM_ROUND_UP,
    };
    bool is_fused = op == OP_f32_fma || op == OP_f64_fma;
    if (is_fused && is_nan(op, in[2])) {
        return;     /* this host lets it hide an invalid product, RISC-V does not */
    }
    unsigned saved = _mm_getcsr(), flags = 0;
    _mm_setcsr(_MM_MASK_MASK | rounding[rm]);
    uint64_t answer = is_fused ? fused_answer(op, in) : host_answer(op, in);
    unsigned answer_flags = host_flags();
    _mm_setcsr(saved);
    uint64_t result = run_soft(op, in, rm, &flags);
    check("against the host", op, in, rm, (uint64_t[]){result, flags},
          (uint64_t[]){answer, answer_flags});
}

static void soft_answers_are_those_of_the_host_in_the_modes_it_has(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (enum op op = 0; op < OP_COUNT; op++) {
        for (unsigned i = 0; is_judged(op) && i < RANDOM_ROUNDS; i++) {
            uint64_t in[3];
            for (unsigned j = 0; j < 3; j++) {
                in[j] = random_operand(&state, op_info[op].kind);
            }
            compare_with_host(op, in, i % FP_RMM);
        }
    }
}

#else

static void soft_answers_are_those_of_the_host_in_the_modes_it_has(void **unused)
{
    (void)unused;
    skip();
}

#endif

/* Rounds a number inside binary32's normal range, ties away: from its truncation, one up or not. */
static uint32_t nearest_away(uint64_t exact, unsigned *flags)
{
    uint64_t rebiased = (exact & ~F64_SIGN) - ((uint64_t)(1023 - 127) << 52);
    uint32_t below = (uint32_t)(exact >> 32 & F32_SIGN) | (uint32_t)(rebiased >> 29);
    uint64_t rest = exact & 0x1fffffff;
    *flags = rest != 0 ? FP_NX : 0;
    return below + (rest >= 0x10000000);
}

static void nearest_away_rounds_ties_up_in_magnitude_and_nothing_else(void **unused)
{
    (void)unused;
    uint64_t state = 3, ties = 0;
    for (unsigned i = 0; i < RANDOM_ROUNDS; i++) {
        uint64_t bits = random_bits(&state);
        uint64_t a = bits >> 40 << 20 | UINT64_C(0x3ff) << 52 | (bits & 1) << 63;
        a |= bits & 2 ? UINT64_C(0x10000000) : 0;
        unsigned want_flags, flags = 0, soft_flags = 0;
        uint32_t want = nearest_away(a, &want_flags);
        assert_int_equal(f64_to_f32(a, FP_RMM, &flags), want);
        assert_int_equal(soft_f64_to_f32(a, FP_RMM, &soft_flags), want);
        assert_int_equal(flags, want_flags);
        assert_int_equal(soft_flags, want_flags);
        ties += (a & 0x1fffffff) == 0x10000000;
    }
    assert_true(ties > 100);
}

/* Factors of 13 bits make products of 25 or 26: ties are common. */
static void products_in_nearest_away_are_the_exact_ones_rounded(void **unused)
{
    (void)unused;
    uint64_t state = 4, ties = 0;
    for (unsigned i = 0; i < RANDOM_ROUNDS; i++) {
        uint64_t bits = random_bits(&state);
        uint32_t a = UINT32_C(0x3f800000) | (uint32_t)(bits & 0xfff) << 11;
        uint32_t b = UINT32_C(0x3f800000) | (uint32_t)(bits >> 12 & 0xfff) << 11 | F32_SIGN;
        unsigned want_flags, flags = 0, ignored = 0;
        uint64_t exact = soft_f64_mul(soft_f32_to_f64(a, &ignored), soft_f32_to_f64(b, &ignored),
                                      FP_RTZ, &ignored);
        assert_int_equal(ignored, 0);
        assert_int_equal(f32_mul(a, b, FP_RMM, &flags), nearest_away(exact, &want_flags));
        assert_int_equal(flags, want_flags);
        ties += (exact & 0x1fffffff) == 0x10000000;
    }
    assert_true(ties > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_get_the_soft_answer_in_every_mode),
        cmocka_unit_test(random_values_get_the_soft_answer_in_every_mode),
        cmocka_unit_test(soft_answers_are_those_of_the_host_in_the_modes_it_has),
        cmocka_unit_test(nearest_away_rounds_ties_up_in_magnitude_and_nothing_else),
        cmocka_unit_test(products_in_nearest_away_are_the_exact_ones_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
