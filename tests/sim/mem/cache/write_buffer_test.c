/* Stores that go past the data cache, through the write buffer or at once. */
#include "tests/sim/mem/memsys_fixture.h"

static void use_write_through(void)
{
    sys.config.l1d_write = 1;
    sys.config.l1d_write_buffer = 2;
    sys.config.l2_kib = 0;
    sys.config.dram_line_cycles = 10;
}

static void write_through_keeps_lines_clean(void **state)
{
    (void)state;
    use_write_through();
    start();
    load_of(0, A, 0);
    assert_true(store_of(0, A + 8, 1000));
    assert_false(sys.response.miss);
    ASSERT_EVENT(DRAM_WRITE, 1);
    for (unsigned i = 1; i <= 2; i++)
        load_of(0, A + i * 8 * LINE, 1000 + 1000 * i);
    ASSERT_EVENT(L1D_WRITEBACK, 0);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void a_full_write_buffer_makes_a_store_wait(void **state)
{
    (void)state;
    use_write_through();
    start();
    load_of(0, A, 0);
    assert_true(store_of(0, A, 1000));          /* leaves 1000 to 1010 */
    assert_true(store_of(0, A + 8, 1001));      /* 1010 to 1020 */
    assert_false(store_of(0, A + 16, 1002));
    assert_false(store_of(0, A + 16, 1009));
    assert_true(store_of(0, A + 16, 1010));
    assert_false(store_of(0, A + 24, 1011));
    ASSERT_EVENT(WRITE_BUFFER_FULL, 3);
    ASSERT_EVENT(L1D_WRITE, 3);
}

static void stores_to_an_entry_that_waits_join_it(void **state)
{
    (void)state;
    use_write_through();
    start();
    load_of(0, A, 0);
    store_of(0, A, 1000);
    store_of(0, A + 8, 1001);
    assert_true(store_of(0, A + 12, 1005));     /* the entry leaves at 1010 */
    ASSERT_EVENT(WRITE_BUFFER_MERGED, 1);
    ASSERT_EVENT(DRAM_WRITE, 2);
}

static void a_store_that_joins_an_entry_on_its_way_leaves_after_it(void **state)
{
    (void)state;
    use_write_through();
    sys.config.part_writes = 2;
    sys.config.core_kind = 1;                   /* a part of an in-order core */
    sys.config.l1d_write_cycles = 15;
    start();
    load_of(0, A, 0);
    assert_true(store_of(0, A, 1000));          /* to 1015 */
    assert_true(store_of(0, A + 8, 1001));      /* to 1020: memory takes it at 1010 */
    assert_true(store_of(0, A + 4, 1005));      /* 1015 to 1030 */
    assert_true(store_of(0, A, 1014));
    ASSERT_EVENT(WRITE_BUFFER_MERGED, 1);
    ASSERT_EVENT(DRAM_WRITE, 3);
    assert_false(store_of(0, A + 16, 1019));
    assert_true(store_of(0, A + 16, 1020));
    assert_false(store_of(0, A + 24, 1029));
    assert_true(store_of(0, A + 24, 1030));
}

/* Beats of 2 cycles on a bus of their own, 5 cycles each: two are on their way, the third leaves
 * when the first has arrived. */
static void several_writes_are_on_their_way_at_once(void **state)
{
    (void)state;
    use_write_through();
    sys.config.l1d_write_buffer = 3;
    sys.config.part_writes = 2;
    sys.config.l1d_write_cycles = 5;
    sys.config.bus_bytes = 8;
    sys.config.core_kind = 1;                   /* a part of an in-order core */
    sys.config.part_write_beat_cycles = 2;
    start();
    load_of(0, A, 0);
    assert_true(store_of(0, A, 1000));          /* to 1005 */
    assert_true(store_of(0, A + 8, 1001));      /* to 1006 */
    assert_true(store_of(0, A + 16, 1002));     /* 1005 to 1010 */
    assert_false(store_of(0, A + 24, 1004));
    assert_true(store_of(0, A + 24, 1005));     /* 1006 to 1011 */
    assert_false(store_of(0, A + 32, 1005));
    assert_true(store_of(0, A + 32, 1006));     /* 1010 to 1015 */
    assert_false(store_of(0, A + 40, 1009));
    assert_true(store_of(0, A + 40, 1010));
}

static void without_write_allocate_a_store_brings_no_line(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind <= 1; kind++) {
        use_write_through();
        sys.config.l1d_write = kind | 2;        /* around */
        start();
        assert_true(store_of(0, A, 1000));
        assert_true(sys.response.miss && !sys.response.filled);
        assert_int_equal(sys.response.frame, MEM_NO_FRAME);
        assert_int_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
        ASSERT_EVENT(DRAM_READ, 0);
        ASSERT_EVENT(DRAM_WRITE, 1);
        ASSERT_EVENT(L1D_WRITE_MISS, 1);
        tear_down(state);
        set_up(state);
    }
    start();
}

static void with_write_allocate_a_store_brings_its_line(void **state)
{
    (void)state;
    use_write_through();
    start();
    assert_true(store_of(0, A, 1000));
    assert_true(sys.response.miss && sys.response.filled);
    ASSERT_EVENT(DRAM_READ, 1);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void a_read_of_what_is_in_the_write_buffer_waits_until_it_has_left(void **state)
{
    (void)state;
    use_write_through();
    sys.config.l1d_write |= 2;
    start();
    store_of(0, A + LINE, 1000);
    store_of(0, A, 1000);                       /* leaves 1010 to 1020 */
    assert_load(A + 32, 1001, 1020 + DRAM, MEM_DRAM);
    assert_load(A + 4 * LINE, 3000, 3000 + LOAD + DRAM, MEM_DRAM);
}

static void l2_takes_what_is_written_through(void **state)
{
    (void)state;
    use_write_through();
    sys.config.l2_kib = 16;
    start();
    load_of(0, A, 0);
    store_of(0, A, 1000);
    ASSERT_EVENT(DRAM_WRITE, 0);
    ASSERT_EVENT(L2_ACCESS, 2);
    for (unsigned i = 1; i <= 2; i++)           /* L2 gives it up, modified */
        load_of(0, A + i * 128 * LINE, 1000 + 1000 * i);
    ASSERT_EVENT(L2_WRITEBACK, 1);
    ASSERT_EVENT(DRAM_WRITE, 1);
}

static void a_store_written_through_takes_the_line_from_the_other_hart(void **state)
{
    (void)state;
    use_write_through();
    start();
    load_of(0, A, 0);
    load_of(1, A, 1000);
    store_of(1, A, 2000);
    assert_int_equal(memsys_find_dframe(sys.mem[0], A), MEM_NO_FRAME);
    assert_int_not_equal(memsys_find_dframe(sys.mem[1], A), MEM_NO_FRAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(write_through_keeps_lines_clean),
        CASE(a_full_write_buffer_makes_a_store_wait),
        CASE(a_store_that_joins_an_entry_on_its_way_leaves_after_it),
        CASE(several_writes_are_on_their_way_at_once),
        CASE(stores_to_an_entry_that_waits_join_it),
        CASE(without_write_allocate_a_store_brings_no_line),
        CASE(with_write_allocate_a_store_brings_its_line),
        CASE(a_read_of_what_is_in_the_write_buffer_waits_until_it_has_left),
        CASE(l2_takes_what_is_written_through),
        CASE(a_store_written_through_takes_the_line_from_the_other_hart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
