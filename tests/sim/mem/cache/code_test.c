/* Code that fetch reads line by line (c910.by_block), and lines that L2 reads ahead of it. */
#include "sim/mem/memsys_code.h"
#include "tests/sim/mem/memsys_fixture.h"

static uint64_t read_code(uint64_t pa, uint64_t now)
{
    return memsys_read_code(sys.mem[0], pa, now, false);
}

static void a_line_is_in_the_cache_when_it_is_put_there(void **state)
{
    (void)state;
    struct mem_response response;
    uint32_t frame;
    sys.config.part_by_block = 1;
    start();
    assert_int_equal(read_code(A, 1000), 1000 + L2 + DRAM);
    assert_false(memsys_find_code(sys.mem[0], A, &frame));
    memsys_keep_code(sys.mem[0], A + 16, 1110, &response);
    assert_true(response.filled);
    assert_int_equal(response.block, A);
    assert_true(memsys_find_code(sys.mem[0], A + 32, &frame));
    assert_int_equal(frame, response.frame);
    ASSERT_EVENT(L1I_ACCESS, 2);
    ASSERT_EVENT(L1I_MISS, 1);
}

static void fetch_is_nearer_on_the_way_there_and_back(void **state)
{
    (void)state;
    sys.config.part_by_block = 1;
    sys.config.part_early_cycles = 3;
    sys.config.part_fetch_miss_cycles = 5;
    start();
    assert_int_equal(read_code(A, 1000), 1000 - 3 + L2 + 5 + DRAM - 3);
    assert_int_equal(read_code(A, 2000), 2000 - 3 + L2 - 3);
    assert_load(A + LINE, 3000, 3000 + LOAD + L2 + DRAM, MEM_DRAM);
}

/* Whichever cache read the line, a data cache may have written it. */
static void code_that_was_read_before_waits_for_the_data_caches(void **state)
{
    (void)state;
    sys.config.part_by_block = 1;
    sys.config.part_snoop_cycles = 7;
    sys.config.part_fetch_ahead = 1;
    start();
    assert_int_equal(read_code(A, 1000), 1000 + L2 + DRAM);
    assert_int_equal(read_code(A + LINE, 2000), 2000 + L2);     /* read ahead: for no cache */
    assert_int_equal(read_code(A + LINE, 3000), 3000 + L2 + 7);
    assert_int_equal(read_code(A, 4000), 4000 + L2 + 7);
    load_of(0, A + 8 * LINE, 5000);
    assert_int_equal(read_code(A + 8 * LINE, 6000), 6000 + L2 + 7);
}

static void l2_reads_ahead_of_a_fetch_that_misses_to_the_end_of_the_page(void **state)
{
    (void)state;
    for (unsigned lines = 0; lines <= 3; lines++) {
        if (lines != 0)
            assert_int_equal(tear_down(state) | set_up(state), 0);
        sys.config.part_by_block = 1;
        sys.config.part_fetch_ahead = lines;
        start();
        read_code(A + 4096 - 3 * LINE, 1000);
        load_of(0, A + 0x10000, 5000);          /* the due lines were asked for */
        ASSERT_EVENT(DRAM_READ, 2 + (lines < 2 ? lines : 2));
        for (unsigned i = 1; i <= 2; i++)
            assert_int_equal(memsys_probe(sys.mem[0], A + 4096 - (3 - i) * LINE),
                             i <= lines ? MEM_L2 : MEM_DRAM);
        assert_int_equal(memsys_probe(sys.mem[0], A + 4096), MEM_DRAM);
    }
}

/* The miss is seen eight cycles after its request; lines to be read earlier are asked for first.
 * Misses seen while lines are asked for, one a cycle, begin nothing. */
static void misses_that_come_while_l2_reads_ahead_begin_nothing(void **state)
{
    (void)state;
    static const struct { uint64_t after; unsigned reads; } row[] = {{2, 4}, {3, 6}};
    for (unsigned i = 0; i < 2; i++) {
        if (i != 0)
            assert_int_equal(tear_down(state) | set_up(state), 0);
        sys.config.part_by_block = 1;
        sys.config.part_fetch_ahead = 2;
        sys.config.l2_mshrs = 8;
        start();
        read_code(A, 1000);
        read_code(A + 8 * LINE, 1000 + row[i].after);
        load_of(0, A + 0x10000, 5000);
        ASSERT_EVENT(DRAM_READ, row[i].reads + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_is_in_the_cache_when_it_is_put_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(fetch_is_nearer_on_the_way_there_and_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(code_that_was_read_before_waits_for_the_data_caches,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            l2_reads_ahead_of_a_fetch_that_misses_to_the_end_of_the_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(misses_that_come_while_l2_reads_ahead_begin_nothing,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
