/* The memory system: times of hits and misses, counts, and the frames that are filled. */
#include "tests/sim/mem/memsys_fixture.h"

/* ---- times ----------------------------------------------------------------------------------- */

static void a_load_that_misses_everywhere_adds_the_times_of_all_levels(void **state)
{
    (void)state;
    start();
    assert_load(A, 1000, 1000 + LOAD + L2 + DRAM, MEM_DRAM);
    assert_true(sys.response.miss);
    assert_true(sys.response.filled);
    assert_false(sys.response.merged);
    assert_int_equal(sys.response.block, A);
    ASSERT_EVENT(L1D_READ, 1);
    ASSERT_EVENT(L1D_READ_MISS, 1);
    ASSERT_EVENT(L2_ACCESS, 1);
    ASSERT_EVENT(L2_ACCESS_MISS, 1);
    ASSERT_EVENT(DRAM_READ, 1);
}

static void a_load_that_hits_takes_the_load_latency(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    assert_load(A + 63, 1000, 1000 + LOAD, MEM_L1);
    assert_false(sys.response.miss || sys.response.merged || sys.response.filled);
    assert_int_equal(sys.response.block, A);
    ASSERT_EVENT(L1D_READ, 2);
    ASSERT_EVENT(L1D_READ_MISS, 1);
}

static void a_load_that_only_l1_lost_is_answered_by_l2(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 3; i++)            /* three lines of one set of two ways */
        load_of(0, A + i * 8 * LINE, 1000 * i);
    assert_load(A, 5000, 5000 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(DRAM_READ, 3);
}

static void an_access_to_a_line_on_its_way_waits_for_it(void **state)
{
    (void)state;
    start();
    load_of(0, A, 1000);
    assert_load(A + 8, 1050, 1000 + LOAD + L2 + DRAM, MEM_L1);
    assert_true(sys.response.merged);
    assert_false(sys.response.miss);
    assert_load(A + 8, 1112, 1115, MEM_L1);     /* arrives at 1113, but a hit takes its time too */
    assert_load(A + 8, 1113, 1116, MEM_L1);
    assert_false(sys.response.merged);
    ASSERT_EVENT(L1D_READ_MISS, 1);
    ASSERT_EVENT(L2_ACCESS, 1);
}

static void a_fetch_that_hits_is_ready_at_once(void **state)
{
    (void)state;
    start();
    assert_fetch(A, 1000, 1000 + L2 + DRAM, MEM_DRAM);
    assert_fetch(A + 16, 1050, 1000 + L2 + DRAM, MEM_L1);
    assert_fetch(A + 16, 2000, 2000, MEM_L1);
    ASSERT_EVENT(L1I_ACCESS, 3);
    ASSERT_EVENT(L1I_MISS, 1);
    ASSERT_EVENT(L1I_HIT, 1);
}

static void instructions_and_data_meet_in_l2(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    assert_fetch(A, 1000, 1000 + L2, MEM_L2);
}

static void without_an_l2_a_miss_goes_to_memory(void **state)
{
    (void)state;
    sys.config.l2_kib = 0;
    start();
    assert_load(A, 1000, 1000 + LOAD + DRAM, MEM_DRAM);
    ASSERT_EVENT(L2_ACCESS, 0);
    ASSERT_EVENT(DRAM_READ, 1);
}

static void misses_at_once_share_the_bus(void **state)
{
    (void)state;
    start();
    assert_load(A, 1000, 1113, MEM_DRAM);
    assert_load(A + 1 * LINE, 1000, 1113 + BUS, MEM_DRAM);
    assert_load(A + 2 * LINE, 1000, 1113 + 2 * BUS, MEM_DRAM);
}

static void an_l2_line_larger_than_an_l1_line_brings_its_neighbours(void **state)
{
    (void)state;
    sys.config.l1d_line_bytes = 32;
    sys.config.l2_line_bytes = 128;
    start();
    load_of(0, A, 0);
    assert_load(A + 96, 1000, 1000 + LOAD + L2, MEM_L2);
    assert_load(A + 128, 2000, 2000 + LOAD + L2 + DRAM, MEM_DRAM);
}

static void lines_of_every_size_hold_that_many_bytes(void **state)
{
    (void)state;
    for (uint32_t line = 8; line <= 128; line *= 2) {
        sys.config.l1d_line_bytes = line;
        sys.config.l2_line_bytes = 128;
        start();
        load_of(0, A, 0);
        assert_load(A + line - 1, 1000, 1000 + LOAD, MEM_L1);
        assert_true(load_of(0, A + line, 2000));
        assert_true(sys.response.miss);
        assert_int_equal(memsys_dframes(sys.mem[0]), 1024 / line);
        tear_down(state);
    }
    start();
}

/* ---- miss registers -------------------------------------------------------------------------- */

static void a_miss_without_a_register_must_retry(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        assert_true(load_of(0, A + i * LINE, 1000));
    assert_false(load_of(0, A + 4 * LINE, 1001));
    assert_false(store_of(0, A + 4 * LINE, 1001));
    ASSERT_EVENT(MSHR_FULL, 2);
    ASSERT_EVENT(L1D_READ, 4);
    ASSERT_EVENT(L1D_WRITE, 0);
    assert_int_equal(memsys_probe(sys.mem[0], A + 4 * LINE), MEM_DRAM);
}

static void hits_and_lines_on_their_way_need_no_register(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + i * LINE, 1000);
    assert_true(load_of(0, A, 1001));
    assert_true(sys.response.merged);
}

static void a_register_is_free_when_its_line_has_come(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + i * LINE, 1000);
    assert_false(load_of(0, A + 4 * LINE, 1112));
    assert_true(load_of(0, A + 4 * LINE, 1113));
    assert_false(load_of(0, A + 5 * LINE, 1113));
}

static void a_store_is_refused_until_a_register_is_free(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + i * LINE, 1000);
    assert_false(store_of(0, A + 4 * LINE, 1001));
    assert_false(store_of(0, A + 4 * LINE, 1112));
    assert_false(store_of(0, A + 5 * LINE, 1112));
    assert_true(store_of(0, A, 1112));
    ASSERT_EVENT(MSHR_FULL, 3);
    assert_true(store_of(0, A + 4 * LINE, 1113));
    assert_false(store_of(0, A + 5 * LINE, 1113));
}

static void a_store_is_refused_until_a_kept_register_is_given_back(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + i * LINE, 1000);
    uint8_t kept = memsys_keep_register(sys.mem[0]);
    assert_false(store_of(0, A + 4 * LINE, 1001));
    memsys_free_register(sys.mem[0], kept, 1002);
    assert_true(store_of(0, A + 4 * LINE, 1002));
}

static void instruction_misses_have_registers_of_their_own(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        load_of(0, A + i * LINE, 1000);
    assert_true(memsys_fetch(sys.mem[0], A + 8 * LINE, 1000, &sys.response));
    assert_true(memsys_fetch(sys.mem[0], A + 9 * LINE, 1000, &sys.response));
    assert_false(memsys_fetch(sys.mem[0], A + 10 * LINE, 1000, &sys.response));
    ASSERT_EVENT(MSHR_FULL, 1);
    ASSERT_EVENT(L1I_ACCESS, 2);
}

static void an_l1_miss_waits_for_an_l2_register(void **state)
{
    (void)state;
    sys.config.l2_mshrs = 1;
    sys.config.dram_line_cycles = 0;
    start();
    assert_load(A, 1000, 1113, MEM_DRAM);
    assert_load(A + LINE, 1000, 1213, MEM_DRAM);
}

static void a_set_that_is_all_on_its_way_makes_a_miss_retry(void **state)
{
    (void)state;
    start();
    load_of(0, A, 1000);
    load_of(0, A + 8 * LINE, 1000);
    assert_false(load_of(0, A + 16 * LINE, 1050));
    ASSERT_EVENT(MSHR_FULL, 1);
    assert_true(load_of(0, A + 16 * LINE, 1200));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void a_store_that_misses_fetches_the_line(void **state)
{
    (void)state;
    start();
    assert_true(store_of(0, A, 1000));
    assert_true(sys.response.miss && sys.response.filled);
    assert_int_equal(sys.response.ready, 1113);
    assert_true(store_of(0, A + 8, 2000));
    assert_int_equal(sys.response.ready, 2000 + LOAD);
    ASSERT_EVENT(L1D_WRITE, 2);
    ASSERT_EVENT(L1D_WRITE_MISS, 1);
    ASSERT_EVENT(DRAM_WRITE, 0);
}

static void only_dirty_lines_are_written_back(void **state)
{
    (void)state;
    start();
    store_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);
    load_of(0, A + 16 * LINE, 2000);            /* replaces the dirty line */
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    load_of(0, A + 24 * LINE, 3000);            /* replaces a clean one */
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 0);                /* L2 took it */
}

static void l2_writes_back_what_was_written_back_to_it(void **state)
{
    (void)state;
    start();
    store_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);             /* the same set of L1D, others of L2 */
    load_of(0, A + 16 * LINE, 2000);
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 0);
    load_of(0, A + 128 * LINE, 3000);           /* the same set of L2 */
    load_of(0, A + 256 * LINE, 4000);
    ASSERT_EVENT(L2_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void a_modified_line_that_l2_lost_is_written_back_to_memory(void **state)
{
    (void)state;
    start();
    store_of(0, A, 0);
    load_of(0, A + 128 * LINE, 1000);           /* the same set in both caches */
    load_of(0, A + 256 * LINE, 2000);
    ASSERT_EVENT(L1D_WRITEBACK, 1);
    ASSERT_EVENT(L2_WRITEBACK, 0);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void without_an_l2_write_backs_occupy_the_bus(void **state)
{
    (void)state;
    sys.config.l2_kib = 0;
    start();
    store_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);
    assert_load(A + 16 * LINE, 2000, 2000 + LOAD + DRAM, MEM_DRAM);
    ASSERT_EVENT(DRAM_WRITE, 1);
    assert_load(A + 1 * LINE, 2000, 2000 + LOAD + DRAM + 2 * BUS, MEM_DRAM);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void a_fill_names_the_frame_and_the_line(void **state)
{
    (void)state;
    start();
    assert_int_equal(memsys_dframes(sys.mem[0]), 16);
    assert_int_equal(memsys_iframes(sys.mem[0]), 16);
    for (unsigned set = 0; set < 8; set++) {
        load_of(0, A + set * LINE + 5, 1000 * set);
        assert_int_equal(sys.response.frame / 2, set);
        assert_int_equal(sys.response.block, A + set * LINE);
        assert_int_equal(memsys_find_dframe(sys.mem[0], A + set * LINE + 63), sys.response.frame);
        assert_int_equal(memsys_find_iframe(sys.mem[0], A + set * LINE), MEM_NO_FRAME);
    }
}

static void a_replaced_line_is_in_no_frame(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 3; i++)
        load_of(0, A + i * 8 * LINE, 1000 * i);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A + 16 * LINE), sys.response.frame);
}

static void looking_changes_neither_recency_nor_counts(void **state)
{
    (void)state;
    start();
    load_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);
    uint64_t before[EVENT_COUNT];
    memcpy(before, sys.events[0], sizeof before);
    assert_int_not_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_equal(memsys_probe(sys.mem[0], A), MEM_L1);
    assert_memory_equal(before, sys.events[0], sizeof before);
    load_of(0, A + 16 * LINE, 2000);
    assert_int_equal(memsys_probe(sys.mem[0], A), MEM_L2);
    assert_int_equal(memsys_probe(sys.mem[0], A + 8 * LINE), MEM_L1);
    assert_int_equal(memsys_probe(sys.mem[0], A + 99 * LINE), MEM_DRAM);
}

static void a_flushed_instruction_cache_is_empty_and_data_stays(void **state)
{
    (void)state;
    start();
    memsys_fetch(sys.mem[0], A, 0, &sys.response);
    load_of(0, A, 1000);
    memsys_flush_icache(sys.mem[0]);
    assert_int_equal(memsys_find_iframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_not_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_fetch(A, 2000, 2000 + L2, MEM_L2);
}

/* ---- prefetching ----------------------------------------------------------------------------- */

static void a_fetch_miss_brings_the_next_line_into_l2(void **state)
{
    (void)state;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    start();
    assert_fetch(A, 1000, 1000 + L2 + DRAM, MEM_DRAM);
    assert_fetch(A + LINE, 2000, 2000 + L2, MEM_L2);
    ASSERT_EVENT(L2_ACCESS, 2);
    ASSERT_EVENT(L2_ACCESS_MISS, 1);
    ASSERT_EVENT(DRAM_READ, 3);                 /* A, A + 1 and A + 2 */
}

static void a_prefetched_line_on_its_way_is_waited_for(void **state)
{
    (void)state;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    start();
    assert_fetch(A, 1000, 1110, MEM_DRAM);
    assert_fetch(A + LINE, 1050, 1110 + BUS, MEM_L2);
}

static void instructions_are_not_prefetched_across_a_page(void **state)
{
    (void)state;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    start();
    memsys_fetch(sys.mem[0], A + 4096 - LINE, 0, &sys.response);
    ASSERT_EVENT(DRAM_READ, 1);
    assert_int_equal(memsys_probe(sys.mem[0], A + 4096), MEM_DRAM);
}

static void loads_in_a_row_of_lines_find_the_next_ones_in_l2(void **state)
{
    (void)state;
    sys.config.l1d_prefetch = PREFETCH_STRIDE;
    start();
    for (unsigned i = 0; i < 3; i++)
        assert_load(A + i * LINE, 1000 * i, 1000 * i + LOAD + L2 + DRAM, MEM_DRAM);
    assert_load(A + 3 * LINE, 9000, 9000 + LOAD + L2, MEM_L2);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A + 4 * LINE), MEM_NO_FRAME);
}

static void a_prefetch_does_not_take_the_last_l2_register(void **state)
{
    (void)state;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l2_mshrs = 1;
    start();
    memsys_fetch(sys.mem[0], A, 1000, &sys.response);
    ASSERT_EVENT(DRAM_READ, 1);
}

static void without_an_l2_nothing_is_prefetched(void **state)
{
    (void)state;
    sys.config.l2_kib = 0;
    sys.config.l1i_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l1d_prefetch = PREFETCH_STRIDE;
    start();
    for (unsigned i = 0; i < 4; i++) {
        load_of(0, A + i * LINE, 1000 * i);
        memsys_fetch(sys.mem[0], A + i * LINE, 1000 * i + 500, &sys.response);
    }
    ASSERT_EVENT(DRAM_READ, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_load_that_misses_everywhere_adds_the_times_of_all_levels),
        CASE(a_load_that_hits_takes_the_load_latency),
        CASE(a_load_that_only_l1_lost_is_answered_by_l2),
        CASE(an_access_to_a_line_on_its_way_waits_for_it),
        CASE(a_fetch_that_hits_is_ready_at_once),
        CASE(instructions_and_data_meet_in_l2),
        CASE(without_an_l2_a_miss_goes_to_memory),
        CASE(misses_at_once_share_the_bus),
        CASE(an_l2_line_larger_than_an_l1_line_brings_its_neighbours),
        CASE(lines_of_every_size_hold_that_many_bytes),
        CASE(a_miss_without_a_register_must_retry),
        CASE(hits_and_lines_on_their_way_need_no_register),
        CASE(a_register_is_free_when_its_line_has_come),
        CASE(a_store_is_refused_until_a_register_is_free),
        CASE(a_store_is_refused_until_a_kept_register_is_given_back),
        CASE(instruction_misses_have_registers_of_their_own),
        CASE(an_l1_miss_waits_for_an_l2_register),
        CASE(a_set_that_is_all_on_its_way_makes_a_miss_retry),
        CASE(a_store_that_misses_fetches_the_line),
        CASE(only_dirty_lines_are_written_back),
        CASE(l2_writes_back_what_was_written_back_to_it),
        CASE(a_modified_line_that_l2_lost_is_written_back_to_memory),
        CASE(without_an_l2_write_backs_occupy_the_bus),
        CASE(a_fill_names_the_frame_and_the_line),
        CASE(a_replaced_line_is_in_no_frame),
        CASE(looking_changes_neither_recency_nor_counts),
        CASE(a_flushed_instruction_cache_is_empty_and_data_stays),
        CASE(a_fetch_miss_brings_the_next_line_into_l2),
        CASE(a_prefetched_line_on_its_way_is_waited_for),
        CASE(instructions_are_not_prefetched_across_a_page),
        CASE(loads_in_a_row_of_lines_find_the_next_ones_in_l2),
        CASE(a_prefetch_does_not_take_the_last_l2_register),
        CASE(without_an_l2_nothing_is_prefetched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
