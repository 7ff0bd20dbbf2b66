/* The write queue of memory: watermarks, batches, turning pins; every time is computed by hand. */
#include "tests/sim/mem/dram/dram_rig.h"

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

/* The row of the read has already been opened when the batch begins. */
static void a_batch_begins_after_the_reads_that_were_begun(void **state)
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

static void a_batch_goes_before_a_read_that_waits(void **state)
{
    (void)state;
    use_queue(2, 0);
    read(at(0, 0, 0), 0);                       /* bank 0: row 0 open from WAY to WAY + TRAS */
    uint64_t waits = read(at(1, 0, 0), 1);
    assert_int_equal(waits, WAY + TRAS + TRP + TRCD + TCAS);
    write(at(0, 1, 0), 20);
    write(at(0, 1, 1), 21);
    /* Two lines are written when the pins have turned. The pins turn again for the read, whose row
     * has not been opened yet. */
    uint64_t written = WAY + TRCD + TCAS + LINE_CYCLES + TURN + 2 * LINE_CYCLES;
    assert_int_equal(moved(at(1, 0, 0), waits), written + TURN);
    assert_int_equal(read(at(2, 2, 0), 5000), 5000 + WAY + TRCD + TCAS);
}

static void writes_above_the_low_watermark_go_out_while_nothing_is_read(void **state)
{
    (void)state;
    use_queue(4, 0);
    write(at(0, 0, 0), 0);                      /* begun at WAY, its column command at WAY + 10 */
    write(at(0, 0, 1), 0);                      /* begun when the next command can go: WAY + 14 */
    /* A read that comes between the two goes before the second. */
    assert_int_equal(read(at(0, 1, 0), 12), WAY + TRCD + TCAS + LINE_CYCLES + TURN);
    assert_int_equal(events[EVENT_DRAM_ROW_CLOSED], 2);
    assert_int_equal(events[EVENT_DRAM_ROW_HIT], 0);
    /* The second write goes after that read, before this read comes; both are hits. */
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

static void a_batch_lets_a_limited_number_of_hits_go_before_its_oldest(void **state)
{
    (void)state;
    assert_batch(0, DRAM_FR_FCFS, 3, 1);        /* three hits of row 5, then row 6 */
    assert_batch(1, DRAM_FR_FCFS, 2, 2);        /* one, row 6, row 5 again and its hit */
    assert_batch(2, DRAM_FR_FCFS, 2, 2);        /* two, row 6, row 5 */
    assert_batch(0, DRAM_FCFS, 2, 2);           /* row 6, row 5 and two hits */
    start();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(writes_wait_and_what_is_read_comes_from_the_queue),
        CASE(the_high_watermark_starts_a_batch_that_hits_first),
        CASE(a_batch_begins_after_the_reads_that_were_begun),
        CASE(a_batch_goes_before_a_read_that_waits),
        CASE(writes_above_the_low_watermark_go_out_while_nothing_is_read),
        CASE(a_batch_lets_a_limited_number_of_hits_go_before_its_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
