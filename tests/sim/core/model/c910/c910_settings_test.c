/* The C910: the settings that its settings need, and the places where they are found. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

static void predictor_and_targets_need_what_feeds_them(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("c910.btb_refill=true", "bpred.btb_miss=jumps")),
                        "c910.btb_refill = true needs bpred.btb_miss = decode");
    assert_string_equal(refused(SETTINGS("bpred.kind=bimode", "c910.write_buffer=4")),
                        "c910.write_buffer = 4 needs bpred.train = resolve");
}

static void results_are_kept_by_a_divider_that_iterates(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("c910.div_results=2", "latency.div_min=4")),
                        "c910.div_results = 2 needs latency.div_repeat");
}

static void a_block_fits_into_the_empty_buffer(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("c910.buffer_halfwords=8")),
                        "c910.buffer_halfwords = 8: expected at least 9, with "
                        "c910.buffer_halfwords");
}

static void the_c910_is_out_of_order(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "c910.by_block=true")),
                        "c910.by_block = true needs core.kind = out_of_order");
}

static void a_setting_asked_for_elsewhere_is_found_here(void **state)
{
    (void)state;
    struct config config;
    struct diag diag;
    config_init(&config);
    assert_int_equal(config_set(&config, "l1i.by_block=true", &diag), ERR_OK);
    assert_true(config.part_by_block);
    assert_int_equal(config_set(&config, "rsd.by_block=true", &diag), ERR_USAGE);
    assert_string_equal(diag.text,
                        "no setting 'rsd.by_block'; did you mean c910.by_block (true|false)?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictor_and_targets_need_what_feeds_them),
        cmocka_unit_test(results_are_kept_by_a_divider_that_iterates),
        cmocka_unit_test(a_block_fits_into_the_empty_buffer),
        cmocka_unit_test(the_c910_is_out_of_order),
        cmocka_unit_test(a_setting_asked_for_elsewhere_is_found_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
