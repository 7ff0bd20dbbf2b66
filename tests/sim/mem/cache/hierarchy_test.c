/* L2 and L3: times, the lines that each level holds by the setting of inclusion, and random
 * accesses. */
#include "tests/sim/mem/memsys_fixture.h"

#include "sim/mem/cache/coherence.h"
#include "sim/mem/cache/memshared.h"

enum { L3 = 20, UNIVERSE_LINES = 512 };

static void use_l3(void)
{
    sys.config.l3_kib = 64;
    sys.config.l3_ways = 4;
    sys.config.l3_cycles = L3;
}

static bool level_has(unsigned level, uint64_t pa)
{
    const struct cache *cache = &sys.shared->level[level].cache;
    return cache_find(cache, cache_block(cache, pa)) != CACHE_NO_FRAME;
}

static bool l1_has(uint64_t pa)
{
    return memshared_is_held(sys.shared, pa);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void a_miss_everywhere_adds_the_times_of_all_levels(void **state)
{
    (void)state;
    use_l3();
    start();
    assert_load(A, 1000, 1000 + LOAD + L2 + L3 + DRAM, MEM_DRAM);
    assert_int_equal(memsys_probe(sys.mem[0], A), MEM_L1);
    ASSERT_EVENT(L2_ACCESS_MISS, 1);
    ASSERT_EVENT(L3_ACCESS, 1);
    ASSERT_EVENT(L3_ACCESS_MISS, 1);
    ASSERT_EVENT(DRAM_READ, 1);
}

static void a_line_that_l2_lost_comes_from_l3(void **state)
{
    (void)state;
    use_l3();
    start();
    for (unsigned i = 0; i < 3; i++)            /* one set of L1D and of L2, both of two ways */
        load_of(0, A + i * 128 * LINE, 1000 * i);
    assert_int_equal(memsys_probe(sys.mem[0], A), MEM_L3);
    assert_load(A, 5000, 5000 + LOAD + L2 + L3, MEM_L3);
    assert_int_equal(memsys_probe(sys.mem[0], A), MEM_L1);
    ASSERT_EVENT(L3_ACCESS, 4);
    ASSERT_EVENT(L3_ACCESS_MISS, 3);
    ASSERT_EVENT(DRAM_READ, 3);
}

/* A set of L2, of two ways, and of L1D: the third line takes the place of the first, which is as it
 * came; in the next set, of one that was modified. */
static void a_modified_line_that_goes_delays_the_one_that_comes(void **state)
{
    (void)state;
    sys.config.part_victim_cycles = 9;
    start();
    for (unsigned modified = 0; modified < 2; modified++) {
        uint64_t pa = A + modified * LINE, now = 10000 * (modified + 1);
        load_of(0, pa, now);
        if (modified)
            memshared_take(sys.shared, pa, true, now + 500, sys.events[0]);
        load_of(0, pa + 128 * LINE, now + 1000);
        assert_load(pa + 256 * LINE, now + 2000, now + 2000 + LOAD + L2 + DRAM + 9 * modified,
                    MEM_DRAM);
    }
}

static void a_bank_of_l2_serves_one_access_at_a_time(void **state)
{
    (void)state;
    sys.config.part_banks = 2;
    sys.config.part_bank_cycles = 4;
    start();
    for (unsigned i = 0; i < 3; i++)
        memsys_fetch(sys.mem[1], A + i * LINE, 1000 * i, &sys.response);    /* now in L2 */
    assert_load(A, 5000, 5000 + LOAD + L2, MEM_L2);
    assert_load(A + 1 * LINE, 5000, 5000 + LOAD + L2, MEM_L2);
    assert_load(A + 2 * LINE, 5000, 5000 + LOAD + L2 + 4, MEM_L2);  /* the bank of A */
    ASSERT_EVENT(L2_BANK_WAIT, 1);
}

/* ---- inclusion ------------------------------------------------------------------------------- */

/* L2 of two ways: three lines of its set push out the first. */
static void fill_l2_set(void)
{
    for (unsigned i = 0; i < 3; i++)
        load_of(0, A + i * 128 * LINE, 1000 * (i + 1));
}

static void a_non_inclusive_l2_leaves_l1_alone(void **state)
{
    (void)state;
    sys.config.l1d_ways = 16;
    start();
    fill_l2_set();
    assert_false(level_has(0, A));
    assert_true(l1_has(A));
    assert_false(sys.response.changed);
}

static void l1_loses_a_line_that_an_inclusive_l2_gives_up(void **state)
{
    (void)state;
    sys.config.l1d_ways = 16;
    sys.config.l2_inclusion = INCLUSIVE;
    start();
    assert_true(memsys_fetch(sys.mem[1], A, 500, &sys.response));
    load_of(0, A, 1000);
    uint32_t frame = sys.response.frame;
    fill_l2_set();
    assert_false(level_has(0, A) || l1_has(A));
    struct mem_change change;
    assert_true(sys.response.changed);
    assert_true(memsys_next_change(sys.mem[0], &change));
    assert_true(!change.is_filled && !change.is_fetch && change.frame == frame);
    assert_false(memsys_next_change(sys.mem[0], &change));
    assert_true(memsys_next_change(sys.mem[1], &change));
    assert_true(!change.is_filled && change.is_fetch);
    assert_false(memsys_next_change(sys.mem[1], &change));
}

static void a_modified_line_taken_back_is_written_to_memory_once(void **state)
{
    (void)state;
    sys.config.l1d_ways = 16;
    sys.config.l2_inclusion = INCLUSIVE;
    start();
    store_of(0, A, 0);
    fill_l2_set();
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    ASSERT_EVENT(L2_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 1);
    assert_load(A, 9000, 9000 + LOAD + L2 + DRAM, MEM_DRAM);
}

static void a_long_line_of_an_inclusive_l2_takes_all_short_ones_of_l1(void **state)
{
    (void)state;
    sys.config.l1d_ways = 16;
    sys.config.l1d_line_bytes = 16;
    sys.config.l2_inclusion = INCLUSIVE;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + 16 * i, 100 * i);
    fill_l2_set();
    for (unsigned i = 0; i < 4; i++)
        assert_false(l1_has(A + 16 * i));
}

static void an_exclusive_l2_has_what_l1_gave_up_and_gives_it_away_again(void **state)
{
    (void)state;
    sys.config.l2_inclusion = EXCLUSIVE;
    start();
    store_of(0, A, 0);
    assert_false(level_has(0, A));
    load_of(0, A + 8 * LINE, 1000);
    load_of(0, A + 16 * LINE, 2000);            /* A leaves L1D */
    assert_true(level_has(0, A));
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    assert_load(A, 5000, 5000 + LOAD + L2, MEM_L2);
    assert_false(level_has(0, A));
    load_of(0, A + 24 * LINE, 6000);            /* clean lines go to L2 too */
    load_of(0, A + 32 * LINE, 7000);
    assert_true(level_has(0, A + 8 * LINE));
    ASSERT_EVENT(L1D_WRITEBACK, 2);             /* A came back modified, and left again so */
    ASSERT_EVENT(DRAM_WRITE, 0);
}

static void an_exclusive_l2_keeps_page_tables_itself(void **state)
{
    (void)state;
    static const uint64_t pte[1] = {A + 0x1000};
    bool miss;
    sys.config.l2_inclusion = EXCLUSIVE;
    start();
    memsys_dtlb(sys.mem[0], 0x10000, 12, pte, 1, 0, &miss);
    assert_true(level_has(0, pte[0]));
    memsys_dtlb(sys.mem[0], 0x20000, 12, pte, 1, 1000, &miss);
    assert_true(level_has(0, pte[0]));
    ASSERT_EVENT(DRAM_READ, 1);
}

static void instructions_do_not_take_a_modified_line_out_of_l2_unseen(void **state)
{
    (void)state;
    sys.config.l2_inclusion = EXCLUSIVE;
    start();
    store_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);
    load_of(0, A + 16 * LINE, 2000);
    assert_true(memsys_fetch(sys.mem[0], A, 3000, &sys.response));
    assert_int_equal(sys.response.level, MEM_L2);
    ASSERT_EVENT(DRAM_WRITE, 1);                /* L1I cannot write it back later */
}

static void an_inclusive_l3_takes_from_l2_and_l1(void **state)
{
    (void)state;
    use_l3();
    sys.config.l1d_ways = sys.config.l2_ways = 16;
    sys.config.l3_inclusion = INCLUSIVE;
    start();
    store_of(0, A, 0);
    for (unsigned i = 1; i <= 4; i++)           /* 256 sets of four lines */
        load_of(0, A + i * 256 * LINE, 1000 * i);
    assert_false(level_has(1, A) || level_has(0, A) || l1_has(A));
    ASSERT_EVENT(L3_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void an_exclusive_l3_has_what_l2_gave_up_and_gives_it_away_again(void **state)
{
    (void)state;
    use_l3();
    sys.config.l3_inclusion = EXCLUSIVE;
    start();
    load_of(0, A, 0);
    load_of(0, A + 128 * LINE, 1000);
    assert_true(level_has(0, A) && !level_has(1, A));
    load_of(0, A + 256 * LINE, 2000);           /* A leaves L2, of two ways */
    assert_true(level_has(1, A) && !level_has(0, A));
    assert_false(level_has(1, A + 128 * LINE));
    assert_load(A, 5000, 5000 + LOAD + L2 + L3, MEM_L3);
    assert_true(level_has(0, A) && !level_has(1, A));
    assert_true(level_has(1, A + 128 * LINE));
    ASSERT_EVENT(DRAM_READ, 3);
}

static void a_non_inclusive_l3_leaves_l2_and_l1_alone(void **state)
{
    (void)state;
    use_l3();
    sys.config.l1d_ways = sys.config.l2_ways = 16;
    start();
    for (unsigned i = 0; i <= 4; i++)           /* 256 sets of four lines */
        load_of(0, A + i * 256 * LINE, 1000 * i);
    assert_false(level_has(1, A));
    assert_true(level_has(0, A) && l1_has(A));
}

static void a_line_on_its_way_to_l2_is_waited_for_and_read_once(void **state)
{
    (void)state;
    start();
    assert_load(A, 1000, 1000 + LOAD + L2 + DRAM, MEM_DRAM);
    assert_fetch(A, 1020, 1000 + LOAD + L2 + DRAM, MEM_L2);
    ASSERT_EVENT(L2_ACCESS, 2);
    ASSERT_EVENT(L2_ACCESS_MISS, 1);
    ASSERT_EVENT(DRAM_READ, 1);
}

/* ---- random accesses ------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

static void assert_inclusion_holds(unsigned l2, unsigned l3)
{
    for (unsigned i = 0; i < UNIVERSE_LINES; i++) {
        uint64_t pa = A + i * LINE;
        bool in_l1 = l1_has(pa), in_l2 = level_has(0, pa), in_l3 = level_has(1, pa);
        assert_false(l2 == INCLUSIVE && in_l1 && !in_l2);
        assert_false(l2 == EXCLUSIVE && in_l1 && in_l2);
        assert_false(l3 == INCLUSIVE && (in_l1 || in_l2) && !in_l3);
        assert_false(l3 == EXCLUSIVE && in_l2 && in_l3);
    }
    assert_true(cache_is_sane(&sys.shared->level[0].cache));
    assert_true(cache_is_sane(&sys.shared->level[1].cache));
    for (unsigned i = 0; i < HARTS; i++)
        assert_true(cache_is_sane(sys.shared->hart[i].l1d) &&
                    cache_is_sane(sys.shared->hart[i].l1i));
}

/* A line is exclusive or modified in one L1D at most, and then in no other. */
static void assert_coherent(void)
{
    for (unsigned i = 0; i < UNIVERSE_LINES; i++) {
        unsigned holders = 0, owners = 0;
        for (unsigned hart = 0; hart < HARTS; hart++) {
            const struct cache *l1d = sys.shared->hart[hart].l1d;
            uint32_t frame = cache_find(l1d, cache_block(l1d, A + i * LINE));
            holders += frame != CACHE_NO_FRAME;
            owners += frame != CACHE_NO_FRAME && l1d->state[frame] != CACHE_SHARED;
        }
        assert_true(owners == 0 || (owners == 1 && holders == 1));
    }
}

struct flight { uint64_t ready[64]; };

/* How many misses of one cache are under way; room for the next in *slot. */
static unsigned in_flight(struct flight *flight, uint64_t now, unsigned *slot)
{
    unsigned count = 0;
    for (unsigned i = 0; i < 64; i++) {
        if (flight->ready[i] > now)
            count++;
        else
            *slot = i;
    }
    return count;
}

static void run_random(void **state, unsigned l2, unsigned l3, unsigned policy)
{
    static struct flight flight[HARTS][2];
    uint64_t seed = l2 * 100 + l3 * 10 + policy, misses = 0, pte[1], now = 0;
    memset(flight, 0, sizeof flight);
    set_up(state);
    use_l3();
    sys.config.l2_kib = 4;                      /* smaller than the universe, near to the L1s */
    sys.config.l3_kib = 8;
    sys.config.l3_mshrs = 3;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l1d_prefetch = PREFETCH_STRIDE;
    sys.config.l2_inclusion = l2;
    sys.config.l3_inclusion = l3;
    sys.config.l1d_replacement = sys.config.l2_replacement = sys.config.l3_replacement = policy;
    start();
    for (unsigned i = 0; i < 12000; i++, now += next_random(&seed) % 24) {
        unsigned hart = (unsigned)next_random(&seed) % HARTS, slot = 0;
        unsigned kind = next_random(&seed) % 8;
        uint64_t pa = A + next_random(&seed) % (UNIVERSE_LINES * LINE);
        bool taken, tlb_miss;
        pte[0] = pa & ~UINT64_C(7);
        if (kind == 0) {
            memsys_dtlb(sys.mem[hart], pa << 20, 12, pte, 1, now, &tlb_miss);
            continue;
        }
        taken = kind <= 2   ? memsys_fetch(sys.mem[hart], pa, now, &sys.response)
                : kind <= 5 ? load_of(hart, pa, now)
                            : store_of(hart, pa, now);
        if (taken && sys.response.miss) {
            struct flight *mine = &flight[hart][kind <= 2];
            uint32_t registers = kind <= 2 ? sys.config.l1i_mshrs : sys.config.l1d_mshrs;
            assert_true(in_flight(mine, now, &slot) < registers);
            mine->ready[slot] = sys.response.ready;
            misses++;
        }
        if (i % 64 == 0) {
            assert_inclusion_holds(l2, l3);
            assert_coherent();
        }
    }
    assert_true(misses > 1000);
    tear_down(state);
}

static void inclusion_coherence_and_miss_registers_hold_under_random_accesses(void **state)
{
    for (unsigned l2 = NON_INCLUSIVE; l2 <= EXCLUSIVE; l2++)
        for (unsigned l3 = NON_INCLUSIVE; l3 <= EXCLUSIVE; l3++)
            for (unsigned policy = REPLACE_LRU; policy <= REPLACE_RANDOM; policy++)
                if (policy != REPLACE_DRRIP)    /* these caches have too few sets for a duel */
                    run_random(state, l2, l3, policy);
    memset(&sys, 0, sizeof sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_miss_everywhere_adds_the_times_of_all_levels),
        CASE(a_line_that_l2_lost_comes_from_l3),
        CASE(a_modified_line_that_goes_delays_the_one_that_comes),
        CASE(a_bank_of_l2_serves_one_access_at_a_time),
        CASE(a_non_inclusive_l2_leaves_l1_alone),
        CASE(l1_loses_a_line_that_an_inclusive_l2_gives_up),
        CASE(a_modified_line_taken_back_is_written_to_memory_once),
        CASE(a_long_line_of_an_inclusive_l2_takes_all_short_ones_of_l1),
        CASE(an_exclusive_l2_has_what_l1_gave_up_and_gives_it_away_again),
        CASE(an_exclusive_l2_keeps_page_tables_itself),
        CASE(instructions_do_not_take_a_modified_line_out_of_l2_unseen),
        CASE(an_inclusive_l3_takes_from_l2_and_l1),
        CASE(an_exclusive_l3_has_what_l2_gave_up_and_gives_it_away_again),
        CASE(a_non_inclusive_l3_leaves_l2_and_l1_alone),
        CASE(a_line_on_its_way_to_l2_is_waited_for_and_read_once),
        CASE(inclusion_coherence_and_miss_registers_hold_under_random_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
