/* Storage in bits, worked out by hand from the shapes. */
#include "tests/sim/core/bpred/drive.h"

static struct bpred_storage storage_of(const char *const *settings)
{
    struct config config;
    struct bpred_storage storage;
    struct diag diag;
    config_init(&config);
    for (; *settings != NULL; settings++)
        if (!part_set(&config, *settings) && config_set(&config, *settings, &diag) != ERR_OK)
            fail_msg("%s", diag.text);
    assert_true(bpred_storage(&config, &storage));
    return storage;
}

#define STORAGE(...) storage_of((const char *const[]){__VA_ARGS__, NULL})

static void directions_take_what_their_tables_hold(void **state)
{
    (void)state;
    assert_int_equal(STORAGE("bpred.kind=static").direction, 0);
    assert_int_equal(STORAGE("bpred.kind=bimodal", "bpred.entries=512").direction, 512 * 2);
    assert_int_equal(STORAGE("bpred.kind=bimodal", "bpred.entries=512", "bpred.counter_bits=3",
                             "part.unseen=1").direction, 512 * 4);
    assert_int_equal(STORAGE("bpred.kind=gshare").direction, 16384 * 2);
    assert_int_equal(STORAGE("bpred.kind=bimode", "bpred.entries=2048").direction,
                     2 * (1024 + 2 * 2048));
    /* the 29 Kbit of the Alpha 21264 */
    assert_int_equal(STORAGE("bpred.kind=tournament").direction,
                     1024 * 10 + 1024 * 3 + 4096 * 2 + 4096 * 2);
    assert_int_equal(STORAGE("bpred.kind=perceptron").direction, 512 * 13 * 8);
    /* ten tables of 3-bit counter, useful bit, 11-bit tag; alternate counter and tick */
    assert_int_equal(STORAGE("bpred.kind=tage").direction, 16384 * 2 + 10 * 1024 * 15 + 4 + 10);
    assert_int_equal(STORAGE("bpred.kind=tage_sc_l", "bpred.loop_entries=0",
                             "bpred.corrector_entries=0").direction,
                     16384 * 2 + 10 * 1024 * 15 + 4 + 10 + 7);
    /* 64 loops; nine tables of six bits, 256 local histories, 64 thresholds, two choosers */
    assert_int_equal(STORAGE("bpred.kind=tage_sc_l").direction,
                     16384 * 2 + 10 * 1024 * 15 + 4 + 10 + 7 + 64 * 49 +
                         9 * 1024 * 6 + 256 * 11 + 64 * 11 + 14);
}

static void tables_need_not_be_powers_of_two(void **state)
{
    (void)state;
    assert_int_equal(STORAGE("bpred.kind=bimodal", "bpred.entries=1000").direction, 1000 * 2);
    assert_int_equal(STORAGE("bpred.kind=perceptron", "bpred.perceptron_entries=100",
                             "bpred.history=32").direction,
                     100 * 33 * 8);
    /* 48 loops of 49 bits, nine tables of 700 counters; the rest as above */
    assert_int_equal(STORAGE("bpred.kind=tage_sc_l", "bpred.entries=3000",
                             "bpred.tage_entries=1500", "bpred.loop_entries=48",
                             "bpred.corrector_entries=700").direction,
                     3000 * 2 + 10 * 1500 * 15 + 4 + 10 + 7 + 48 * 49 +
                         9 * 700 * 6 + 256 * 11 + 64 * 11 + 14);
    assert_int_equal(STORAGE("bpred.indirect_entries=300").indirect, 300 * 38);
}

static void histories_are_counted_with_their_folds(void **state)
{
    (void)state;
    assert_int_equal(STORAGE("bpred.history=40").history, 40);
    assert_int_equal(STORAGE("bpred.kind=bimodal", "bpred.indirect=btb").history, 0);
    assert_int_equal(STORAGE("bpred.kind=tournament", "bpred.indirect=btb").history, 12);
    assert_int_equal(STORAGE("bpred.kind=perceptron", "bpred.indirect=none").history, 12);
    /* 512 entries: nine bits from the sixth branch on */
    assert_int_equal(STORAGE("bpred.kind=static").history, 14);
    /* ten tables: index 10, tag 11, 10; 640 bits; path 32, inner count 10 */
    assert_int_equal(STORAGE("bpred.kind=tage", "bpred.indirect=btb").history,
                     640 + 10 * (10 + 11 + 10) + 42);
}

static void targets_take_tag_target_and_order(void **state)
{
    (void)state;
    /* 1024 sets: 28 bits of tag; four ways: two bits of order */
    assert_int_equal(STORAGE("bpred.btb_entries=4096").btb, 4096 * (1 + 28 + 38 + 2));
    assert_int_equal(STORAGE("bpred.btb_entries=1024", "bpred.btb_ways=1",
                             "bpred.btb_tag_bits=4").btb, 1024 * (1 + 4 + 38));
    assert_int_equal(STORAGE("bpred.btb_entries=1024", "bpred.btb_ways=1", "bpred.btb_tag_bits=4",
                             "part.btb_refill=1").btb, 1024 * (1 + 4 + 38) + 1 + 38 + 38);
    assert_int_equal(STORAGE("bpred.btb_entries=32", "bpred.btb_ways=32",
                             "bpred.btb_replacement=random").btb, 32 * (1 + 38 + 38));
    assert_int_equal(STORAGE("bpred.btb_entries=0", "bpred.l0_entries=16").btb,
                     16 * (1 + 38 + 38 + 4));
    assert_int_equal(STORAGE("bpred.ras_entries=16").ras, 16 * 38 + 4);
    assert_int_equal(STORAGE("bpred.ras_entries=0").ras, 0);
    assert_int_equal(STORAGE("bpred.indirect_entries=512").indirect, 512 * 38);
    assert_int_equal(STORAGE("bpred.indirect=btb").indirect, 0);
    assert_int_equal(STORAGE("bpred.indirect=ittage", "bpred.indirect_entries=512").indirect,
                     512 * 38 + 6 * 256 * (38 + 11 + 2 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_take_what_their_tables_hold),
        cmocka_unit_test(tables_need_not_be_powers_of_two),
        cmocka_unit_test(histories_are_counted_with_their_folds),
        cmocka_unit_test(targets_take_tag_target_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
