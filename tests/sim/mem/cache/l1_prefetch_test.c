/* Lines prefetched into a first-level cache, or into L2 for it: when they come, the lines that they
 * push out, the accesses that train the prefetcher, and how each is counted. */
#include "tests/sim/mem/memsys_fixture.h"

static void use_next_line_into_l1(void)
{
    sys.config.l1d_prefetch = PREFETCH_NEXT_LINE;
    sys.config.l1d_prefetch_degree = 1;
    sys.config.l1d_prefetch_into = 1;
}

static void a_line_prefetched_into_l1_is_hit_and_told_as_a_change(void **state)
{
    (void)state;
    use_next_line_into_l1();
    start();
    struct mem_change change;
    assert_load(A, 1000, 1113, MEM_DRAM);
    assert_true(sys.response.changed);
    assert_true(memsys_next_change(sys.mem[0], &change));
    assert_true(change.is_filled && !change.is_fetch);
    assert_int_equal(change.block, A + LINE);
    assert_int_equal(change.frame, memsys_find_dframe(sys.mem[0], A + LINE));
    assert_false(memsys_next_change(sys.mem[0], &change));
    assert_load(A + LINE, 2000, 2000 + LOAD, MEM_L1);       /* and prefetches the one after it */
    assert_int_not_equal(memsys_find_dframe(sys.mem[0], A + 2 * LINE), MEM_NO_FRAME);
    ASSERT_EVENT(PREFETCH_ISSUED, 2);
    ASSERT_EVENT(PREFETCH_USEFUL, 1);
    ASSERT_EVENT(PREFETCH_LATE, 0);
    ASSERT_EVENT(L1D_READ_MISS, 1);
}

static void a_prefetched_line_wanted_too_early_is_late(void **state)
{
    (void)state;
    use_next_line_into_l1();
    start();
    load_of(0, A, 1000);
    assert_load(A + LINE, 1050, 1113 + BUS, MEM_L1);
    ASSERT_EVENT(PREFETCH_LATE, 1);
}

static void prefetches_nobody_wanted_and_lines_they_pushed_out_are_counted(void **state)
{
    (void)state;
    use_next_line_into_l1();
    start();
    load_of(0, A + LINE, 1000);                 /* set 1, and prefetches set 2 */
    load_of(0, A + 9 * LINE, 2000);             /* the same sets: set 1 and 2 are full */
    load_of(0, A + 16 * LINE, 3000);            /* set 0; prefetches set 1: pushes out A + LINE */
    ASSERT_EVENT(PREFETCH_ISSUED, 3);
    ASSERT_EVENT(PREFETCH_UNUSED, 0);
    load_of(0, A + LINE, 4000);                 /* misses what was pushed out */
    ASSERT_EVENT(PREFETCH_POLLUTING, 1);
    load_of(0, A + 2 * LINE, 5000);             /* set 2 still has it: useful */
    ASSERT_EVENT(PREFETCH_USEFUL, 1);
    load_of(0, A + 18 * LINE, 6000);
    load_of(0, A + 26 * LINE, 7000);            /* set 2: A + 10 * LINE goes unused */
    assert_true(sys.events[0][EVENT_PREFETCH_UNUSED] >= 1);
}

static void a_prefetch_takes_a_miss_register_or_is_dropped(void **state)
{
    (void)state;
    use_next_line_into_l1();
    sys.config.l1d_mshrs = 1;
    start();
    load_of(0, A, 1000);
    ASSERT_EVENT(PREFETCH_ISSUED, 0);
    ASSERT_EVENT(MSHR_FULL, 0);
}

/* Without c910.fill_match_bits the miss that is under way drops nothing. */
static void a_stream_runs_beside_misses_that_nothing_compares(void **state)
{
    (void)state;
    enum { STEP = 4 * LINE, LOADS = 7 };
    sys.config.l1d_prefetch = PREFETCH_STAGED;
    sys.config.l1d_prefetch_into = 1;
    sys.config.l1d_kib = 32;
    start();
    for (unsigned i = 0; i < LOADS; i++)
        load_of(0, A + i * STEP, 1000 * (i + 1));
    load_of(0, A, 1000 * LOADS + 20);       /* the stream has begun, the last miss is not over */
    assert_int_not_equal(memsys_find_dframe(sys.mem[0], A + (LOADS + 1) * STEP), MEM_NO_FRAME);
}

static void prefetched_into_l2_a_line_comes_from_there(void **state)
{
    (void)state;
    sys.config.l1d_prefetch = PREFETCH_STREAM;
    start();
    for (unsigned i = 0; i < 3; i++)
        load_of(0, A + i * LINE, 1000 * i);
    assert_load(A + 3 * LINE, 5000, 5000 + LOAD + L2, MEM_L2);
    ASSERT_EVENT(PREFETCH_ISSUED, 3 + 4);       /* at first the load itself has a register of L2 */
    ASSERT_EVENT(PREFETCH_USEFUL, 1);
}

static void a_prefetcher_can_learn_from_every_access(void **state)
{
    (void)state;
    sys.config.l1d_prefetch = PREFETCH_STRIDE;
    sys.config.l1d_prefetch_train = 1;
    start();
    for (unsigned i = 0; i < 3; i++)            /* one miss and two hits teach it 24 bytes */
        load_of(0, A + i * 24, 1000 * i);
    ASSERT_EVENT(PREFETCH_ISSUED, 2);           /* of four addresses two are in new lines */
    assert_int_equal(memsys_probe(sys.mem[0], A + LINE), MEM_L2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_line_prefetched_into_l1_is_hit_and_told_as_a_change),
        CASE(a_prefetched_line_wanted_too_early_is_late),
        CASE(prefetches_nobody_wanted_and_lines_they_pushed_out_are_counted),
        CASE(a_prefetch_takes_a_miss_register_or_is_dropped),
        CASE(a_stream_runs_beside_misses_that_nothing_compares),
        CASE(prefetched_into_l2_a_line_comes_from_there),
        CASE(a_prefetcher_can_learn_from_every_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
