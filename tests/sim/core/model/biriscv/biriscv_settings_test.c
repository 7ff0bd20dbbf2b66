/* biRISC-V: the settings that its settings need. */
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

static void a_machine_follows_the_model_whose_settings_it_has(void **state)
{
    (void)state;
    struct config config;
    struct diag diag;
    config_init(&config);
    assert_null(config_model(&config));
    assert_int_equal(config_set(&config, "biriscv.relookup_cycles=3", &diag), ERR_OK);
    assert_string_equal(config_model(&config), "biriscv");
    assert_int_equal(config_set(&config, "biriscv.relookup_cycles=0", &diag), ERR_OK);
    assert_null(config_model(&config));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_for_an_in_order_core_that_fetches_ahead),
        cmocka_unit_test(prediction_by_rows_is_one_mechanism),
        cmocka_unit_test(a_machine_follows_the_model_whose_settings_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
