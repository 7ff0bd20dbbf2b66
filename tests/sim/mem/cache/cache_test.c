/* Caches: finding, recency, replacement; against a plain list of recently used blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/mem/cache/cache.h"

static struct cache cache;

static void make(uint64_t bytes, uint32_t ways, uint32_t line_bytes, uint32_t registers)
{
    const struct cache_shape shape = {
        .bytes = bytes, .ways = ways, .line_bytes = line_bytes, .miss_registers = registers,
        .is_followed = true,
    };
    assert_true(cache_init(&cache, &shape));
}

static int tear_down(void **state)
{
    (void)state;
    cache_free(&cache);
    return 0;
}

/* Puts the block where the cache says; returns the frame. */
static uint32_t fill(uint64_t block, uint64_t now, uint64_t ready)
{
    uint32_t frame = cache_victim(&cache, block, now);
    if (frame != CACHE_NO_FRAME)
        cache_fill(&cache, frame, block, ready);
    return frame;
}

static void a_new_cache_holds_nothing(void **state)
{
    (void)state;
    make(1024, 2, 32, 1);
    assert_int_equal(cache.frames, 32);
    for (uint64_t block = 0; block < 64; block++)
        assert_int_equal(cache_find(&cache, block), CACHE_NO_FRAME);
}

static void a_filled_block_is_found_in_its_set(void **state)
{
    (void)state;
    make(1024, 2, 32, 1);
    uint32_t frame = fill(0x12345, 0, 0);
    assert_int_equal(frame / 2, 0x12345 % 16);
    assert_int_equal(cache_find(&cache, 0x12345), frame);
    assert_int_equal(cache_use(&cache, 0x12345), frame);
    assert_int_equal(cache_find(&cache, 0x12355), CACHE_NO_FRAME);
}

static void addresses_that_differ_only_in_high_bits_are_told_apart(void **state)
{
    (void)state;
    make(1024, 2, 32, 1);
    uint64_t low = cache_block(&cache, 0x80000000), high = cache_block(&cache, 0xf00080000000);
    fill(low, 0, 0);
    assert_int_equal(cache_find(&cache, high), CACHE_NO_FRAME);
    fill(high, 0, 0);
    assert_int_not_equal(cache_find(&cache, high), cache_find(&cache, low));
}

static void one_set_of_one_way_holds_the_last_block(void **state)
{
    (void)state;
    make(8, 1, 8, 1);
    assert_int_equal(cache.frames, 1);
    assert_int_equal(fill(5, 0, 0), 0);
    assert_int_equal(fill(6, 0, 0), 0);
    assert_int_equal(cache_use(&cache, 5), CACHE_NO_FRAME);
    assert_int_equal(cache_use(&cache, 6), 0);
    assert_true(cache_is_sane(&cache));
}

static void the_least_recently_used_line_goes(void **state)
{
    (void)state;
    make(3 * 64, 3, 64, 1);
    fill(1, 0, 0);
    fill(2, 0, 0);
    fill(3, 0, 0);
    cache_use(&cache, 1);
    assert_int_equal(cache_victim(&cache, 4, 0), cache_find(&cache, 2));
    cache_use(&cache, 2);
    assert_int_equal(cache_victim(&cache, 4, 0), cache_find(&cache, 3));
}

static void finding_changes_no_recency(void **state)
{
    (void)state;
    make(2 * 64, 2, 64, 1);
    uint32_t oldest = fill(1, 0, 0);
    fill(2, 0, 0);
    assert_int_equal(cache_find(&cache, 1), oldest);
    assert_int_equal(cache_victim(&cache, 3, 0), oldest);
}

static void a_line_on_its_way_is_not_replaced(void **state)
{
    (void)state;
    make(2 * 64, 2, 64, 1);
    fill(1, 0, 50);
    fill(2, 0, 60);
    assert_int_equal(cache_victim(&cache, 3, 49), CACHE_NO_FRAME);
    assert_int_equal(cache_victim(&cache, 3, 50), cache_find(&cache, 1));
    cache_use(&cache, 1);
    assert_int_equal(cache_victim(&cache, 3, 59), cache_find(&cache, 1));
    assert_int_equal(cache_victim(&cache, 3, 60), cache_find(&cache, 2));
}

static void an_empty_frame_is_taken_first(void **state)
{
    (void)state;
    make(4 * 64, 4, 64, 1);
    for (uint64_t block = 0; block < 4; block++)
        fill(block, 0, 0);
    uint32_t empty = cache_find(&cache, 2);
    cache_drop(&cache, empty);
    assert_true(cache_is_sane(&cache));
    assert_int_equal(cache_find(&cache, 2), CACHE_NO_FRAME);
    assert_int_equal(cache_victim(&cache, 9, 0), empty);
}

static void filling_makes_a_frame_clean_and_unshared(void **state)
{
    (void)state;
    make(64, 1, 64, 1);
    cache.state[fill(1, 0, 0)] = CACHE_MODIFIED;
    assert_int_equal(cache.state[fill(2, 0, 0)], CACHE_EXCLUSIVE);
}

static void a_flush_empties_everything(void **state)
{
    (void)state;
    make(1024, 4, 16, 1);
    for (uint64_t block = 0; block < 64; block++)
        fill(block, 0, 1000);
    cache_flush(&cache);
    for (uint64_t block = 0; block < 64; block++) {
        assert_int_equal(cache_use(&cache, block), CACHE_NO_FRAME);
        assert_int_not_equal(cache_victim(&cache, block, 0), CACHE_NO_FRAME);
    }
    assert_true(cache_is_sane(&cache));
}

static void the_register_that_is_free_first_is_offered(void **state)
{
    (void)state;
    make(1024, 2, 32, 3);
    assert_int_equal(cache.pending[cache_register(&cache)], 0);
    cache.pending[0] = 30;
    cache.pending[1] = 10;
    cache.pending[2] = 20;
    assert_int_equal(cache_register(&cache), 1);
    cache.pending[1] = 40;
    assert_int_equal(cache_register(&cache), 2);
}

static void changed_frames_are_told_once_and_in_order(void **state)
{
    (void)state;
    make(4 * 64, 4, 64, 1);
    assert_int_equal(cache_next_change(&cache), CACHE_NO_FRAME);
    for (unsigned i = 0; i < 3; i++) {          /* more often than there is room for */
        for (uint32_t frame = 0; frame < 4; frame++)
            cache_note_change(&cache, 3 - frame);
        cache_change_seen(&cache, 2);           /* an access took it meanwhile */
    }
    cache_note_change(&cache, 0);
    assert_int_equal(cache_next_change(&cache), 3);
    assert_int_equal(cache_next_change(&cache), 1);
    cache_note_change(&cache, 3);
    assert_int_equal(cache_next_change(&cache), 0);
    assert_int_equal(cache_next_change(&cache), 3);
    assert_int_equal(cache_next_change(&cache), CACHE_NO_FRAME);
}

/* ---- against a list -------------------------------------------------------------------------- */

enum { MODEL_SETS = 16, MODEL_WAYS = 64 };

/* Blocks of each set, the most recent first. */
struct model { uint64_t block[MODEL_SETS][MODEL_WAYS]; unsigned count[MODEL_SETS], sets, ways; };

/* True on a hit; puts the block in front either way. */
static bool model_use(struct model *model, uint64_t block)
{
    unsigned set = (unsigned)(block % model->sets), at = 0, *count = &model->count[set];
    uint64_t *list = model->block[set];
    while (at < *count && list[at] != block)
        at++;
    bool hit = at < *count;
    if (!hit && *count < model->ways)
        ++*count;
    if (!hit && at == model->ways)
        at--;
    memmove(list + 1, list, at * sizeof list[0]);
    list[0] = block;
    return hit;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

static void compare_with_model(unsigned sets, unsigned ways, unsigned line_bytes)
{
    static struct model model;
    uint64_t seed = sets * 1000 + ways;
    memset(&model, 0, sizeof model);
    model.sets = sets;
    model.ways = ways;
    make((uint64_t)sets * ways * line_bytes, ways, line_bytes, 1);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t pa = next_random(&seed) % (2 * sets * ways) * line_bytes + i % line_bytes;
        uint64_t block = cache_block(&cache, pa);
        bool hit = cache_use(&cache, block) != CACHE_NO_FRAME;
        assert_int_equal(hit, model_use(&model, block));
        if (!hit)
            fill(block, i, i);
    }
    assert_true(cache_is_sane(&cache));
    cache_free(&cache);
}

static void every_shape_hits_and_misses_like_a_list_of_recent_blocks(void **state)
{
    (void)state;
    static const unsigned ways[] = {1, 2, 3, 4, 5, 8, 12, 16, 64};
    for (unsigned sets = 1; sets <= MODEL_SETS; sets++)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
            compare_with_model(sets, ways[i], 8u << i % 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_new_cache_holds_nothing, tear_down),
        cmocka_unit_test_teardown(a_filled_block_is_found_in_its_set, tear_down),
        cmocka_unit_test_teardown(addresses_that_differ_only_in_high_bits_are_told_apart,
                                  tear_down),
        cmocka_unit_test_teardown(one_set_of_one_way_holds_the_last_block, tear_down),
        cmocka_unit_test_teardown(the_least_recently_used_line_goes, tear_down),
        cmocka_unit_test_teardown(finding_changes_no_recency, tear_down),
        cmocka_unit_test_teardown(a_line_on_its_way_is_not_replaced, tear_down),
        cmocka_unit_test_teardown(an_empty_frame_is_taken_first, tear_down),
        cmocka_unit_test_teardown(filling_makes_a_frame_clean_and_unshared, tear_down),
        cmocka_unit_test_teardown(a_flush_empties_everything, tear_down),
        cmocka_unit_test_teardown(the_register_that_is_free_first_is_offered, tear_down),
        cmocka_unit_test_teardown(changed_frames_are_told_once_and_in_order, tear_down),
        cmocka_unit_test(every_shape_hits_and_misses_like_a_list_of_recent_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
