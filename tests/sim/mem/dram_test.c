/* Memory behind the bus: rows, banks, refresh; every time is computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/pmu.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"
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
    dram.clock = now;
    return dram_read(&dram, pa, now, events);
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

static void a_read_of_fixed_memory_begins_with_the_next_slot_that_is_free(void **state)
{
    (void)state;
    config.dram_kind = DRAM_FIXED;
    config.dram_cycles = 7;
    config.dram_slot_cycles = 100;
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

static uint64_t write(uint64_t pa, uint64_t now)
{
    dram.clock = now;
    return dram_write(&dram, pa, now, events);
}

static void in_order_of_arrival_nobody_is_overtaken(void **state)
{
    (void)state;
    config.dram_scheduling = DRAM_FCFS;
    start();
    read(at(0, 0, 0), 0);
    read(at(0, 1, 0), 0);       /* its row is opened behind the column command before: WAY + 20 */
    uint64_t slow = read(at(1, 0, 0), 10);
    uint64_t fast = read(at(0, 1, 1), 20);      /* its row is open, but it came later */
    assert_int_equal(slow, WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(fast, slow + LINE_CYCLES);
    /* nor by a hit of the row that waits to be closed: the bank is opened for the fourth time */
    read(at(2, 0, 0), 30);
    assert_int_equal(read(at(1, 0, 1), 31), WAY + 3 * (TRAS + TRP) + TRCD + TCAS);
}

static void so_many_hits_go_before_an_older_request(void **state)
{
    (void)state;
    config.dram_row_hits = 1;
    start();
    read(at(0, 0, 0), 0);                       /* row 0 is open from WAY to WAY + TRAS */
    assert_int_equal(read(at(1, 0, 0), 14), WAY + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(read(at(0, 0, 1), 20), 20 + WAY + TCAS);
    /* the second has its turn behind the older one: row 1 stays open for tRAS */
    assert_int_equal(read(at(0, 0, 2), 24), WAY + TRAS + TRP + TRAS + TRP + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 1);
    assert_int_equal(events[EVENT_DRAM_ROW_CONFLICT], 2);
}

/* ---- the write queue ------------------------------------------------------------------------- */

enum { TURN = 30 };

static void use_queue(uint32_t high, uint32_t low)
{
    config.dram_write_high = high;
    config.dram_write_low = low;
    config.dram_turnaround = TURN;
    start();
}

static void writes_wait_and_what_is_read_comes_from_the_queue(void **state)
{
    (void)state;
    use_queue(4, 1);
    assert_int_equal(write(at(0, 0, 0), 0), WAY);
    assert_int_equal(write(at(0, 0, 0), 5), 5 + WAY);           /* joins the first */
    assert_int_equal(read(at(0, 0, 0), 10), 10 + WAY);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 0);
    /* one is left waiting however long there is nothing to do: its bank is untouched */
    assert_int_equal(read(at(9, 0, 0), 2000), 2000 + WAY + TRCD + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 1);
}

static void the_high_watermark_starts_a_batch_that_hits_first(void **state)
{
    (void)state;
    use_queue(4, 1);
    write(at(5, 0, 0), 0);
    write(at(6, 0, 0), 0);
    write(at(5, 0, 1), 0);
    write(at(5, 0, 2), 0);
    /* Row 5 is opened at WAY: column commands at WAY + 10, 14, 18; row 6 is left. The last data end
     * at WAY + 122; then the pins turn. */
    uint64_t end = WAY + TRCD + TCAS + 3 * LINE_CYCLES;
    assert_int_equal(read(at(0, 1, 0), 5), end + TURN);         /* ready at WAY + 115 */
    assert_int_equal(read(at(0, 1, 1), 5), end + TURN + LINE_CYCLES);
    assert_int_equal(read(at(6, 0, 0), 6), 6 + WAY);            /* still in the queue */
    assert_int_equal(read(at(6, 0, 0), 5000), 5000 + WAY);      /* however long */
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 2);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 3);
    assert_int_equal(events[EVENT_DRAM_ROW_CONFLICT], 0);
}

/* The row of the read was opened when the batch begins. */
static void a_batch_begins_behind_the_reads_that_were_begun(void **state)
{
    (void)state;
    use_queue(2, 0);
    uint64_t promised = read(at(0, 0, 0), 0);
    assert_int_equal(promised, WAY + TRCD + TCAS);
    write(at(0, 0, 1), 1);
    write(at(0, 0, 2), 2);
    /* column commands at WAY + 14, 18, but the pins turn first */
    uint64_t begin = promised + LINE_CYCLES + TURN;
    assert_int_equal(read(at(0, 0, 3), 3), begin + 2 * LINE_CYCLES + TURN);
    assert_int_equal(read(at(0, 0, 4), 5000), 5000 + WAY + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 4);
}

/* The read that comes last among the changes told since. */
static uint64_t moved(uint64_t pa, uint64_t told)
{
    struct dram_change change;
    while (dram_next_change(&dram, &change))
        if (change.pa == pa) {
            assert_int_equal(change.from, told);
            told = change.to;
        }
    return told;
}

static void a_batch_goes_before_a_read_that_waits(void **state)
{
    (void)state;
    use_queue(2, 0);
    read(at(0, 0, 0), 0);                       /* bank 0: row 0 open from WAY to WAY + TRAS */
    uint64_t waits = read(at(1, 0, 0), 1);
    assert_int_equal(waits, WAY + TRAS + TRP + TRCD + TCAS);
    write(at(0, 1, 0), 20);
    write(at(0, 1, 1), 21);
    /* Two lines are written when the pins have turned; they turn again for the read, for which no
     * row was opened yet. */
    uint64_t written = WAY + TRCD + TCAS + LINE_CYCLES + TURN + 2 * LINE_CYCLES;
    assert_int_equal(moved(at(1, 0, 0), waits), written + TURN);
    assert_int_equal(read(at(2, 2, 0), 5000), 5000 + WAY + TRCD + TCAS);
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
    /* and one behind it for another */
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

static void one_that_finds_the_queue_full_waits_for_a_place(void **state)
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
    /* what is owed is paid back: never more than what can wait at a time */
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

static void a_read_waits_behind_the_data_of_a_write(void **state)
{
    (void)state;
    config.dram_twtr = 6;
    use_queue(1, 0);
    write(at(0, 0, 0), 0);                      /* data from WAY + 110 to 114 */
    assert_int_equal(read(at(0, 0, 1), 20), WAY + TRCD + TCAS + LINE_CYCLES + 6 + TCAS);
}

static void what_is_above_the_low_watermark_is_written_while_nothing_is_read(void **state)
{
    (void)state;
    use_queue(4, 0);
    write(at(0, 0, 0), 0);                      /* begun at WAY, its column command at WAY + 10 */
    write(at(0, 0, 1), 0);                      /* begun when the next command can go: WAY + 14 */
    /* A read that comes between the two goes before the second. */
    assert_int_equal(read(at(0, 1, 0), 12), WAY + TRCD + TCAS + LINE_CYCLES + TURN);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 2);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 0);
    /* The second is written behind it, before this one comes: a hit, as this. */
    assert_int_equal(read(at(0, 0, 2), 1000), 1000 + WAY + TCAS);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 2);
}

/* Four writes of which the oldest is the conflict: hits, conflicts. */
static void assert_batch(uint32_t row_hits, enum dram_scheduling how, unsigned hits,
                         unsigned conflicts)
{
    memset(events, 0, sizeof events);
    config.dram_row_hits = row_hits;
    config.dram_scheduling = how;
    use_queue(4, 0);
    read(at(5, 0, 0), 0);
    write(at(6, 0, 0), 1);
    write(at(5, 0, 1), 2);
    write(at(5, 0, 2), 3);
    write(at(5, 0, 3), 4);
    read(at(5, 1, 0), 5000);                    /* another bank, when all are done */
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 2);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], hits);
    assert_int_equal(events[EVENT_DRAM_ROW_CONFLICT], conflicts);
    dram_free(&dram);
}

static void a_batch_lets_so_many_hits_go_before_its_oldest(void **state)
{
    (void)state;
    assert_batch(0, DRAM_FR_FCFS, 3, 1);        /* three hits of row 5, then row 6 */
    assert_batch(1, DRAM_FR_FCFS, 2, 2);        /* one, row 6, row 5 again and its hit */
    assert_batch(2, DRAM_FR_FCFS, 2, 2);        /* two, row 6, row 5 */
    assert_batch(0, DRAM_FCFS, 2, 2);           /* row 6, row 5 and two hits */
    start();
}

/* The pins carry one line at a time, and nobody is served before it asked. */
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
        CASE(who_is_ready_first_gets_the_pins_first),
        CASE(a_hit_of_the_open_row_overtakes_who_waits_to_close_it),
        CASE(a_closed_policy_precharges_after_every_access),
        CASE(a_refresh_makes_accesses_wait_and_closes_rows),
        CASE(in_order_of_arrival_nobody_is_overtaken),
        CASE(so_many_hits_go_before_an_older_request),
        CASE(writes_wait_and_what_is_read_comes_from_the_queue),
        CASE(the_high_watermark_starts_a_batch_that_hits_first),
        CASE(a_batch_begins_behind_the_reads_that_were_begun),
        CASE(a_batch_goes_before_a_read_that_waits),
        CASE(a_read_is_put_off_by_a_hit_and_told),
        CASE(a_read_that_has_its_command_is_not_put_off),
        CASE(one_that_finds_the_queue_full_waits_for_a_place),
        CASE(rows_are_counted_as_they_were_found),
        CASE(an_activation_waits_for_the_one_before_and_the_fourth_before),
        CASE(a_row_is_closed_when_reads_and_writes_have_recovered),
        CASE(a_read_waits_behind_the_data_of_a_write),
        CASE(what_is_above_the_low_watermark_is_written_while_nothing_is_read),
        CASE(a_batch_lets_so_many_hits_go_before_its_oldest),
        CASE(random_accesses_never_overlap_on_the_pins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
