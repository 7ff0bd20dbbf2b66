/* Floating point against vectors known by hand, and the operations that never round. fp_soft_test.c
 * tests the rounding of all other operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/fp.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define F32_INF UINT32_C(0x7f800000)
#define F64_INF UINT64_C(0x7ff0000000000000)
#define F64_MAX UINT64_C(0x7fefffffffffffff)
#define F64_MIN UINT64_C(0x0010000000000000)    /* the smallest normal number */
#define F64_ONE UINT64_C(0x3ff0000000000000)
#define F64_HALF UINT64_C(0x3fe0000000000000)

struct binary_vector {
    uint64_t (*function)(uint64_t a, uint64_t b, unsigned rm, unsigned *flags);
    uint64_t a, b;
    unsigned rm;
    uint64_t result;
    unsigned flags;
};

static void check_binary(const struct binary_vector *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct binary_vector *v = &vectors[i];
        unsigned flags = 0;
        uint64_t result = v->function(v->a, v->b, v->rm, &flags);
        if (result != v->result || flags != v->flags) {
            fail_msg("vector %zu is %#llx, flags %#x", i, (unsigned long long)result, flags);
        }
    }
}

static void ties_go_to_even_or_away_as_the_mode_says(void **unused)
{
    (void)unused;
    const uint64_t half_ulp = 0x3ca0000000000000;
    const struct binary_vector vectors[] = {
        {f64_add, F64_ONE, half_ulp, FP_RNE, F64_ONE, FP_NX},
        {f64_add, F64_ONE, half_ulp, FP_RTZ, F64_ONE, FP_NX},
        {f64_add, F64_ONE, half_ulp, FP_RDN, F64_ONE, FP_NX},
        {f64_add, F64_ONE, half_ulp, FP_RUP, F64_ONE + 1, FP_NX},
        {f64_add, F64_ONE, half_ulp, FP_RMM, F64_ONE + 1, FP_NX},
        {f64_add, F64_ONE + 1, half_ulp, FP_RNE, F64_ONE + 2, FP_NX},
        {f64_add, F64_ONE + 1, half_ulp, FP_RMM, F64_ONE + 2, FP_NX},
        {f64_sub, F64_SIGN | F64_ONE, half_ulp, FP_RNE, F64_SIGN | F64_ONE, FP_NX},
        {f64_sub, F64_SIGN | F64_ONE, half_ulp, FP_RDN, F64_SIGN | (F64_ONE + 1), FP_NX},
        {f64_sub, F64_SIGN | F64_ONE, half_ulp, FP_RUP, F64_SIGN | F64_ONE, FP_NX},
        {f64_sub, F64_SIGN | F64_ONE, half_ulp, FP_RMM, F64_SIGN | (F64_ONE + 1), FP_NX},
        {f64_mul, 1, F64_HALF, FP_RNE, 0, FP_NX | FP_UF},
        {f64_mul, 1, F64_HALF, FP_RMM, 1, FP_NX | FP_UF},
        {f64_mul, 3, F64_HALF, FP_RNE, 2, FP_NX | FP_UF},
    };
    check_binary(vectors, COUNT_OF(vectors));
}

static void overflow_gives_infinity_or_the_largest_number(void **unused)
{
    (void)unused;
    const uint64_t half_ulp = 0x7c90000000000000, two = 0x4000000000000000;
    const struct binary_vector vectors[] = {
        {f64_add, F64_MAX, half_ulp, FP_RNE, F64_INF, FP_OF | FP_NX},
        {f64_add, F64_MAX, half_ulp - 1, FP_RNE, F64_MAX, FP_NX},
        {f64_add, F64_MAX, half_ulp, FP_RMM, F64_INF, FP_OF | FP_NX},
        {f64_add, F64_MAX, half_ulp, FP_RTZ, F64_MAX, FP_NX},
        {f64_add, F64_MAX, 1, FP_RUP, F64_INF, FP_OF | FP_NX},
        {f64_mul, F64_MAX, two, FP_RTZ, F64_MAX, FP_OF | FP_NX},
        {f64_mul, F64_MAX, two, FP_RDN, F64_MAX, FP_OF | FP_NX},
        {f64_mul, F64_MAX, F64_SIGN | two, FP_RDN, F64_SIGN | F64_INF, FP_OF | FP_NX},
        {f64_mul, F64_MAX, F64_SIGN | two, FP_RUP, F64_SIGN | F64_MAX, FP_OF | FP_NX},
        {f64_mul, F64_INF, two, FP_RNE, F64_INF, 0},
    };
    check_binary(vectors, COUNT_OF(vectors));
}

/* All about 2^-1022, the smallest normal number: a result is tiny if it would be with an exponent
 * of unlimited range; F64_MIN itself may be the rounded result of a tiny number or not. */
static void tininess_is_judged_after_rounding(void **unused)
{
    (void)unused;
    const uint64_t below_one = F64_ONE - 1, two_below_one = F64_ONE - 2;
    const struct binary_vector vectors[] = {
        {f64_mul, F64_MIN, below_one, FP_RNE, F64_MIN, FP_NX | FP_UF},
        {f64_mul, F64_MIN, below_one, FP_RMM, F64_MIN, FP_NX | FP_UF},
        {f64_mul, F64_MIN, below_one, FP_RTZ, F64_MIN - 1, FP_NX | FP_UF},
        {f64_mul, F64_MIN, two_below_one, FP_RNE, F64_MIN - 1, 0},
        {f64_mul, F64_MIN + 1, two_below_one, FP_RNE, F64_MIN, FP_NX},
        {f64_mul, F64_MIN + 1, two_below_one, FP_RUP, F64_MIN, FP_NX},
        {f64_mul, F64_MIN + 1, two_below_one, FP_RDN, F64_MIN - 1, FP_NX | FP_UF},
        {f64_mul, F64_MIN, F64_HALF, FP_RNE, F64_MIN / 2, 0},
        {f64_sub, F64_MIN, 1, FP_RNE, F64_MIN - 1, 0},
    };
    check_binary(vectors, COUNT_OF(vectors));
}

static void zeros_infinities_and_nans_follow_the_standard(void **unused)
{
    (void)unused;
    const uint64_t signaling = F64_INF + 1, payload = F64_NAN | F64_SIGN | 5;
    const struct binary_vector vectors[] = {
        {f64_sub, F64_ONE, F64_ONE, FP_RNE, 0, 0},
        {f64_sub, F64_ONE, F64_ONE, FP_RDN, F64_SIGN, 0},
        {f64_add, F64_SIGN, F64_SIGN, FP_RUP, F64_SIGN, 0},
        {f64_add, 0, F64_SIGN, FP_RNE, 0, 0},
        {f64_mul, F64_SIGN, F64_ONE, FP_RNE, F64_SIGN, 0},
        {f64_mul, F64_SIGN, F64_ONE, FP_RDN, F64_SIGN, 0},
        {f64_mul, 0, F64_INF, FP_RNE, F64_NAN, FP_NV},
        {f64_sub, F64_INF, F64_INF, FP_RNE, F64_NAN, FP_NV},
        {f64_add, F64_INF, F64_SIGN | F64_MAX, FP_RNE, F64_INF, 0},
        {f64_div, F64_ONE, F64_SIGN, FP_RNE, F64_SIGN | F64_INF, FP_DZ},
        {f64_div, F64_INF, 0, FP_RNE, F64_INF, 0},
        {f64_div, 0, 0, FP_RNE, F64_NAN, FP_NV},
        {f64_div, F64_INF, F64_INF, FP_RNE, F64_NAN, FP_NV},
        {f64_div, F64_SIGN | F64_ONE, F64_INF, FP_RNE, F64_SIGN, 0},
        {f64_add, payload, F64_ONE, FP_RNE, F64_NAN, 0},
        {f64_mul, F64_ONE, signaling, FP_RNE, F64_NAN, FP_NV},
        {f64_div, payload, signaling, FP_RNE, F64_NAN, FP_NV},
        {f64_div, F64_ONE, 0x4008000000000000, FP_RNE, 0x3fd5555555555555, FP_NX},
        {f64_div, F64_ONE, 0x4008000000000000, FP_RUP, 0x3fd5555555555556, FP_NX},
    };
    check_binary(vectors, COUNT_OF(vectors));
}

static void square_roots_are_exact_or_say_so(void **unused)
{
    (void)unused;
    static const struct { uint64_t a; unsigned rm; uint64_t result; unsigned flags; } vectors[] = {
        {0x4010000000000000, FP_RNE, 0x4000000000000000, 0},
        {0x4000000000000000, FP_RNE, 0x3ff6a09e667f3bcd, FP_NX},
        {0x4000000000000000, FP_RTZ, 0x3ff6a09e667f3bcc, FP_NX},
        {F64_SIGN, FP_RNE, F64_SIGN, 0},
        {F64_SIGN | F64_ONE, FP_RNE, F64_NAN, FP_NV},
        {F64_INF, FP_RNE, F64_INF, 0},
        {1, FP_RNE, 0x1e60000000000000, 0},
    };
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        unsigned flags = 0;
        assert_int_equal(f64_sqrt(vectors[i].a, vectors[i].rm, &flags), vectors[i].result);
        assert_int_equal(flags, vectors[i].flags);
    }
}

static void a_fused_multiply_add_rounds_once(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    /* (2^27 - 1) 2^485 * (2^27 + 1) 2^485 - 2^970: the product alone would overflow */
    assert_int_equal(f64_fma(0x5feffffffc000000, 0x5ff0000002000000, 0xfc90000000000000, FP_RNE,
                             &flags), F64_MAX);
    /* (1 + e)(1 - e) - 1 = -e^2, e = 2^-52 */
    assert_int_equal(f64_fma(F64_ONE + 1, F64_ONE - 2, F64_SIGN | F64_ONE, FP_RNE, &flags),
                     0xb970000000000000);
    assert_int_equal(f32_fma(0x3f800001, 0x3f7ffffe, 0xbf800000, FP_RNE, &flags), 0xa8800000);
    assert_int_equal(flags, 0);
    /* the product is 2^-24 + 2^-70: just off the halfway point, by less than binary64 can add */
    const uint32_t x = 0x3f801001, y = 0x337fe002;
    assert_int_equal(f32_fma(x, y, 0x3f800000, FP_RNE, &flags), 0x3f800001);
    assert_int_equal(f32_fma(x, y ^ F32_SIGN, 0x3f800002, FP_RNE, &flags), 0x3f800001);
    assert_int_equal(flags, FP_NX);
    flags = 0;
    /* 1 + 2^-106: product and addend differ from 1 in bits that nearly all cancel */
    assert_int_equal(f64_fma(0x3ffc71e6bc9bd675, 0x3fe1ffebfcbba28a, 0xbc9ffe283a5d4a23, FP_RNE,
                             &flags), F64_ONE);
    assert_int_equal(flags, FP_NX);
    flags = 0;
    assert_int_equal(f64_fma(F64_INF, 0, F64_NAN, FP_RNE, &flags), F64_NAN);
    assert_int_equal(flags, FP_NV);
}

struct integer_vector {
    uint64_t (*function)(uint64_t a, unsigned rm, unsigned *flags);
    uint64_t a;
    unsigned rm;
    uint64_t result;
    unsigned flags;
};

static void conversions_to_integers_saturate_and_extend(void **unused)
{
    (void)unused;
    const uint64_t minus_half = F64_SIGN | F64_HALF, one_and_half = 0x3ff8000000000000;
    const uint64_t two_31 = 0x41e0000000000000, two_32 = 0x41f0000000000000;
    const uint64_t two_63 = 0x43e0000000000000, two_64 = 0x43f0000000000000;
    const uint64_t i32_min = UINT64_C(0xffffffff80000000);
    const struct integer_vector vectors[] = {
        {f64_to_i32, two_31, FP_RNE, INT32_MAX, FP_NV},
        {f64_to_i32, F64_SIGN | two_31, FP_RNE, i32_min, 0},
        {f64_to_i32, F64_SIGN | (two_31 + 1), FP_RTZ, i32_min, FP_NX},
        {f64_to_i32, F64_SIGN | (two_31 + 1), FP_RDN, i32_min, FP_NV},
        {f64_to_i32, F64_SIGN | F64_INF, FP_RNE, i32_min, FP_NV},
        {f64_to_i32, F64_SIGN | F64_NAN, FP_RNE, INT32_MAX, FP_NV},
        {f64_to_u32, two_31, FP_RNE, i32_min, 0},
        {f64_to_u32, two_32, FP_RNE, UINT64_MAX, FP_NV},
        {f64_to_u32, F64_NAN, FP_RNE, UINT64_MAX, FP_NV},
        {f64_to_u32, minus_half, FP_RNE, 0, FP_NX},
        {f64_to_u32, minus_half, FP_RMM, 0, FP_NV},
        {f64_to_u32, minus_half, FP_RDN, 0, FP_NV},
        {f64_to_u32, F64_SIGN | F64_ONE, FP_RTZ, 0, FP_NV},
        {f64_to_i64, two_63, FP_RTZ, INT64_MAX, FP_NV},
        {f64_to_i64, F64_SIGN | two_63, FP_RTZ, F64_SIGN, 0},
        {f64_to_u64, two_63, FP_RTZ, F64_SIGN, 0},
        {f64_to_u64, two_64, FP_RTZ, UINT64_MAX, FP_NV},
        {f64_to_u64, F64_SIGN | F64_INF, FP_RTZ, 0, FP_NV},
        {f64_to_i64, one_and_half, FP_RNE, 2, FP_NX},
        {f64_to_i64, F64_HALF, FP_RNE, 0, FP_NX},
        {f64_to_i64, F64_HALF, FP_RMM, 1, FP_NX},
        {f64_to_i64, minus_half, FP_RUP, 0, FP_NX},
        {f64_to_i64, minus_half, FP_RDN, UINT64_MAX, FP_NX},
        {f64_to_i64, F64_SIGN, FP_RDN, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        unsigned flags = 0;
        uint64_t result = vectors[i].function(vectors[i].a, vectors[i].rm, &flags);
        if (result != vectors[i].result || flags != vectors[i].flags) {
            fail_msg("vector %zu is %#llx, flags %#x", i, (unsigned long long)result, flags);
        }
    }
    unsigned flags = 0;
    assert_int_equal(f32_to_u32(0x4f7fffff, FP_RNE, &flags), 0xffffffffffffff00);
    assert_int_equal(f32_to_i32(0xbf800000, FP_RNE, &flags), UINT64_MAX);
    assert_int_equal(flags, 0);
}

static void conversions_from_integers_round(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    assert_int_equal(i32_to_f64(INT32_MIN, FP_RNE, &flags), 0xc1e0000000000000);
    assert_int_equal(u32_to_f64(UINT32_MAX, FP_RNE, &flags), 0x41efffffffe00000);
    assert_int_equal(i64_to_f64(0, FP_RDN, &flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(i32_to_f32(0x1000001, FP_RNE, &flags), 0x4b800000);
    assert_int_equal(i32_to_f32(0x1000001, FP_RMM, &flags), 0x4b800001);
    assert_int_equal(u64_to_f64(UINT64_MAX, FP_RNE, &flags), 0x43f0000000000000);
    assert_int_equal(u64_to_f64(UINT64_MAX, FP_RTZ, &flags), 0x43efffffffffffff);
    assert_int_equal(i64_to_f32(INT64_MIN + 1, FP_RUP, &flags), 0xdeffffff);
    assert_int_equal(flags, FP_NX);
}

static void formats_convert_with_canonical_nans(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    assert_int_equal(f32_to_f64(0xffc12345, &flags), F64_NAN);
    assert_int_equal(f32_to_f64(1, &flags), 0x36a0000000000000);
    assert_int_equal(f64_to_f32(0x36a0000000000000, FP_RNE, &flags), 1);
    assert_int_equal(flags, 0);
    assert_int_equal(f32_to_f64(0x7f800001, &flags), F64_NAN);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(f64_to_f32(0x3690000000000000, FP_RNE, &flags), 0);
    assert_int_equal(flags, FP_NX | FP_UF);
    flags = 0;
    assert_int_equal(f64_to_f32(F64_MAX, FP_RNE, &flags), F32_INF);
    assert_int_equal(flags, FP_NX | FP_OF);
}

static const uint64_t numbers[] = {     /* in order, two zeros apart */
    F64_SIGN | F64_INF, F64_SIGN | F64_MAX, F64_SIGN | F64_ONE, F64_SIGN | F64_MIN, F64_SIGN | 1,
    F64_SIGN, 0, 1, F64_MIN, F64_HALF, F64_ONE, F64_ONE + 1, F64_MAX, F64_INF,
};

static const uint32_t numbers32[] = {
    0xff800000, 0xff7fffff, 0xbf800000, 0x80800000, 0x80000001, F32_SIGN, 0, 1, 0x800000,
    0x3f000000, 0x3f800000, 0x3f800001, 0x7f7fffff, F32_INF,
};

static void numbers_compare_in_their_order_and_zeros_are_equal(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    assert_int_equal(COUNT_OF(numbers), COUNT_OF(numbers32));
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        for (size_t j = 0; j < COUNT_OF(numbers); j++) {
            bool are_zeros = (numbers[i] | numbers[j]) << 1 == 0;
            bool is_less = i < j && !are_zeros, is_equal = i == j || are_zeros;
            assert_int_equal(f64_lt(numbers[i], numbers[j], &flags), is_less);
            assert_int_equal(f64_le(numbers[i], numbers[j], &flags), is_less || is_equal);
            assert_int_equal(f64_eq(numbers[i], numbers[j], &flags), is_equal);
            assert_int_equal(f32_lt(numbers32[i], numbers32[j], &flags), is_less);
            assert_int_equal(f32_le(numbers32[i], numbers32[j], &flags), is_less || is_equal);
            assert_int_equal(f32_eq(numbers32[i], numbers32[j], &flags), is_equal);
        }
    }
    assert_int_equal(flags, 0);
}

static void minimum_and_maximum_tell_zeros_apart(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        for (size_t j = 0; j < COUNT_OF(numbers); j++) {
            size_t low = i < j ? i : j, high = i < j ? j : i;
            assert_int_equal(f64_min(numbers[i], numbers[j], &flags), numbers[low]);
            assert_int_equal(f64_max(numbers[i], numbers[j], &flags), numbers[high]);
            assert_int_equal(f32_min(numbers32[i], numbers32[j], &flags), numbers32[low]);
            assert_int_equal(f32_max(numbers32[i], numbers32[j], &flags), numbers32[high]);
        }
    }
    assert_int_equal(flags, 0);
}

static void a_nan_loses_against_a_number(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    assert_int_equal(f64_min(F64_NAN, F64_INF, &flags), F64_INF);
    assert_int_equal(f64_max(F64_ONE, F64_NAN | F64_SIGN, &flags), F64_ONE);
    assert_int_equal(f64_max(F64_NAN | 7, F64_NAN | F64_SIGN, &flags), F64_NAN);
    assert_int_equal(f32_max(F32_NAN | 7, 0xffffffff, &flags), F32_NAN);
    assert_int_equal(flags, 0);
    assert_int_equal(f32_min(0x7f800001, 0x3f800000, &flags), 0x3f800000);
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_int_equal(f64_min(F64_NAN, F64_INF + 1, &flags), F64_NAN);
    assert_int_equal(flags, FP_NV);
}

static void only_a_signaling_nan_disturbs_equality(void **unused)
{
    (void)unused;
    unsigned flags = 0;
    assert_false(f64_eq(F64_NAN, F64_NAN, &flags));
    assert_false(f32_eq(0x3f800000, F32_NAN, &flags));
    assert_int_equal(flags, 0);
    assert_false(f64_eq(F64_INF + 1, F64_ONE, &flags));
    assert_int_equal(flags, FP_NV);
    flags = 0;
    assert_false(f32_eq(0x3f800000, 0xffbfffff, &flags));
    assert_int_equal(flags, FP_NV);
}

static void any_nan_disturbs_an_order(void **unused)
{
    (void)unused;
    const uint64_t nans[] = {F64_NAN, F64_INF + 1, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(nans); i++) {
        unsigned flags[4] = {0, 0, 0, 0};
        assert_false(f64_lt(nans[i], F64_ONE, &flags[0]));
        assert_false(f64_le(F64_ONE, nans[i], &flags[1]));
        assert_false(f32_lt(F32_NAN, (uint32_t)i, &flags[2]));
        assert_false(f32_le((uint32_t)i, 0x7f800001, &flags[3]));
        for (size_t j = 0; j < 4; j++) {
            assert_int_equal(flags[j], FP_NV);
        }
    }
}

static void a_class_is_one_bit_of_ten(void **unused)
{
    (void)unused;
    const uint64_t wide[] = {
        F64_SIGN | F64_INF, F64_SIGN | F64_MAX, F64_SIGN | (F64_MIN - 1), F64_SIGN, 0, F64_MIN - 1,
        F64_MIN, F64_INF, F64_SIGN | (F64_INF + 1), F64_SIGN | F64_NAN,
    };
    const uint32_t narrow[] = {
        0xff800000, 0x80800000, 0x80000001, 0x80000000, 0, 0x7fffff, 0x7f7fffff, F32_INF,
        0x7fbfffff, 0x7fffffff,
    };
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(f64_classify(wide[i]), 1u << i);
        assert_int_equal(f32_classify(narrow[i]), 1u << i);
    }
}

static void a_badly_boxed_value_reads_as_nan(void **unused)
{
    (void)unused;
    assert_int_equal(f32_box(0x3f800000), 0xffffffff3f800000);
    assert_int_equal(f32_unbox(0xffffffff3f800000), 0x3f800000);
    assert_int_equal(f32_unbox(0xfffffffe3f800000), F32_NAN);
    assert_int_equal(f32_unbox(0x3f800000), F32_NAN);
}

static void flags_are_only_ever_added(void **unused)
{
    (void)unused;
    unsigned flags = FP_DZ | FP_OF;
    f64_add(F64_ONE, F64_ONE, FP_RNE, &flags);
    assert_int_equal(flags, FP_DZ | FP_OF);
    f64_div(F64_ONE, 0x4008000000000000, FP_RNE, &flags);
    assert_int_equal(flags, FP_DZ | FP_OF | FP_NX);
    f64_sqrt(F64_SIGN | F64_ONE, FP_RMM, &flags);
    assert_int_equal(flags, FP_DZ | FP_OF | FP_NX | FP_NV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_go_to_even_or_away_as_the_mode_says),
        cmocka_unit_test(overflow_gives_infinity_or_the_largest_number),
        cmocka_unit_test(tininess_is_judged_after_rounding),
        cmocka_unit_test(zeros_infinities_and_nans_follow_the_standard),
        cmocka_unit_test(square_roots_are_exact_or_say_so),
        cmocka_unit_test(a_fused_multiply_add_rounds_once),
        cmocka_unit_test(conversions_to_integers_saturate_and_extend),
        cmocka_unit_test(conversions_from_integers_round),
        cmocka_unit_test(formats_convert_with_canonical_nans),
        cmocka_unit_test(numbers_compare_in_their_order_and_zeros_are_equal),
        cmocka_unit_test(minimum_and_maximum_tell_zeros_apart),
        cmocka_unit_test(a_nan_loses_against_a_number),
        cmocka_unit_test(only_a_signaling_nan_disturbs_equality),
        cmocka_unit_test(any_nan_disturbs_an_order),
        cmocka_unit_test(a_class_is_one_bit_of_ten),
        cmocka_unit_test(a_badly_boxed_value_reads_as_nan),
        cmocka_unit_test(flags_are_only_ever_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
