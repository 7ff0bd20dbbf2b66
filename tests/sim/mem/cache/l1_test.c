/* The accesses that a first-level cache refuses, and the cycles in which the words of a line
 * come. */
#include "tests/sim/mem/memsys_fixture.h"

#include "sim/mem/cache/memshared.h"

/* ---- ports, banks, blocking ------------------------------------------------------------------ */

static void l1_serves_as_many_accesses_a_cycle_as_it_has_ports(void **state)
{
    (void)state;
    sys.config.l1d_ports = 2;
    start();
    load_of(0, A, 0);
    assert_true(load_of(0, A, 1000));
    assert_true(store_of(0, A, 1000));
    assert_false(load_of(0, A, 1000));
    assert_true(load_of(0, A, 1001));
    ASSERT_EVENT(L1_PORT_BUSY, 1);
    ASSERT_EVENT(L1D_READ, 3);
}

static void two_words_of_one_bank_need_two_cycles(void **state)
{
    (void)state;
    sys.config.l1d_banks = 4;                   /* of eight bytes */
    start();
    load_of(0, A, 0);
    assert_true(load_of(0, A, 1000));
    assert_true(load_of(0, A + 4, 1000));       /* the same word */
    assert_true(load_of(0, A + 8, 1000));       /* another bank */
    assert_false(load_of(0, A + 32, 1000));     /* the first bank again */
    assert_true(load_of(0, A + 32, 1001));
    ASSERT_EVENT(L1_BANK_CONFLICT, 1);
}

static void a_cache_that_blocks_serves_nothing_during_a_miss(void **state)
{
    (void)state;
    sys.config.l1d_hit_under_miss = 0;
    start();
    load_of(0, A, 0);
    assert_load(A + LINE, 1000, 1000 + LOAD + L2 + DRAM, MEM_DRAM);
    assert_false(load_of(0, A, 1001));
    assert_false(store_of(0, A, 1112));
    assert_load(A, 1113, 1113 + LOAD, MEM_L1);
    ASSERT_EVENT(L1_BLOCKED, 2);
}

static void a_miss_locks_its_set(void **state)
{
    (void)state;
    sys.config.part_misses_lock_set = 1;
    start();
    load_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);             /* the same set; comes at 1113 */
    assert_false(load_of(0, A, 1001));
    assert_false(store_of(0, A, 1112));
    assert_true(load_of(0, A + 8 * LINE, 1002));
    assert_true(load_of(0, A + LINE, 1003));
    assert_load(A, 1113, 1113 + LOAD, MEM_L1);
    ASSERT_EVENT(L1_BLOCKED, 2);
}

static void a_line_of_data_can_be_used_a_set_time_after_its_arrival(void **state)
{
    (void)state;
    sys.config.part_arrival_cycles = 4;
    start();
    assert_load(A, 0, LOAD + L2 + DRAM + 4, MEM_DRAM);
    assert_load(A, 50, LOAD + L2 + DRAM + 4, MEM_L1);
    memsys_fetch(sys.mem[0], A + LINE, 1000, &sys.response);
    assert_int_equal(sys.response.ready, 1000 + L2 + DRAM);
}

/* A is modified. The load at 2000 writes it out in cycles 2003 to 2010, may ask for its own line
 * in cycle 2008, and has the bus from 2011 on. A fetch in cycle 2002 puts all that off. */
static void a_fetch_goes_before_a_line_that_is_written_out_and_the_one_after_it(void **state)
{
    (void)state;
    sys.config.l2_kib = 0;
    sys.config.part_arbitration = 1;             /* fetch_first */
    sys.config.l1d_victim_cycles = 5;
    start();
    store_of(0, A, 0);
    load_of(0, A + 8 * LINE, 1000);
    assert_load(A + 16 * LINE, 2000, 2011 + DRAM, MEM_DRAM);
    uint8_t miss_register = memsys_keep_register(sys.mem[0]);
    memsys_fetch(sys.mem[0], A + LINE, 2002, &sys.response);
    assert_int_equal(sys.response.ready, 2002 + DRAM);
    assert_int_equal(memsys_register_arrival(sys.mem[0], miss_register), 2018 + DRAM);
    assert_int_equal(memsys_line_from(sys.mem[0], A + 16 * LINE), 2018 + DRAM);
    assert_int_equal(memsys_moves(sys.mem[0]), 1);
}

/* The way of A + LINE, in set 1, of which nothing is known, when its miss at 2000 is followed by a
 * fetch in set 0, whose way 0 is in use, at `then`. */
static uint32_t way_after(unsigned victim, uint64_t then)
{
    sys.config.l1i_hit_under_miss = 0;
    sys.config.l1i_replacement = REPLACE_NRU;
    sys.config.part_victim_at_fill = victim;
    start();
    memsys_fetch(sys.mem[0], A, 0, &sys.response);
    memsys_fetch(sys.mem[0], A, 1000, &sys.response);
    memsys_fetch(sys.mem[0], A + LINE, 2000, &sys.response);
    assert_int_equal(sys.response.ready, 2000 + L2 + DRAM);
    assert_false(memsys_fetch(sys.mem[0], A, then, &sys.response));
    return memsys_find_iframe(sys.mem[0], A + LINE) - 2;
}

static void a_line_goes_to_the_way_of_the_set_that_is_looked_at(void **state)
{
    (void)state;
    assert_int_equal(way_after(1, 2001), 1);
}

static void a_line_already_there_keeps_the_way_of_its_own_set(void **state)
{
    (void)state;
    assert_int_equal(way_after(1, 2000 + L2 + DRAM - 1), 0);
}

static void the_miss_chooses_in_its_own_set(void **state)
{
    (void)state;
    assert_int_equal(way_after(0, 2001), 0);
}

static void a_line_being_written_into_the_array_takes_every_port(void **state)
{
    (void)state;
    sys.config.part_fill_cycles = 2;
    start();
    load_of(0, A, 0);
    load_of(0, A + LINE, 1000);                 /* comes at 1113 */
    assert_true(load_of(0, A, 1112));
    assert_false(load_of(0, A, 1113));
    assert_false(load_of(0, A, 1114));
    assert_true(load_of(0, A, 1115));
}

static void a_line_may_take_every_port_before_its_waiting_loads_are_issued(void **state)
{
    (void)state;
    sys.config.part_fill_cycles = 2;
    sys.config.part_fill_lead = 2;
    start();
    load_of(0, A, 0);
    load_of(0, A + LINE, 1000);                 /* comes at 1113 */
    assert_true(load_of(0, A, 1110));
    assert_false(load_of(0, A, 1111));
    assert_false(load_of(0, A, 1112));
    assert_true(load_of(0, A, 1113));
}

/* Refused, and to come again in that cycle. */
static void assert_waits(uint64_t pa, uint64_t now, uint64_t until)
{
    assert_false(load_of(0, pa, now));
    assert_int_equal(sys.response.ready, until);
}

static void a_load_waits_for_the_line_that_is_on_its_way(void **state)
{
    (void)state;
    sys.config.part_fill_match_bits = 8;
    start();
    load_of(0, A, 1000);                        /* comes at 1113 */
    assert_waits(A + 8, 1001, 1114);
    assert_waits(A + 8, 1107, 1114);            /* it looks at 1110, before the line is written */
    assert_waits(A + 8, 1108, 1116);
    assert_waits(A + 8, 1110, 1116);            /* it looks at 1113 */
    assert_load(A + 8, 1111, 1114, MEM_L1);
    ASSERT_EVENT(L1D_READ, 2);
}

static void a_load_waits_for_a_line_on_its_way_with_the_same_low_bits(void **state)
{
    (void)state;
    sys.config.part_fill_match_bits = 4;
    start();
    load_of(0, A, 1000);                        /* comes at 1113 */
    assert_load(A + 8 * LINE, 1001, 1121, MEM_DRAM);        /* after the first on the bus */
    assert_waits(A + 16 * LINE, 1002, 1114);
    assert_waits(A + 24 * LINE, 1002, 1122);
    assert_load(A + 16 * LINE, 1114, 1227, MEM_DRAM);
    load_of(0, A + 4 * LINE, 2000);
    load_of(0, A + 4 * LINE, 3000);
    load_of(0, A + 20 * LINE, 4000);
    assert_load(A + 4 * LINE, 4001, 4004, MEM_L1);          /* one that hits waits for none */
}

static void a_miss_register_takes_as_many_accesses_as_it_can(void **state)
{
    (void)state;
    sys.config.l1d_merges = 2;
    start();
    load_of(0, A, 1000);
    assert_load(A + 8, 1001, 1113, MEM_L1);
    assert_load(A + 16, 1002, 1113, MEM_L1);
    assert_false(load_of(0, A + 24, 1003));
    assert_load(A + 24, 1113, 1113 + LOAD, MEM_L1);
    ASSERT_EVENT(MSHR_FULL, 1);
}

/* ---- beats ----------------------------------------------------------------------------------- */

/* Without L2: memory 20 cycles to the first beat, then four bytes a cycle, one read outstanding. */
enum refill_choice { CRITICAL, EARLY, WHOLE };
static void use_narrow_bus(enum refill_choice refill)
{
    sys.config.l2_kib = 0;
    sys.config.l1d_line_bytes = sys.config.l1i_line_bytes = 32;
    sys.config.dram_cycles = 20;
    sys.config.bus_bytes = 4;
    sys.config.bus_reads = 1;
    sys.config.bus_refill = refill;
}

static void a_whole_line_comes_with_its_last_beat(void **state)
{
    (void)state;
    use_narrow_bus(WHOLE);
    start();
    assert_load(A + 20, 1000, 1000 + LOAD + 20 + 7, MEM_DRAM);
    assert_load(A, 1001, 1030, MEM_L1);
    assert_load(A + 32, 1002, 1031 + 20 + 7, MEM_DRAM);    /* begins when the bus is free */
}

static void the_critical_word_comes_first_and_the_rest_wraps(void **state)
{
    (void)state;
    use_narrow_bus(CRITICAL);
    start();
    assert_load(A + 20, 1000, 1000 + LOAD + 20, MEM_DRAM);
    assert_load(A + 24, 1001, 1024, MEM_L1);
    assert_load(A, 1001, 1026, MEM_L1);
    assert_load(A + 16, 1001, 1030, MEM_L1);
    assert_load(A + 16, 1030, 1030 + LOAD, MEM_L1);
}

static void early_restart_waits_for_the_beat_of_the_word(void **state)
{
    (void)state;
    use_narrow_bus(EARLY);
    start();
    assert_load(A + 20, 1000, 1000 + LOAD + 20 + 5, MEM_DRAM);
    assert_load(A + 4, 1001, 1024, MEM_L1);
    assert_load(A + 28, 1001, 1030, MEM_L1);
}

static void instructions_and_data_wait_for_each_other_on_a_serialised_bus(void **state)
{
    (void)state;
    use_narrow_bus(WHOLE);
    start();
    assert_load(A, 1000, 1030, MEM_DRAM);
    assert_fetch(A + 4096, 1000, 1031 + 20 + 7, MEM_DRAM);
}

static void lines_of_eight_bytes_take_the_beats_they_have(void **state)
{
    (void)state;
    use_narrow_bus(WHOLE);
    sys.config.l1d_line_bytes = 8;
    sys.config.pmu_granule_bytes = 4;
    start();
    assert_load(A + 4, 1000, 1000 + LOAD + 20 + 1, MEM_DRAM);
    assert_load(A + 8, 2000, 2000 + LOAD + 20 + 1, MEM_DRAM);
    assert_load(A + 12, 3000, 3000 + LOAD, MEM_L1);
}

static void beats_pass_through_l2(void **state)
{
    (void)state;
    use_narrow_bus(CRITICAL);
    sys.config.l2_kib = 16;
    sys.config.l2_line_bytes = 64;
    start();
    assert_load(A + 20, 1000, 1000 + LOAD + L2 + 20, MEM_DRAM);
    assert_load(A + 16, 1001, 1033 + 7, MEM_L1);            /* the last beat of the L1 line */
    assert_load(A + 32, 1002, 1033 + 15, MEM_L2);           /* the rest of the L2 line */
}

static void a_burst_waits_for_a_fill_buffer(void **state)
{
    (void)state;
    use_narrow_bus(CRITICAL);
    sys.config.bus_reads = 0;
    sys.config.l1d_fill_buffers = 1;
    sys.config.bus_bytes = 8;
    start();
    assert_load(A, 1000, 1023, MEM_DRAM);                   /* 1023 to 1026 */
    assert_load(A + 32, 1000, 1027, MEM_DRAM);              /* the data lines are free at 1027 */
    sys.config.part_fill_cycles = 5;
    tear_down(state);
    start();
    assert_load(A, 1000, 1023, MEM_DRAM);                   /* in the buffer until 1031 */
    assert_load(A + 32, 1000, 1031, MEM_DRAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(l1_serves_as_many_accesses_a_cycle_as_it_has_ports),
        CASE(two_words_of_one_bank_need_two_cycles),
        CASE(a_cache_that_blocks_serves_nothing_during_a_miss),
        CASE(a_line_being_written_into_the_array_takes_every_port),
        CASE(a_line_may_take_every_port_before_its_waiting_loads_are_issued),
        CASE(a_load_waits_for_the_line_that_is_on_its_way),
        CASE(a_load_waits_for_a_line_on_its_way_with_the_same_low_bits),
        CASE(a_miss_register_takes_as_many_accesses_as_it_can),
        CASE(a_miss_locks_its_set),
        CASE(a_line_of_data_can_be_used_a_set_time_after_its_arrival),
        CASE(a_fetch_goes_before_a_line_that_is_written_out_and_the_one_after_it),
        CASE(a_line_goes_to_the_way_of_the_set_that_is_looked_at),
        CASE(a_line_already_there_keeps_the_way_of_its_own_set),
        CASE(the_miss_chooses_in_its_own_set),
        CASE(a_whole_line_comes_with_its_last_beat),
        CASE(the_critical_word_comes_first_and_the_rest_wraps),
        CASE(early_restart_waits_for_the_beat_of_the_word),
        CASE(instructions_and_data_wait_for_each_other_on_a_serialised_bus),
        CASE(lines_of_eight_bytes_take_the_beats_they_have),
        CASE(beats_pass_through_l2),
        CASE(a_burst_waits_for_a_fill_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
