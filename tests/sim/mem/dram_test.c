/* Memory behind the bus: rows, banks, refresh; every time is computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/pmu.h"
#include "sim/base/config.h"
#include "sim/mem/dram.h"

/* Round numbers, so that a time tells what it is made of. */
enum { WAY = 1000, TRCD = 10, TCAS = 100, TRP = 20, TRAS = 50, LINE_CYCLES = 4 };
enum { LINE = 64, ROW = 1024, BANKS = 4 };

static struct dram dram;
static uint64_t events[EVENT_COUNT];
static struct config config;

static int set_up(void **state)
{
    (void)state;
    memset(events, 0, sizeof events);
    config_init(&config);
    config.l2_kib = 0;
    config.dram_kind = DRAM_BANKED;
    config.dram_controller_cycles = WAY;
    config.dram_line_cycles = LINE_CYCLES;
    config.dram_row_bytes = ROW;
    config.dram_banks = BANKS;
    config.dram_trcd = TRCD;
    config.dram_tcas = TCAS;
    config.dram_trp = TRP;
    config.dram_tras = TRAS;
    config.dram_trefi = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    dram_free(&dram);
    return 0;
}

static void start(void)
{
    assert_true(dram_init(&dram, &config));
}

/* The address of a line in row `row` of bank `bank`. */
static uint64_t at(uint64_t row, uint64_t bank, uint64_t line)
{
    return (row * BANKS + bank) * ROW + line * LINE;
}

static uint64_t read(uint64_t pa, uint64_t now)
{
    return dram_access(&dram, pa, now, events);
}

static void fixed_memory_takes_its_latency_whatever_it_did_before(void **state)
{
    (void)state;
    config.dram_kind = DRAM_FIXED;
    config.dram_cycles = 77;
    start();
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(read(i * 4096, 50), 50 + 77);
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

static void who_is_ready_first_gets_the_pins_first(void **state)
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

static void a_hit_of_the_open_row_overtakes_who_waits_to_close_it(void **state)
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

/* The pins carry one line at a time, and nobody is served before it asked. */
static void random_accesses_never_overlap_on_the_pins(void **state)
{
    (void)state;
    static uint64_t begin[4000];
    uint64_t seed = 7, now = 0;
    start();
    for (unsigned i = 0; i < 4000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        now += seed >> 60;
        begin[i] = read((seed >> 20 & 0xff) * LINE, now);
        assert_true(begin[i] >= now + WAY + TCAS);
        for (unsigned j = i < 40 ? 0 : i - 40; j < i; j++)
            assert_true(begin[i] >= begin[j] + LINE_CYCLES || begin[j] >= begin[i] + LINE_CYCLES);
    }
    assert_true(events[EVENT_DRAM_ROW_HIT] > 100 && events[EVENT_DRAM_ROW_CONFLICT] > 100);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(fixed_memory_takes_its_latency_whatever_it_did_before),
        CASE(a_closed_row_is_opened_and_then_is_hit),
        CASE(another_row_of_the_bank_is_precharged_first),
        CASE(a_row_stays_open_for_tras),
        CASE(hits_follow_each_other_by_the_time_of_a_line),
        CASE(banks_work_side_by_side_and_share_the_pins),
        CASE(channels_share_nothing),
        CASE(ranks_are_more_banks),
        CASE(who_is_ready_first_gets_the_pins_first),
        CASE(a_hit_of_the_open_row_overtakes_who_waits_to_close_it),
        CASE(a_closed_policy_precharges_after_every_access),
        CASE(a_refresh_makes_accesses_wait_and_closes_rows),
        CASE(random_accesses_never_overlap_on_the_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
