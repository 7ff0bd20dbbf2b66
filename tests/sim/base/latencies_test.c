/* The list of latency thresholds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/base/latencies.h"

static void three_numbers_are_read_in_order(void **state)
{
    uint64_t latency[LATENCIES];

    (void)state;
    assert_true(latencies_read("10 50 134", latency));
    assert_int_equal(latency[0], 10);
    assert_int_equal(latency[1], 50);
    assert_int_equal(latency[2], 134);
    assert_true(latencies_read("  0x10  0 4294967295 ", latency));
    assert_int_equal(latency[0], 16);
    assert_int_equal(latency[2], UINT32_MAX);
}

static void any_other_text_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "10", "10 50", "10 50 100 200", "10,50,100", "10 50 -1", "10 50 4294967296", "10 x 3",
        "10 50 1e2",
    };
    uint64_t latency[LATENCIES];

    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(latencies_read(texts[i], latency));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_numbers_are_read_in_order),
        cmocka_unit_test(any_other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
