/* biRISC-V: what its settings need. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

static void rows_are_for_an_in_order_core_that_fetches_ahead(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("biriscv.rows=2")),
                        "biriscv.rows = 2 needs core.kind = in_order");
    assert_string_equal(refused(SETTINGS("biriscv.rows=2", "core.kind=in_order",
                                         "fetch.speculative_miss=false")),
                        "biriscv.rows = 2 needs fetch.speculative_miss");
}

static void prediction_by_rows_is_one_mechanism(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "biriscv.lookup=row",
                                         "bpred.kind=bimodal", "bpred.train=resolve")),
                        "biriscv.lookup = row needs biriscv.rows");
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "biriscv.lookup=row",
                                         "biriscv.rows=2")),
                        "biriscv.lookup = row needs bpred.kind = bimodal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_for_an_in_order_core_that_fetches_ahead),
        cmocka_unit_test(prediction_by_rows_is_one_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
