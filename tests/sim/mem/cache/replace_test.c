/* Replacement policies: each against a model of its own that follows the paper word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/mem/cache/cache.h"

enum { SETS_MAX = 64, WAYS_MAX = 64, LINE = 8 };

static struct cache cache;

static void make(enum replace_policy policy, uint32_t sets, uint32_t ways, uint64_t seed)
{
    const struct cache_shape shape = {
        .bytes = (uint64_t)sets * ways * LINE, .ways = ways, .line_bytes = LINE,
        .miss_registers = 1, .replacement = policy, .seed = seed,
    };
    assert_true(cache_init(&cache, &shape));
}

static int tear_down(void **state)
{
    (void)state;
    cache_free(&cache);
    return 0;
}

/* A cache access: true on a hit; a miss fills. */
static bool access_block(uint64_t block)
{
    if (cache_use(&cache, block) != CACHE_NO_FRAME)
        return true;
    uint32_t frame = cache_victim(&cache, block, 0);
    assert_int_not_equal(frame, CACHE_NO_FRAME);
    cache_fill(&cache, frame, block, 0);
    return false;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void the_tree_of_four_ways_gives_up_the_side_used_longest_ago(void **state)
{
    (void)state;
    make(REPLACE_TREE_PLRU, 1, 4, 0);
    for (uint64_t block = 0; block < 4; block++)
        access_block(block);                    /* block n is in way n; the tree points to way 0 */
    assert_int_equal(cache_victim(&cache, 9, 0), 0);
    access_block(0);                            /* the root points right, the right node to way 2 */
    assert_int_equal(cache_victim(&cache, 9, 0), 2);
    access_block(2);
    assert_int_equal(cache_victim(&cache, 9, 0), 1);
    access_block(1);
    assert_int_equal(cache_victim(&cache, 9, 0), 3);
    access_block(0);
    assert_int_equal(cache_victim(&cache, 9, 0), 3);    /* LRU says 3 too ... */
    access_block(3);
    assert_int_equal(cache_victim(&cache, 9, 0), 1);    /* ... but now 2; the tree forgot that */
}

static void the_tree_avoids_lines_on_their_way(void **state)
{
    (void)state;
    make(REPLACE_TREE_PLRU, 1, 4, 0);
    for (uint64_t block = 0; block < 4; block++)
        access_block(block);
    cache.ready[0] = 100;
    assert_int_equal(cache_victim(&cache, 9, 50), 1);
    cache.ready[1] = 100;
    assert_int_equal(cache_victim(&cache, 9, 50), 2);
    cache.ready[2] = cache.ready[3] = 100;
    assert_int_equal(cache_victim(&cache, 9, 50), CACHE_NO_FRAME);
}

/* The example of the paper's section on scans: blocks that were hit survive a burst of new
 * blocks. */
static void srrip_keeps_what_was_hit_through_a_scan_that_lru_loses_it_in(void **state)
{
    (void)state;
    for (unsigned policy = REPLACE_LRU; policy <= REPLACE_SRRIP; policy += REPLACE_SRRIP) {
        make((enum replace_policy)policy, 1, 4, 0);
        for (unsigned i = 0; i < 4; i++)
            access_block(i % 2);
        for (uint64_t block = 100; block < 104; block++)
            access_block(block);
        assert_int_equal(access_block(0), policy == REPLACE_SRRIP);
        cache_free(&cache);
    }
    make(REPLACE_LRU, 1, 1, 0);
}

static void srrip_ages_the_whole_set_when_nothing_is_distant(void **state)
{
    (void)state;
    make(REPLACE_SRRIP, 1, 2, 0);
    access_block(1);
    access_block(2);
    access_block(1);                            /* values 0 and 2 */
    assert_false(access_block(3));              /* takes way 1: values 1 and 2 */
    const struct replace_rrip *rrip = cache.replace.state;
    assert_int_equal(rrip->rrpv[0], 1);
    assert_int_equal(rrip->rrpv[1], REPLACE_LONG);
    assert_true(access_block(1));               /* found again: 0, also right after ageing */
    assert_int_equal(rrip->rrpv[0], 0);
}

/* The change of the counter at the first miss of each set tells the leaders apart. */
static void of_a_large_cache_32_sets_lead_for_each_policy(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{64, 2}, {1024, 32}, {4096, 32}};
    for (unsigned i = 0; i < 3; i++) {
        make(REPLACE_DRRIP, sizes[i][0], 2, 0);
        const struct replace_rrip *rrip = cache.replace.state;
        unsigned up = 0, down = 0;
        for (uint32_t set = 0; set < sizes[i][0]; set++) {
            uint32_t votes = rrip->votes;
            access_block(set);
            up += rrip->votes > votes;
            down += rrip->votes < votes;
        }
        assert_int_equal(up, sizes[i][1]);
        assert_int_equal(down, sizes[i][1]);
        cache_free(&cache);
    }
    make(REPLACE_LRU, 1, 1, 0);
}

static void random_replacement_repeats_with_its_seed_and_uses_every_way(void **state)
{
    (void)state;
    uint32_t victims[3][200];
    unsigned used[8] = {0};
    for (unsigned run = 0; run < 3; run++) {
        make(REPLACE_RANDOM, 1, 8, run == 2 ? 99 : 7);
        for (uint64_t block = 0; block < 8; block++)
            access_block(block);
        for (unsigned i = 0; i < 200; i++)
            victims[run][i] = cache_victim(&cache, 100, 0);
        cache_free(&cache);
    }
    assert_memory_equal(victims[0], victims[1], sizeof victims[0]);
    assert_memory_not_equal(victims[0], victims[2], sizeof victims[0]);
    for (unsigned i = 0; i < 200; i++)
        used[victims[0][i]]++;
    for (unsigned way = 0; way < 8; way++)
        assert_in_range(used[way], 10, 45);     /* 25 expected, standard deviation 4.7 */
    make(REPLACE_LRU, 1, 1, 0);
}

static void random_replacement_avoids_lines_on_their_way(void **state)
{
    (void)state;
    make(REPLACE_RANDOM, 1, 8, 1);
    for (uint64_t block = 0; block < 8; block++)
        access_block(block);
    for (unsigned way = 0; way < 8; way++)
        cache.ready[way] = way == 2 || way == 5 ? 0 : 100;
    for (unsigned i = 0; i < 100; i++) {
        uint32_t victim = cache_victim(&cache, 100, 50);
        assert_true(victim == 2 || victim == 5);
    }
}

static uint32_t way_of(uint64_t block)
{
    return cache_find(&cache, block) % cache.ways;
}

static void fifo_goes_round_in_each_set_whatever_is_hit(void **state)
{
    (void)state;
    make(REPLACE_FIFO, 2, 4, 0);                /* even blocks in set 0, odd ones in set 1 */
    for (uint64_t block = 0; block < 8; block++)
        access_block(block);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(access_block(6));           /* way 3, used most */
        assert_false(access_block(100 + 2 * i));
        assert_int_equal(way_of(100 + 2 * i), i % 4);
    }
    assert_false(access_block(106));
    assert_int_equal(way_of(106), 3);
    assert_false(access_block(6));              /* gone, although it was used last */
    access_block(101);
    assert_int_equal(way_of(101), 0);           /* set 1 has a pointer of its own */
}

static void rotate_has_one_pointer_and_leaves_ways_empty(void **state)
{
    (void)state;
    make(REPLACE_ROTATE, 2, 2, 0);
    for (uint64_t block = 0; block < 6; block++)
        access_block(block);
    assert_int_equal(way_of(4), 0);
    assert_int_equal(way_of(5), 1);
    assert_int_equal(cache_find(&cache, 2), CACHE_NO_FRAME);    /* both sets used one way alone */
    assert_int_equal(cache_find(&cache, 3), CACHE_NO_FRAME);
}

/* From all ones: 11111111, 10000101, 10111000, 01011100 ...: of two bits 3, 1, 0, 0. */
static void a_shift_register_moves_when_a_line_goes(void **state)
{
    (void)state;
    static const uint32_t ways[] = {3, 1, 0, 0};
    make(REPLACE_LFSR, 1, 4, 0);
    for (uint64_t block = 0; block < 4; block++)
        access_block(block);                    /* empty ways first, in order */
    for (uint64_t i = 0; i < 4; i++) {
        access_block(10 + i);
        assert_int_equal(way_of(10 + i), ways[i]);
    }
    assert_int_equal(replace_storage_bits(REPLACE_LFSR, 64, 8), 8);
}

static void nru_marks_hits_alone_and_gives_up_the_first_way_without_a_mark(void **state)
{
    (void)state;
    make(REPLACE_NRU, 1, 4, 0);
    access_block(0);
    access_block(1);                            /* no hit yet: the same way, others are empty */
    assert_int_equal(way_of(1), 0);
    for (uint64_t block = 1; block < 4; block++) {
        access_block(block);
        access_block(block);                    /* way block - 1 is marked */
    }
    assert_int_equal(cache_victim(&cache, 9, 0), 3);
    access_block(4);
    access_block(4);                            /* the last mark clears the others */
    assert_int_equal(cache_victim(&cache, 9, 0), 0);
    access_block(1);
    access_block(2);
    assert_int_equal(cache_victim(&cache, 9, 0), 2);
    assert_true(cache_is_sane(&cache));
}

static void a_block_on_its_way_can_go_to_another_frame(void **state)
{
    (void)state;
    make(REPLACE_LRU, 2, 2, 0);
    access_block(0);
    access_block(2);
    struct cache_line displaced = cache_line_at(&cache, 0);
    cache_fill(&cache, 0, 4, 100);
    cache_move(&cache, 0, 1, &displaced);
    assert_int_equal(way_of(0), 0);             /* there again */
    assert_int_equal(way_of(4), 1);
    assert_int_equal(cache.ready[1], 100);
    assert_int_equal(cache_find(&cache, 2), CACHE_NO_FRAME);
    assert_int_equal(displaced.tag, 2);
    assert_true(cache_is_sane(&cache));
    cache_move(&cache, 1, 0, &displaced);       /* and back */
    assert_int_equal(way_of(4), 0);
    assert_int_equal(way_of(2), 1);
    assert_true(cache_is_sane(&cache));
}

static void storage_is_counted_in_bits(void **state)
{
    (void)state;
    make(REPLACE_LRU, 1, 1, 0);
    assert_int_equal(replace_storage_bits(REPLACE_LRU, 64, 8), 64 * 8 * 3);
    assert_int_equal(replace_storage_bits(REPLACE_LRU, 64, 1), 0);
    assert_int_equal(replace_storage_bits(REPLACE_TREE_PLRU, 64, 8), 64 * 7);
    assert_int_equal(replace_storage_bits(REPLACE_SRRIP, 64, 8), 64 * 8 * 2);
    assert_int_equal(replace_storage_bits(REPLACE_FIFO, 64, 8), 64 * 3);
    assert_int_equal(replace_storage_bits(REPLACE_ROTATE, 64, 8), 3);
    assert_int_equal(replace_storage_bits(REPLACE_NRU, 64, 8), 64 * 8);
}

/* ---- models ---------------------------------------------------------------------------------- */

struct model {
    uint64_t block[SETS_MAX][WAYS_MAX];
    int rrpv[SETS_MAX][WAYS_MAX];
    bool is_full[SETS_MAX][WAYS_MAX];
    bool right_is_older[SETS_MAX][WAYS_MAX][WAYS_MAX];  /* node = the ways [low, low + count) */
    unsigned sets, ways;
    enum replace_policy policy;
    int psel;
    unsigned brrip;
};

static struct model model;

static void model_point(unsigned set, unsigned way)
{
    for (unsigned low = 0, count = model.ways; count > 1; count /= 2) {
        bool is_right = way >= low + count / 2;
        model.right_is_older[set][low][count - 1] = !is_right;
        low += is_right ? count / 2 : 0;
    }
}

static unsigned model_tree_victim(unsigned set)
{
    unsigned low = 0;
    for (unsigned count = model.ways; count > 1; count /= 2)
        low += model.right_is_older[set][low][count - 1] ? count / 2 : 0;
    return low;
}

static unsigned model_rrip_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = 0; way < model.ways; way++)
            if (model.rrpv[set][way] == 3)
                return way;
        for (unsigned way = 0; way < model.ways; way++)
            model.rrpv[set][way]++;
    }
}

static int model_insertion(unsigned set)
{
    bool is_srrip_leader = set % 32 == 0, is_brrip_leader = set % 32 == 16;
    if (model.policy == REPLACE_SRRIP)
        return 2;
    if (is_srrip_leader && model.psel < 1023)
        model.psel++;
    if (is_brrip_leader && model.psel > 0)
        model.psel--;
    if (is_srrip_leader || (!is_brrip_leader && model.psel <= 512))
        return 2;
    model.brrip++;
    return model.brrip % 32 == 0 ? 2 : 3;
}

static bool model_access(uint64_t block)
{
    unsigned set = (unsigned)(block % model.sets), way = 0;
    while (way < model.ways && !(model.is_full[set][way] && model.block[set][way] == block))
        way++;
    if (way < model.ways) {
        model.rrpv[set][way] = 0;
        model_point(set, way);
        return true;
    }
    for (way = 0; way < model.ways && model.is_full[set][way]; way++)
        continue;
    if (way == model.ways)
        way = model.policy == REPLACE_TREE_PLRU ? model_tree_victim(set) : model_rrip_victim(set);
    model.is_full[set][way] = true;
    model.block[set][way] = block;
    model.rrpv[set][way] = model_insertion(set);
    model_point(set, way);
    return false;
}

/* Random accesses with a hot half, and scans between, so that both duelists win at times. */
static void compare(enum replace_policy policy, unsigned sets, unsigned ways)
{
    uint64_t seed = policy * 1000 + sets * 100 + ways, scan = 1 << 20, hits = 0;
    unsigned count = sets * ways;
    memset(&model, 0, sizeof model);
    model.sets = sets;
    model.ways = ways;
    model.policy = policy;
    model.psel = 512;
    make(policy, sets, ways, 0);
    for (unsigned i = 0; i < 30000; i++) {
        bool is_scan = i / 3000 % 2 == 1 && i % 4 != 0;
        uint64_t block = is_scan ? scan++ : next_random(&seed) % (i % 3 == 0 ? 2 * count : count);
        bool hit = model_access(block);
        assert_int_equal(access_block(block), hit);
        hits += hit;
    }
    assert_true(hits > 1000 && cache_is_sane(&cache));
    cache_free(&cache);
}

static void every_shape_hits_and_misses_like_the_model_of_its_policy(void **state)
{
    (void)state;
    for (unsigned sets = 1; sets <= SETS_MAX; sets *= 4)
        for (unsigned ways = 2; ways <= 16; ways *= 2) {
            compare(REPLACE_TREE_PLRU, sets, ways);
            compare(REPLACE_SRRIP, sets, ways);
            compare(REPLACE_DRRIP, sets, ways);
        }
    compare(REPLACE_SRRIP, 4, 5);
    compare(REPLACE_TREE_PLRU, 1, 64);
    compare(REPLACE_SRRIP, 1, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_tree_of_four_ways_gives_up_the_side_used_longest_ago,
                                  tear_down),
        cmocka_unit_test_teardown(the_tree_avoids_lines_on_their_way, tear_down),
        cmocka_unit_test_teardown(srrip_keeps_what_was_hit_through_a_scan_that_lru_loses_it_in,
                                  tear_down),
        cmocka_unit_test_teardown(srrip_ages_the_whole_set_when_nothing_is_distant, tear_down),
        cmocka_unit_test_teardown(of_a_large_cache_32_sets_lead_for_each_policy, tear_down),
        cmocka_unit_test_teardown(random_replacement_repeats_with_its_seed_and_uses_every_way,
                                  tear_down),
        cmocka_unit_test_teardown(random_replacement_avoids_lines_on_their_way, tear_down),
        cmocka_unit_test_teardown(fifo_goes_round_in_each_set_whatever_is_hit, tear_down),
        cmocka_unit_test_teardown(rotate_has_one_pointer_and_leaves_ways_empty, tear_down),
        cmocka_unit_test_teardown(a_shift_register_moves_when_a_line_goes, tear_down),
        cmocka_unit_test_teardown(nru_marks_hits_alone_and_gives_up_the_first_way_without_a_mark,
                                  tear_down),
        cmocka_unit_test_teardown(a_block_on_its_way_can_go_to_another_frame, tear_down),
        cmocka_unit_test_teardown(storage_is_counted_in_bits, tear_down),
        cmocka_unit_test(every_shape_hits_and_misses_like_the_model_of_its_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
