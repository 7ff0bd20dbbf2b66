/* Loads across a boundary, atomics and fences. */
#include "tests/sim/core/rig.h"

static void a_load_across_a_boundary_goes_through_the_port_twice(void **state)
{
    (void)state;
    const uint32_t within[] = {
        load(6, 9, 4), add(7, 6, 6), mul(7, 7, 7), add(9, 9, 8), add(9, 9, 7),
    };
    const uint32_t across[] = {
        load(6, 9, 60), add(7, 6, 6), mul(7, 7, 7), add(9, 9, 8), add(9, 9, 7),
    };
    static const char *const of_8[] = {"c910.split_bytes=8", "c910.split_cycles=5", NULL};
    static const char *const of_16[] = {"c910.split_bytes=16", "c910.split_cycles=5", NULL};
    uint64_t least = warm_cycles(NULL, within, 5), crossing = warm_cycles(NULL, across, 5);
    assert_int_equal(warm_cycles(of_8, within, 5), least + 500);
    assert_int_equal(warm_cycles(of_16, within, 5), least);
    assert_int_equal(crossing, least + 200);            /* lsq.misaligned_cycles */
    assert_int_equal(warm_cycles(of_16, across, 5), least + 500);
    assert_int_equal(events_of_200_rounds(of_8, EVENT_L1D_READ, within, 5), 400);
    assert_int_equal(events_of_200_rounds(of_16, EVENT_L1D_READ, within, 5), 200);
}

static void an_atomic_can_read_after_the_cache(void **state)
{
    (void)state;
    const uint32_t body[] = {r_type(0, 8, 9, 3, 6, 0x2f)};      /* amoadd.d x6, x8, (x9) */
    uint64_t near = warm_cycles(NULL, body, 1);
    uint64_t far = warm_cycles(SETTINGS("c910.amo_far=true"), body, 1);
    assert_int_equal(far, near + 100 * 12);                     /* l2.cycles */
    assert_int_equal(warm_cycles(SETTINGS("c910.amo_far=true", "c910.amo_write_cycles=7"), body, 1),
                     far + 700);
    assert_int_equal(events_of_200_rounds(SETTINGS("c910.amo_far=true"), EVENT_L1D_WRITEBACK, body,
                                          1), 199);
}

static void a_fence_can_take_other_times_than_csrs(void **state)
{
    (void)state;
    const uint32_t body[] = {0x0ff0000f};
    uint64_t least = warm_cycles(NULL, body, 1);                /* latency.csr is 2 */
    assert_int_equal(warm_cycles(SETTINGS("c910.fence=2"), body, 1), least);
    assert_int_equal(warm_cycles(SETTINGS("c910.fence=9", "latency.csr=5"), body, 1),
                     least + 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_across_a_boundary_goes_through_the_port_twice),
        cmocka_unit_test(an_atomic_can_read_after_the_cache),
        cmocka_unit_test(a_fence_can_take_other_times_than_csrs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
