/* The storage of a machine, in bits, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config_read.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/profile/metadata.h"
#include "sim/core/storage.h"

static uint64_t bits[STORAGE_PARTS];

static void count(const char *const *settings)
{
    struct config config;
    struct diag diag;
    config_init(&config);
    for (; *settings != NULL; settings++)
        if (config_set(&config, *settings, &diag) != ERR_OK)
            fail_msg("%s", diag.text);
    assert_true(storage_count(&config, bits));
}

#define COUNT(...) count((const char *const[]){__VA_ARGS__, NULL})

static void a_cache_has_data_tags_and_an_order(void **state)
{
    (void)state;
    /* 256 lines of 64 bytes in 64 sets of 4: a tag is 56 - 6 - 6 bits */
    COUNT("l1i.kib=16", "l1i.ways=4", "l1i.replacement=tree_plru", "l1i.prefetch=none");
    assert_int_equal(bits[STORAGE_l1i_data], 16 * 8192);
    assert_int_equal(bits[STORAGE_l1i_tags], 256 * (44 + 1));
    assert_int_equal(bits[STORAGE_l1i_replacement], 64 * 3);
    assert_int_equal(bits[STORAGE_l1i_prefetcher], 0);
    COUNT("l1d.kib=16", "l1d.ways=4", "l1d.replacement=lru", "l1d.prefetch=stride");
    assert_int_equal(bits[STORAGE_l1d_tags], 256 * (44 + 2));
    assert_int_equal(bits[STORAGE_l1d_replacement], 64 * 4 * 2);
    assert_int_not_equal(bits[STORAGE_l1d_prefetcher], 0);
    COUNT("l2.kib=0", "l3.kib=0");
    for (unsigned part = STORAGE_l2_data; part <= STORAGE_l3_replacement; part++)
        assert_int_equal(bits[part], 0);
    /* 16 ways of 1024 sets of 128 bytes: 56 - 7 - 10 */
    COUNT("l3.kib=2048", "l3.ways=16", "l2.line_bytes=128", "l3.replacement=lru");
    assert_int_equal(bits[STORAGE_l3_data], 2048 * 8192);
    assert_int_equal(bits[STORAGE_l3_tags], 16384 * (39 + 2));
    assert_int_equal(bits[STORAGE_l3_replacement], 16384 * 4);
}

static void a_translation_has_both_page_numbers(void **state)
{
    (void)state;
    /* 44 + 2 + 7 + 1, beside 27 bits of tag, less what a set's number says */
    COUNT("itlb.entries=8", "itlb.ways=0", "dtlb.entries=16", "dtlb.ways=4", "l2tlb.entries=0",
          "walker.cache_entries=4");
    assert_int_equal(bits[STORAGE_itlb], 8 * (54 + 27) + 8 * 3);
    assert_int_equal(bits[STORAGE_dtlb], 16 * (54 + 25) + 16 * 2);
    assert_int_equal(bits[STORAGE_l2tlb], 0);
    assert_int_equal(bits[STORAGE_walk_cache], 4 * (53 + 44 + 1) + 4 * 2);
}

static void predictors_and_metadata_count_for_themselves(void **state)
{
    (void)state;
    struct config config;
    struct bpred_storage predictor;
    config_init(&config);
    COUNT("bpred.kind=tage");
    config.bpred_kind = 5;
    assert_true(bpred_storage(&config, &predictor));
    assert_int_equal(bits[STORAGE_direction], predictor.direction);
    assert_int_equal(bits[STORAGE_target_buffers], predictor.btb);
    assert_int_equal(bits[STORAGE_return_address_stack], predictor.ras);
    assert_int_equal(bits[STORAGE_indirect_targets], predictor.indirect);
    const struct metadata_storage metadata = metadata_storage(&config);
    assert_int_equal(bits[STORAGE_metadata_code], metadata.code);
    assert_int_equal(bits[STORAGE_metadata_data], metadata.data);
    COUNT("shadow.placement=mixed");
    assert_int_equal(bits[STORAGE_metadata_code], 0);
    assert_int_not_equal(bits[STORAGE_metadata_marks], 0);
}

static void every_part_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (unsigned i = 0; i < STORAGE_PARTS; i++) {
        assert_int_not_equal(strlen(storage_meaning(i)), 0);
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(storage_name(i), storage_name(j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_has_data_tags_and_an_order),
        cmocka_unit_test(a_translation_has_both_page_numbers),
        cmocka_unit_test(predictors_and_metadata_count_for_themselves),
        cmocka_unit_test(every_part_has_a_name_and_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
