/* Parts that harts share: L2, coherence, the bus; and random accesses to all of them. */
#include "tests/sim/mem/memsys_fixture.h"

#include "sim/mem/cache/memshared.h"

/* ---- metadata -------------------------------------------------------------------------------- */

static void metadata_delays_the_lines_after_it(void **state)
{
    (void)state;
    sys.config.shadow_bytes_per_cycle = 16;
    start();
    assert_int_equal(memsys_metadata(sys.mem[0], A, 1000, false, 1013), 1013 + 63 + DRAM);
    assert_load(A, 1000, 1000 + LOAD + L2 + DRAM + 63, MEM_DRAM);
    ASSERT_EVENT(DRAM_READ, 1);
}

static void metadata_is_free_when_configured_so(void **state)
{
    (void)state;
    sys.config.shadow_bytes_per_cycle = 0;
    start();
    assert_int_equal(memsys_metadata(sys.mem[0], A, 4096, false, 1000), 1000);
    assert_load(A, 1000, 1000 + LOAD + L2 + DRAM, MEM_DRAM);
}

/* ---- what memory puts off -------------------------------------------------------------------- */

enum { ROW = 16 * 2048 };               /* from a row of a bank to the next one */

static unsigned registers_until(const struct cache *cache, uint64_t cycle)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        count += cache->pending[i] == cycle;
    return count;
}

static void use_banks(void)
{
    sys.config.dram_kind = DRAM_BANKED;
    sys.config.dram_tras = 0;           /* a row is closed after the line that was read */
    start();
}

/* B waits to close the row of A, which C hits before. */
static void a_line_that_memory_puts_off_is_later_in_every_cache(void **state)
{
    (void)state;
    use_banks();
    const struct cache *l2 = &sys.shared->level[0].cache, *l1d = sys.shared->hart[0].l1d;
    uint64_t b = A + ROW;
    load_of(0, A, 1000);
    load_of(0, b, 1001);
    uint64_t told = sys.response.ready, moves = memsys_moves(sys.mem[0]);
    uint32_t frame = sys.response.frame;
    load_of(0, A + 2 * LINE, 1002);
    assert_load(b + 8, 1003, told + BUS, MEM_L1);
    assert_true(sys.response.merged);
    assert_int_equal(memsys_arrival(sys.mem[0], b, frame), told + BUS);
    assert_int_equal(memsys_arrival(sys.mem[0], A, frame), 0);
    assert_int_equal(memsys_moves(sys.mem[0]), moves + 1);
    assert_int_equal(l2->ready[cache_find(l2, cache_block(l2, b))], told + BUS);
    assert_int_equal(registers_until(l2, told + BUS), 1);
    assert_int_equal(registers_until(l1d, told + BUS), 1);
    assert_int_equal(registers_until(l2, told) + registers_until(l1d, told), 0);
}

static void a_fetch_that_memory_puts_off_for_another_hart_waits_longer(void **state)
{
    (void)state;
    use_banks();
    load_of(1, A, 1000);
    memsys_fetch(sys.mem[0], A + ROW, 1005, &sys.response);
    uint64_t told = sys.response.ready;
    load_of(1, A + 2 * LINE, 1006);
    assert_true(memsys_fetch(sys.mem[0], A + ROW, 1010, &sys.response));
    assert_int_equal(sys.response.ready, told + BUS);
}

/* ---- several harts --------------------------------------------------------------------------- */

static void a_line_one_hart_fetched_is_in_l2_for_the_other(void **state)
{
    (void)state;
    start();
    memsys_fetch(sys.mem[0], A, 0, &sys.response);
    assert_true(load_of(1, A, 1000));
    assert_int_equal(sys.response.ready, 1000 + LOAD + L2);
    assert_int_equal(sys.events[1][EVENT_L2_ACCESS], 1);
    assert_int_equal(sys.events[1][EVENT_L2_ACCESS_MISS], 0);
    assert_int_not_equal(memsys_find_iframe(sys.mem[0], A), MEM_NO_FRAME);
}

static void a_store_takes_the_line_from_the_other_hart(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    assert_false(store_of(1, A + 8, 2000));
    assert_true(store_of(1, A + 8, 2000 + INVALIDATE));
    assert_false(sys.response.miss);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_not_equal(memsys_find_dframe(sys.mem[1], A), MEM_NO_FRAME);
    store_of(0, A, 3000);
    assert_true(sys.response.miss);
    assert_int_equal(memsys_find_dframe(sys.mem[1], A), MEM_NO_FRAME);
    assert_int_equal(sys.events[1][EVENT_L1D_WRITEBACK], 0);   /* it moved, modified as it is */
}

static void a_dirty_line_another_hart_reads_is_written_back_once_and_stays(void **state)
{
    (void)state;
    start();
    store_of(0, A, 0);
    load_of(1, A, 1000);
    assert_int_equal(sys.events[0][EVENT_L1D_WRITEBACK], 1);
    assert_int_not_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    for (unsigned i = 1; i <= 2; i++)           /* it is clean now: replaced without a word */
        load_of(0, A + i * 8 * LINE, 1000 + 1000 * i);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_equal(sys.events[0][EVENT_L1D_WRITEBACK], 1);
}

static void harts_that_write_one_line_in_turn_always_miss(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 20; i++)
        store_of(i % 2, A + 8 * (i % 2), 1000 * i);
    assert_int_equal(sys.events[0][EVENT_L1D_WRITE_MISS], 10);
    assert_int_equal(sys.events[1][EVENT_L1D_WRITE_MISS], 10);
    assert_int_equal(sys.events[0][EVENT_DRAM_READ] + sys.events[1][EVENT_DRAM_READ], 1);
}

static void harts_that_only_read_keep_their_copies(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 20; i++)
        load_of(i % 2, A, 1000 * i);
    assert_int_equal(sys.events[0][EVENT_L1D_READ_MISS], 1);
    assert_int_equal(sys.events[1][EVENT_L1D_READ_MISS], 1);
}

static void a_hart_that_left_is_asked_no_more(void **state)
{
    (void)state;
    start();
    store_of(1, A, 0);
    memsys_free(sys.mem[1]);
    sys.mem[1] = NULL;
    assert_load(A, 1000, 1000 + LOAD + L2, MEM_L2);
    assert_int_equal(sys.events[1][EVENT_L1D_WRITEBACK], 0);
}

/* ---- as a whole ------------------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

/* Random accesses of two harts: checks that answers and counts agree. Returns a hash of them
 * all. */
static uint64_t run_random(void **state, uint64_t seed)
{
    uint64_t hash = 0, misses = 0, accesses = 0, refused = 0;
    set_up(state);
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l1d_prefetch = PREFETCH_STRIDE;
    start();
    for (uint64_t now = 0; now < 30000; now += next_random(&seed) % 8) {
        unsigned draw = (unsigned)next_random(&seed), hart = draw % HARTS, kind = draw / 2 % 3;
        uint64_t pa = A + next_random(&seed) % 32768, *ready = &sys.response.ready;
        bool taken = kind == 0   ? memsys_fetch(sys.mem[hart], pa, now, &sys.response)
                     : kind == 1 ? load_of(hart, pa, now)
                                 : store_of(hart, pa, now);
        accesses += taken;
        refused += !taken;
        if (!taken)
            continue;
        misses += sys.response.miss;
        assert_true(*ready >= now + (kind != 0 ? LOAD : 0));
        assert_int_equal(sys.response.block, pa / LINE * LINE);
        assert_int_equal(sys.response.miss, sys.response.level != MEM_L1);
        assert_int_equal(sys.response.frame, kind == 0 ? memsys_find_iframe(sys.mem[hart], pa)
                                                       : memsys_find_dframe(sys.mem[hart], pa));
        hash = hash * 31 + *ready;
    }
    uint64_t sum[EVENT_COUNT];
    for (unsigned i = 0; i < EVENT_COUNT; i++)
        sum[i] = sys.events[0][i] + sys.events[1][i];
    assert_int_equal(sum[EVENT_L1I_ACCESS] + sum[EVENT_L1D_READ] + sum[EVENT_L1D_WRITE], accesses);
    assert_int_equal(sum[EVENT_L1I_MISS] + sum[EVENT_L1D_READ_MISS] + sum[EVENT_L1D_WRITE_MISS],
                     misses);
    assert_int_equal(sum[EVENT_L2_ACCESS] + sum[EVENT_TRANSFER_IN], misses);
    assert_true(sum[EVENT_MSHR_FULL] + sum[EVENT_UPGRADE] <= refused);
    assert_int_equal(sum[EVENT_TRANSFER_IN], sum[EVENT_TRANSFER_OUT]);
    assert_int_equal(sum[EVENT_INVALIDATION_SENT], sum[EVENT_INVALIDATION_RECEIVED]);
    assert_true(refused > 0 && misses > 0 && misses < accesses);
    assert_true(sum[EVENT_DRAM_READ] >= sum[EVENT_L2_ACCESS_MISS]);
    tear_down(state);
    return hash;
}

static void counts_agree_with_answers_and_runs_repeat_exactly(void **state)
{
    uint64_t first = run_random(state, 1);
    assert_int_equal(run_random(state, 1), first);
    assert_int_not_equal(run_random(state, 2), first);
    memset(&sys, 0, sizeof sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_line_that_memory_puts_off_is_later_in_every_cache),
        CASE(a_fetch_that_memory_puts_off_for_another_hart_waits_longer),
        CASE(metadata_delays_the_lines_after_it),
        CASE(metadata_is_free_when_configured_so),
        CASE(a_line_one_hart_fetched_is_in_l2_for_the_other),
        CASE(a_store_takes_the_line_from_the_other_hart),
        CASE(a_dirty_line_another_hart_reads_is_written_back_once_and_stays),
        CASE(harts_that_write_one_line_in_turn_always_miss),
        CASE(harts_that_only_read_keep_their_copies),
        CASE(a_hart_that_left_is_asked_no_more),
        CASE(counts_agree_with_answers_and_runs_repeat_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
