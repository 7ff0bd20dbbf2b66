/* The memory system: times of translation. */
#include "tests/sim/mem/memsys_fixture.h"

/* ---- translation ----------------------------------------------------------------------------- */

static const uint64_t pte[3] = {A + 0x1000, A + 0x2040, A + 0x3080};
enum { PAGE_BITS = 12, MEGAPAGE_BITS = 21 };

static void assert_dtlb(uint64_t va, unsigned page_bits, uint64_t now, uint64_t ready, bool missed)
{
    bool miss;
    unsigned levels = page_bits == PAGE_BITS ? 3 : 2;
    assert_int_equal(memsys_dtlb(sys.mem[0], va, page_bits, pte, levels, now, &miss), ready);
    assert_int_equal(miss, missed);
}

static bool itlb_has(uint64_t va)
{
    uint64_t ready;
    return memsys_itlb_hit(sys.mem[0], va, 0, &ready);
}

static bool dtlb_has(uint64_t va)
{
    uint64_t ready;
    return memsys_dtlb_hit(sys.mem[0], va, 0, &ready);
}

static void a_walk_reads_its_entries_one_after_the_other(void **state)
{
    (void)state;
    start();
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1000 + L2TLB + 3 * (L2 + DRAM), true);
    ASSERT_EVENT(DTLB_WALK, 1);
    ASSERT_EVENT(L2_ACCESS, 3);
    assert_dtlb(0x20000, PAGE_BITS, 2000, 2000 + L2TLB + 3 * L2, true);
    ASSERT_EVENT(DTLB_WALK, 2);
    ASSERT_EVENT(ITLB_WALK, 0);
    ASSERT_EVENT(L1D_READ, 0);
}

static void a_hit_costs_nothing(void **state)
{
    (void)state;
    start();
    bool miss;
    assert_false(dtlb_has(0x10000));
    memsys_dtlb(sys.mem[0], 0x10000, PAGE_BITS, pte, 3, 0, &miss);
    assert_true(dtlb_has(0x10fff));
    assert_false(itlb_has(0x10fff));
    assert_dtlb(0x10008, PAGE_BITS, 2000, 2000, false);
    ASSERT_EVENT(DTLB_WALK, 1);
}

static void a_translation_on_its_way_is_waited_for(void **state)
{
    (void)state;
    start();
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1335, true);
    assert_dtlb(0x10008, PAGE_BITS, 1100, 1335, false);
    assert_dtlb(0x10008, PAGE_BITS, 1400, 1400, false);
}

static void a_hit_on_a_translation_on_its_way_tells_when_it_is_known(void **state)
{
    (void)state;
    start();
    uint64_t ready;
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1335, true);
    assert_true(memsys_dtlb_hit(sys.mem[0], 0x10ff8, 1100, &ready));
    assert_int_equal(ready, 1335);
    assert_true(memsys_dtlb_hit(sys.mem[0], 0x10ff8, 1400, &ready));
    assert_int_equal(ready, 1400);
    /* The second level does not know it earlier than the walk either. */
    bool miss;
    assert_int_equal(memsys_itlb(sys.mem[0], 0x10000, PAGE_BITS, pte, 3, 1200, &miss), 1335);
    assert_true(memsys_itlb_hit(sys.mem[0], 0x10000, 1300, &ready));
    assert_int_equal(ready, 1335);
}

static void several_walkers_walk_at_once(void **state)
{
    (void)state;
    static const uint64_t other[3] = {A + 0x11000, A + 0x12040, A + 0x13080};
    sys.config.walker_count = 2;
    start();
    bool miss;
    uint64_t done = 5000 + L2TLB + 3 * L2;
    memsys_dtlb(sys.mem[0], 0x10000, PAGE_BITS, pte, 3, 1000, &miss);   /* now in L2 */
    memsys_dtlb(sys.mem[0], 0x20000, PAGE_BITS, other, 3, 3000, &miss);
    memsys_flush_tlbs(sys.mem[0]);
    assert_dtlb(0x10000, PAGE_BITS, 5000, done, true);
    assert_int_equal(memsys_dtlb(sys.mem[0], 0x20000, PAGE_BITS, other, 3, 5000, &miss), done);
    assert_dtlb(0x30000, PAGE_BITS, 5000, done + 3 * L2, true);         /* waits for a walker */
}

static void a_page_walk_cache_saves_the_reads_of_upper_levels(void **state)
{
    (void)state;
    sys.config.walker_cache_entries = 2;
    start();
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1335, true);
    assert_dtlb(0x20000, PAGE_BITS, 2000, 2000 + L2TLB + 2 * 1 + L2, true);
    ASSERT_EVENT(WALK_CACHE_HIT, 2);
    ASSERT_EVENT(L2_ACCESS, 4);
    memsys_flush_tlbs(sys.mem[0]);
    assert_dtlb(0x10000, PAGE_BITS, 3000, 3000 + L2TLB + 3 * L2, true);
    ASSERT_EVENT(WALK_CACHE_HIT, 2);
}

static void the_page_walk_cache_forgets_what_was_used_longest_ago(void **state)
{
    (void)state;
    static const uint64_t other[3] = {A + 0x1000, A + 0x12040, A + 0x13080};    /* the same root */
    sys.config.walker_cache_entries = 2;
    start();
    bool miss;
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1335, true);                  /* root, second level */
    memsys_dtlb(sys.mem[0], 0x20000, PAGE_BITS, other, 3, 2000, &miss); /* root; the other second */
    ASSERT_EVENT(WALK_CACHE_HIT, 1);
    assert_dtlb(0x30000, PAGE_BITS, 3000, 3000 + L2TLB + 1 + 2 * L2, true);
    ASSERT_EVENT(WALK_CACHE_HIT, 2);
}

static void walks_through_the_data_cache_find_what_is_there(void **state)
{
    (void)state;
    sys.config.walker_level = 1;
    start();
    /* three misses, each found after a look-up of the cache */
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1000 + L2TLB + 3 * (LOAD + L2 + DRAM), true);
    ASSERT_EVENT(L1D_READ, 3);
    ASSERT_EVENT(L1D_READ_MISS, 3);
    ASSERT_EVENT(L2_ACCESS, 3);
    assert_dtlb(0x20000, PAGE_BITS, 2000, 2000 + L2TLB + 3 * LOAD, true);
    ASSERT_EVENT(L1D_READ, 6);
    ASSERT_EVENT(L1D_READ_MISS, 3);
    ASSERT_EVENT(L2_ACCESS, 3);
    /* the program finds the lines too, and their frames are told of */
    struct mem_change change;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(memsys_next_change(sys.mem[0], &change));
        assert_true(change.is_filled && !change.is_fetch);
        assert_int_equal(change.block, pte[i] & ~UINT64_C(63));
    }
    assert_false(memsys_next_change(sys.mem[0], &change));
    assert_true(memsys_load(sys.mem[0], PC, pte[2], 3000, &sys.response));
    assert_int_equal(sys.response.ready, 3000 + LOAD);
    /* and walks of instructions go the same way */
    bool miss;
    assert_int_equal(memsys_itlb(sys.mem[0], 0x30000, PAGE_BITS, pte, 3, 4000, &miss),
                     4000 + L2TLB + 3 * LOAD);
    ASSERT_EVENT(ITLB_WALK, 1);
}

static void a_walk_waits_for_a_miss_register_of_the_data_cache(void **state)
{
    (void)state;
    sys.config.walker_level = 1;
    sys.config.l1d_mshrs = 1;
    start();
    assert_true(memsys_load(sys.mem[0], PC, A + 0x8100, 1000, &sys.response));
    assert_int_equal(sys.response.ready, 1000 + LOAD + L2 + DRAM);      /* 1113 */
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1113 + 3 * (LOAD + L2 + DRAM), true);
    /* kept for longer than is known: past the data cache, one entry after the other */
    memsys_flush_tlbs(sys.mem[0]);
    assert_true(memsys_load(sys.mem[0], PC, A + 0x9100, 3000, &sys.response));
    assert_int_equal(memsys_keep_register(sys.mem[0]), 0);
    static const uint64_t other[3] = {A + 0x21000, A + 0x22040, A + 0x23080};
    bool miss;
    assert_int_equal(memsys_dtlb(sys.mem[0], 0x10000, PAGE_BITS, other, 3, 4000, &miss),
                     4000 + L2TLB + 3 * (L2 + DRAM));
}

static void a_hart_has_one_walker(void **state)
{
    (void)state;
    start();
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1335, true);
    assert_dtlb(0x20000, PAGE_BITS, 1000, 1335 + 3 * L2, true);
}

static void the_second_level_serves_instructions_and_data(void **state)
{
    (void)state;
    start();
    bool miss;
    assert_dtlb(0x10000, PAGE_BITS, 0, L2TLB + 3 * (L2 + DRAM), true);
    assert_int_equal(memsys_itlb(sys.mem[0], 0x10000, PAGE_BITS, pte, 3, 1000, &miss),
                     1000 + L2TLB);
    assert_true(miss);
    ASSERT_EVENT(ITLB_WALK, 0);
    assert_true(itlb_has(0x10000));
}

static void without_a_second_level_a_miss_walks_at_once(void **state)
{
    (void)state;
    sys.config.l2tlb_entries = 0;
    start();
    assert_dtlb(0x10000, PAGE_BITS, 1000, 1000 + 3 * (L2 + DRAM), true);
}

static void a_larger_page_takes_fewer_reads_and_covers_more(void **state)
{
    (void)state;
    start();
    assert_dtlb(0x200000, MEGAPAGE_BITS, 1000, 1000 + L2TLB + 2 * (L2 + DRAM), true);
    assert_true(dtlb_has(0x3fffff));
    assert_false(dtlb_has(0x400000));
}

static void bare_addresses_never_miss(void **state)
{
    (void)state;
    start();
    bool miss = true;
    assert_int_equal(memsys_dtlb(sys.mem[0], A, 0, NULL, 0, 77, &miss), 77);
    assert_false(miss);
    assert_int_equal(memsys_itlb(sys.mem[0], A, 0, NULL, 0, 78, &miss), 78);
    ASSERT_EVENT(DTLB_WALK, 0);
}

static void a_flush_empties_every_translation_buffer(void **state)
{
    (void)state;
    start();
    bool miss;
    assert_dtlb(0x10000, PAGE_BITS, 0, 335, true);
    memsys_itlb(sys.mem[0], 0x10000, PAGE_BITS, pte, 3, 1000, &miss);
    memsys_flush_tlbs(sys.mem[0]);
    assert_false(dtlb_has(0x10000));
    assert_false(itlb_has(0x10000));
    assert_dtlb(0x10000, PAGE_BITS, 2000, 2000 + L2TLB + 3 * L2, true);
    ASSERT_EVENT(DTLB_WALK, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_walk_reads_its_entries_one_after_the_other),
        CASE(a_hit_costs_nothing),
        CASE(a_translation_on_its_way_is_waited_for),
        CASE(a_hit_on_a_translation_on_its_way_tells_when_it_is_known),
        CASE(several_walkers_walk_at_once),
        CASE(a_page_walk_cache_saves_the_reads_of_upper_levels),
        CASE(the_page_walk_cache_forgets_what_was_used_longest_ago),
        CASE(walks_through_the_data_cache_find_what_is_there),
        CASE(a_walk_waits_for_a_miss_register_of_the_data_cache),
        CASE(a_hart_has_one_walker),
        CASE(the_second_level_serves_instructions_and_data),
        CASE(without_a_second_level_a_miss_walks_at_once),
        CASE(a_larger_page_takes_fewer_reads_and_covers_more),
        CASE(bare_addresses_never_miss),
        CASE(a_flush_empties_every_translation_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
