/* The C906: the settings that its settings need. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

static void the_prefetcher_of_the_c906_runs_ahead_into_l1(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "c906.prefetch_all_hits=4")),
                        "c906.prefetch_all_hits = 4 needs c906.prefetch_distance");
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "c906.prefetch_distance=2",
                                         "c906.prefetch_all_hits=4")),
                        "c906.prefetch_all_hits = 4 needs l1d.prefetch_into = l1");
}

static void rows_of_counters_are_a_power_of_two(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "bpred.entries=3000",
                                         "c906.row_ahead=true")),
                        "c906.row_ahead = true needs bpred.entries = "
                        "256|512|1024|2048|4096|8192|16384|32768|65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prefetcher_of_the_c906_runs_ahead_into_l1),
        cmocka_unit_test(rows_of_counters_are_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
