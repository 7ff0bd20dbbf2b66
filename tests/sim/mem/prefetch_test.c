/* The stride prefetcher: when it trusts a distance, what it proposes, where it stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/mem/prefetch.h"

#define PC UINT64_C(0x80000100)
#define PAGE UINT64_C(0x80010000)

static uint64_t next[PREFETCH_DEGREE];

static void a_distance_is_trusted_when_it_came_twice(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE, next), 0);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 64, next), 0);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 128, next), PREFETCH_DEGREE);
    for (unsigned i = 0; i < PREFETCH_DEGREE; i++)
        assert_int_equal(next[i], PAGE + 128 + 64 * (i + 1));
}

static void a_distance_may_be_negative(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    prefetch_train(&prefetch, PC, PAGE + 1024, next);
    prefetch_train(&prefetch, PC, PAGE + 896, next);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 768, next), PREFETCH_DEGREE);
    assert_int_equal(next[0], PAGE + 640);
}

static void another_distance_must_earn_its_trust(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    for (unsigned i = 0; i < 4; i++)
        prefetch_train(&prefetch, PC, PAGE + 64 * i, next);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 1024, next), 0);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 1088, next), 0);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 1152, next), PREFETCH_DEGREE);
}

static void the_same_line_again_is_no_sequence(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(prefetch_train(&prefetch, PC, PAGE, next), 0);
}

static void nothing_is_proposed_beyond_the_page(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    prefetch_train(&prefetch, PC, PAGE + 4096 - 5 * 64, next);
    prefetch_train(&prefetch, PC, PAGE + 4096 - 4 * 64, next);
    assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 4096 - 3 * 64, next), 2);
    assert_int_equal(next[1], PAGE + 4096 - 64);
}

static void loads_are_told_apart_by_their_pc(void **state)
{
    (void)state;
    struct prefetch prefetch = {0};
    for (unsigned i = 0; i < 3; i++) {
        unsigned expected = i < 2 ? 0 : PREFETCH_DEGREE;
        assert_int_equal(prefetch_train(&prefetch, PC, PAGE + 64 * i, next), expected);
        assert_int_equal(prefetch_train(&prefetch, PC + 4, PAGE + 2048 - 128 * i, next), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_is_trusted_when_it_came_twice),
        cmocka_unit_test(a_distance_may_be_negative),
        cmocka_unit_test(another_distance_must_earn_its_trust),
        cmocka_unit_test(the_same_line_again_is_no_sequence),
        cmocka_unit_test(nothing_is_proposed_beyond_the_page),
        cmocka_unit_test(loads_are_told_apart_by_their_pc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
