/* Memory beyond the bus: rows, banks, refresh; every time is computed by hand. */
#include "tests/sim/mem/dram/dram_rig.h"

static void fixed_memory_takes_its_latency_whatever_it_did_before(void **state)
{
    (void)state;
    config.dram_kind = DRAM_FIXED;
    config.dram_cycles = 77;
    start();
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(read(i * 4096, 50), 50 + 77);
}

static void a_read_of_fixed_memory_begins_with_the_next_slot_that_is_free(void **state)
{
    (void)state;
    config.dram_kind = DRAM_FIXED;
    config.dram_cycles = 7;
    config.part_slot_cycles = 100;
    start();
    assert_int_equal(read(0, 0), 0 + 7);
    assert_int_equal(read(64, 0), 100 + 7);         /* one at a time */
    assert_int_equal(read(128, 1), 200 + 7);
    assert_int_equal(read(0, 350), 400 + 7);        /* the one at 300 is gone */
    assert_int_equal(read(0, 500), 500 + 7);
    assert_int_equal(dram_write(&dram, 0, 501, events), 501 + 7);
    assert_int_equal(read(0, 502), 600 + 7);
}

static void a_closed_row_is_opened_and_then_is_hit(void **state)
{
    (void)state;
    start();
    assert_int_equal(read(at(0, 0, 0), 0), WAY + TRCD + TCAS);
    assert_int_equal(read(at(0, 0, 1), 500), 500 + WAY + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 1);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 1);
}

static void another_row_of_the_bank_is_precharged_first(void **state)
{
    (void)state;
    start();
    read(at(0, 0, 0), 0);
    assert_int_equal(read(at(1, 0, 0), 500), 500 + WAY + TRP + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_CONFLICT], 1);
}

static void a_row_stays_open_for_tras(void **state)
{
    (void)state;
    start();
    read(at(0, 0, 0), 0);                       /* activated at WAY */
    assert_int_equal(read(at(1, 0, 0), 20), WAY + TRAS + TRP + TRCD + TCAS);
}

static void hits_follow_each_other_by_the_time_of_a_line(void **state)
{
    (void)state;
    start();
    uint64_t first = read(at(0, 0, 0), 0);
    assert_int_equal(read(at(0, 0, 1), 0), first + LINE_CYCLES);
    assert_int_equal(read(at(0, 0, 2), 0), first + 2 * LINE_CYCLES);
}

static void banks_work_side_by_side_and_share_the_pins(void **state)
{
    (void)state;
    start();
    assert_int_equal(read(at(0, 0, 0), 0), WAY + TRCD + TCAS);
    assert_int_equal(read(at(0, 1, 0), 0), WAY + TRCD + TCAS + LINE_CYCLES);
}

static void channels_share_nothing(void **state)
{
    (void)state;
    config.dram_channels = 2;
    start();
    assert_int_equal(read(0, 0), WAY + TRCD + TCAS);
    assert_int_equal(read(LINE, 0), WAY + TRCD + TCAS);
}

static void ranks_are_more_banks(void **state)
{
    (void)state;
    config.dram_ranks = 2;
    start();
    read(at(0, 0, 0), 0);
    assert_int_equal(read(at(1, 0, 0), 500), 500 + WAY + TRCD + TCAS);  /* bank 0 of rank 1 */
    assert_int_equal(read(at(2, 0, 0), 1000), 1000 + WAY + TRP + TRCD + TCAS);
}

static void the_read_that_is_ready_first_gets_the_pins_first(void **state)
{
    (void)state;
    start();
    read(at(0, 0, 0), 0);
    read(at(0, 1, 0), 0);
    uint64_t slow = read(at(1, 0, 0), 10);      /* precharges after tRAS */
    uint64_t fast = read(at(0, 1, 1), 20);      /* asked later, and its row is open */
    assert_int_equal(slow, WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(fast, 20 + WAY + TCAS);
}

static void a_hit_of_the_open_row_overtakes_a_read_that_waits_to_close_it(void **state)
{
    (void)state;
    start();
    read(at(0, 0, 0), 0);
    read(at(1, 0, 0), 14);                      /* precharges at WAY + TRAS */
    assert_int_equal(read(at(0, 0, 1), 30), 30 + WAY + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 1);
    /* Once it is closed, the row is a conflict again. */
    assert_int_equal(read(at(0, 0, 2), 500), 500 + WAY + TRP + TRCD + TCAS);
}

static void a_closed_policy_precharges_after_every_access(void **state)
{
    (void)state;
    config.dram_policy = DRAM_CLOSED;
    start();
    assert_int_equal(read(at(0, 0, 0), 0), WAY + TRCD + TCAS);
    assert_int_equal(read(at(0, 0, 1), 500), 500 + WAY + TRCD + TCAS);
    assert_int_equal(read(at(1, 0, 1), 1000), 1000 + WAY + TRCD + TCAS);
    /* At once: the bank is free after tRAS and the precharge. */
    assert_int_equal(read(at(1, 0, 2), 1000), 1000 + WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 4);
}

static void a_refresh_makes_accesses_wait_and_closes_rows(void **state)
{
    (void)state;
    config.dram_trefi = 10000;
    config.dram_trfc = 300;
    start();
    read(at(0, 0, 0), 0);
    assert_int_equal(read(at(0, 0, 1), 10100 - WAY), 10300 + TRCD + TCAS);
    assert_int_equal(read(at(0, 1, 1), 10200 - WAY), 10300 + TRCD + TCAS + LINE_CYCLES);
    assert_int_equal(read(at(0, 0, 2), 15000 - WAY), 15000 + TCAS);
    assert_int_equal(read(at(0, 0, 2), 20300 - WAY), 20300 + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 1);
}

static void in_order_of_arrival_nobody_is_overtaken(void **state)
{
    (void)state;
    config.dram_scheduling = DRAM_FCFS;
    start();
    read(at(0, 0, 0), 0);
    read(at(0, 1, 0), 0);       /* its row is opened after the column command before: WAY + 20 */
    uint64_t slow = read(at(1, 0, 0), 10);
    uint64_t fast = read(at(0, 1, 1), 20);      /* its row is open, but it came later */
    assert_int_equal(slow, WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(fast, slow + LINE_CYCLES);
    /* nor by a hit of the row that waits to be closed: the bank is opened for the fourth time */
    read(at(2, 0, 0), 30);
    assert_int_equal(read(at(1, 0, 1), 31), WAY + 3 * (TRAS + TRP) + TRCD + TCAS);
}

static void a_limited_number_of_hits_goes_before_an_older_request(void **state)
{
    (void)state;
    config.dram_row_hits = 1;
    start();
    read(at(0, 0, 0), 0);                       /* row 0 is open from WAY to WAY + TRAS */
    assert_int_equal(read(at(1, 0, 0), 14), WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(read(at(0, 0, 1), 20), 20 + WAY + TCAS);
    /* the second has its turn after the older one: row 1 stays open for tRAS */
    assert_int_equal(read(at(0, 0, 2), 24), WAY + TRAS + TRP + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 1);
    assert_int_equal(events[EVENT_DRAM_ROW_CONFLICT], 2);
}

static void a_read_is_put_off_by_a_hit_and_told(void **state)
{
    (void)state;
    start();
    read(at(0, 0, 0), 0);                       /* column at WAY + 10, and so the row until 50 */
    uint64_t told = read(at(1, 0, 0), 14);
    assert_int_equal(told, WAY + TRAS + TRP + TRCD + TCAS);
    /* a hit that comes just before the row is closed keeps it open for a line */
    assert_int_equal(read(at(0, 0, 1), 49), 49 + WAY + TCAS);
    uint64_t later_on = 49 + WAY + LINE_CYCLES + TRP + TRCD + TCAS;
    told = moved(at(1, 0, 0), told);
    assert_int_equal(told, later_on);
    /* and one after it for another */
    assert_int_equal(read(at(0, 0, 2), 50), 49 + WAY + LINE_CYCLES + TCAS);
    assert_int_equal(moved(at(1, 0, 0), told), later_on + LINE_CYCLES);
}

static void a_read_that_has_its_command_is_not_put_off(void **state)
{
    (void)state;
    struct dram_change change;
    start();
    read(at(0, 0, 0), 0);
    read(at(1, 0, 0), 14);                      /* the row is closed at WAY + 50 */
    assert_int_equal(read(at(0, 0, 1), 51), WAY + TRAS + TRP + TRAS + TRP + TRCD + TCAS);
    assert_false(dram_next_change(&dram, &change));
}

static void a_read_that_finds_the_queue_full_waits_for_a_place(void **state)
{
    (void)state;
    config.dram_queue = 2;
    start();
    read(at(0, 0, 0), 0);                       /* column at WAY + 10 */
    read(at(1, 0, 0), 0);                       /* at WAY + 80 */
    /* has a place from WAY + 10 on, where its bank is free */
    assert_int_equal(read(at(0, 1, 0), 0), WAY + TRCD + TRCD + TCAS);
    /* has one when that has its column, at WAY + 20 */
    assert_int_equal(read(at(0, 2, 0), 0), WAY + 2 * TRCD + TRCD + TCAS);
}

static void rows_are_counted_as_they_were_found(void **state)
{
    (void)state;
    uint64_t seed = 5, now = 0, all = 0;
    start();
    for (unsigned i = 0; i < 3000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        now += seed >> 61;
        read((seed >> 20 & 0xff) * LINE, now);
        all++;
        assert_int_equal(events[EVENT_DRAM_ROW_HIT] + events[EVENT_DRAM_ROW_CLOSED] +
                         events[EVENT_DRAM_ROW_CONFLICT], all);
    }
    /* refreshes that were put off are made up for, and never more than the number that can wait */
    assert_int_equal(dram.owed[0] + dram.owed[1] + dram.owed[2], 0);
    for (unsigned i = 0; i < DRAM_ROWS; i++)
        assert_true(dram.owed[i] <= 32 && dram.owed[i] >= -32);
}

static void an_activation_waits_for_the_one_before_and_the_fourth_before(void **state)
{
    (void)state;
    config.dram_banks = 8;
    config.dram_trrd = 7;
    config.dram_tfaw = 40;
    start();
    const uint64_t activated[] = {0, 7, 14, 21, 40, 47};
    for (unsigned bank = 0; bank < 6; bank++)
        assert_int_equal(read((uint64_t)bank * ROW, 1), 1 + WAY + activated[bank] + TRCD + TCAS);
}

static void a_row_is_closed_when_reads_and_writes_have_recovered(void **state)
{
    (void)state;
    config.dram_trtp = 60;
    start();
    read(at(0, 0, 0), 0);                       /* column at WAY + 10: closed 60 later */
    assert_int_equal(read(at(1, 0, 0), 20), WAY + TRCD + 60 + TRP + TRCD + TCAS);
    dram_free(&dram);
    config.dram_trtp = 0;
    config.dram_tcwl = 80;
    config.dram_twr = 15;
    use_queue(1, 0);
    write(at(0, 0, 0), 0);                      /* column at WAY + 10, data 90 to 94 */
    assert_int_equal(read(at(1, 0, 0), 20),
                     WAY + TRCD + 80 + LINE_CYCLES + 15 + TRP + TRCD + TCAS);
}

static void a_read_waits_after_the_data_of_a_write(void **state)
{
    (void)state;
    config.dram_twtr = 6;
    use_queue(1, 0);
    write(at(0, 0, 0), 0);                      /* data from WAY + 110 to 114 */
    assert_int_equal(read(at(0, 0, 1), 20), WAY + TRCD + TCAS + LINE_CYCLES + 6 + TCAS);
}

/* The pins carry one line at a time, and no request is served before it was made. */
static void random_accesses_never_overlap_on_the_pins(void **state)
{
    (void)state;
    static uint64_t begin[4000], line[4000];
    struct dram_change change;
    uint64_t seed = 7, now = 0;
    start();
    for (unsigned i = 0; i < 4000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        now += seed >> 60;
        line[i] = (seed >> 20 & 0xff) * LINE;
        begin[i] = read(line[i], now);
        assert_true(begin[i] >= now + WAY + TCAS);
        while (dram_next_change(&dram, &change)) {
            unsigned j = i - 1;         /* of one line the last that was told so */
            while (line[j] != change.pa || begin[j] != change.from)
                j--;
            begin[j] = change.to;
        }
    }
    for (unsigned i = 0; i < 4000; i++)
        for (unsigned j = i < 80 ? 0 : i - 80; j < i; j++)
            assert_true(begin[i] >= begin[j] + LINE_CYCLES || begin[j] >= begin[i] + LINE_CYCLES);
    assert_true(events[EVENT_DRAM_ROW_HIT] > 100 && events[EVENT_DRAM_ROW_CONFLICT] > 100);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(fixed_memory_takes_its_latency_whatever_it_did_before),
        CASE(a_read_of_fixed_memory_begins_with_the_next_slot_that_is_free),
        CASE(a_closed_row_is_opened_and_then_is_hit),
        CASE(another_row_of_the_bank_is_precharged_first),
        CASE(a_row_stays_open_for_tras),
        CASE(hits_follow_each_other_by_the_time_of_a_line),
        CASE(banks_work_side_by_side_and_share_the_pins),
        CASE(channels_share_nothing),
        CASE(ranks_are_more_banks),
        CASE(the_read_that_is_ready_first_gets_the_pins_first),
        CASE(a_hit_of_the_open_row_overtakes_a_read_that_waits_to_close_it),
        CASE(a_closed_policy_precharges_after_every_access),
        CASE(a_refresh_makes_accesses_wait_and_closes_rows),
        CASE(in_order_of_arrival_nobody_is_overtaken),
        CASE(a_limited_number_of_hits_goes_before_an_older_request),
        CASE(a_read_is_put_off_by_a_hit_and_told),
        CASE(a_read_that_has_its_command_is_not_put_off),
        CASE(a_read_that_finds_the_queue_full_waits_for_a_place),
        CASE(rows_are_counted_as_they_were_found),
        CASE(an_activation_waits_for_the_one_before_and_the_fourth_before),
        CASE(a_row_is_closed_when_reads_and_writes_have_recovered),
        CASE(a_read_waits_after_the_data_of_a_write),
        CASE(random_accesses_never_overlap_on_the_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
