/* A data TLB that is asked without translation (c906.bare_cycles): what it costs, to the cycle. */
#include "tests/sim/core/rig.h"

enum { ROUNDS = 100, BARE_CYCLES = 9 };

/* Loads and a store in turn from two pages. */
static const uint32_t body[] = {
    0x7d000593,             /* addi a1, zero, 2000 */
    0x00b48633, 0x00b60633, 0x00b60633,     /* a2 = s1 + 3 * a1 */
    0x0004b303,             /* ld t1, 0(s1) */
    0x00063383,             /* ld t2, 0(a2) */
    0x0004b423,             /* sd zero, 8(s1) */
};

static uint64_t of_100_rounds(const char *core, const char *entries, const char *bare,
                              unsigned code)
{
    const char *const *settings = SETTINGS(core, entries, bare);
    unsigned length = sizeof body / sizeof body[0];
    return loop_events_with(settings, body, length, 300, code) -
           loop_events_with(settings, body, length, 200, code);
}

static void each_change_of_the_page_costs_a_miss(void **state)
{
    (void)state;
    uint64_t none = of_100_rounds("core.kind=in_order", "dtlb.entries=1", "c906.bare_cycles=0",
                                  EVENT_CYCLES);
    assert_int_equal(of_100_rounds("core.kind=in_order", "dtlb.entries=1", "c906.bare_cycles=9",
                                   EVENT_CYCLES), none + ROUNDS * 2 * BARE_CYCLES);
    assert_int_equal(of_100_rounds("core.kind=in_order", "dtlb.entries=2", "c906.bare_cycles=9",
                                   EVENT_CYCLES), none);
}

static void misses_are_counted(void **state)
{
    const char *in_order = "core.kind=in_order";
    (void)state;
    assert_int_equal(of_100_rounds(in_order, "dtlb.entries=2", "c906.bare_cycles=9",
                                   EVENT_DTLB_MISS), 0);
    assert_int_equal(of_100_rounds(in_order, "dtlb.entries=1", "c906.bare_cycles=0",
                                   EVENT_DTLB_MISS), 0);
    assert_in_range(of_100_rounds(in_order, "dtlb.entries=1", "c906.bare_cycles=9",
                                  EVENT_DTLB_MISS), ROUNDS, 3 * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_the_page_costs_a_miss),
        cmocka_unit_test(misses_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
