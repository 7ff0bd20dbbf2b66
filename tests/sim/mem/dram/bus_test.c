/* The memory bus: beats, reads in flight, the order of requests; every time is computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "sim/base/config.h"
#include "sim/mem/dram/bus.h"

enum { LATENCY = 100, LINE = 32, BEATS = 8 };       /* of four bytes each */

static struct bus bus;
static struct config config;
static uint64_t events[EVENT_COUNT];

static int set_up(void **state)
{
    (void)state;
    memset(events, 0, sizeof events);
    config_init(&config);
    config.dram_cycles = LATENCY;
    config.dram_line_cycles = 8;
    config.bus_bytes = 4;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bus_free(&bus);
    return 0;
}

static void start(void)
{
    assert_true(bus_init(&bus, &config));
}

static struct bus_request request(uint64_t now, bool is_fetch)
{
    return (struct bus_request){.now = now, .events = events, .bytes = LINE, .is_fetch = is_fetch};
}

static uint64_t read(uint64_t now)
{
    struct bus_request data = request(now, false);
    return bus_read(&bus, &data);
}

static uint64_t fetch(uint64_t now)
{
    struct bus_request instructions = request(now, true);
    return bus_read(&bus, &instructions);
}

static uint64_t write(uint64_t now)
{
    struct bus_request data = request(now, false);
    return bus_write(&bus, &data);
}

/* ---- a line as a whole ----------------------------------------------------------------------- */

static void without_a_width_a_read_takes_the_latency_and_the_bus_the_time_of_a_line(void **state)
{
    (void)state;
    config.bus_bytes = 0;
    start();
    assert_int_equal(read(0), LATENCY);
    assert_int_equal(read(0), LATENCY + 8);
    assert_int_equal(read(3), LATENCY + 16);
    assert_int_equal(read(24), LATENCY + 24);
    assert_int_equal(bus_beat_cycles(&bus), 0);
    assert_int_equal(events[EVENT_BUS_BUSY], 4 * 8);
}

static void without_a_width_writes_and_metadata_delay_the_next_read(void **state)
{
    (void)state;
    config.bus_bytes = 0;
    start();
    write(10);
    assert_int_equal(read(10), 18 + LATENCY);
    assert_int_equal(bus_metadata(&bus, 100, 64, events), 100 + 64 + LATENCY);
    assert_int_equal(read(110), 164 + LATENCY);
}

static void without_a_width_a_written_line_may_take_another_time(void **state)
{
    (void)state;
    config.bus_bytes = 0;
    config.part_line_write_cycles = 5;
    start();
    write(10);
    assert_int_equal(read(10), 15 + LATENCY);
    write(15);
    assert_int_equal(read(20), 28 + LATENCY);
}

static void a_line_of_no_cycles_makes_the_bus_infinitely_fast(void **state)
{
    (void)state;
    config.bus_bytes = 0;
    config.dram_line_cycles = 0;
    start();
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(read(7), 7 + LATENCY);
}

/* ---- beats ----------------------------------------------------------------------------------- */

static void reads_in_flight_overlap_their_latencies_and_share_the_data_lines(void **state)
{
    (void)state;
    start();
    assert_int_equal(read(0), LATENCY);
    assert_int_equal(read(0), LATENCY + BEATS);
    assert_int_equal(read(50), 50 + LATENCY);
    assert_int_equal(events[EVENT_BUS_BUSY], 3 * BEATS);
}

static void a_slower_bus_takes_its_beats_longer(void **state)
{
    (void)state;
    config.bus_beat_cycles = 3;
    start();
    read(0);
    assert_int_equal(read(0), LATENCY + 3 * BEATS);
    assert_int_equal(bus_beat_cycles(&bus), 3);
}

static void a_serialised_bus_begins_a_read_when_the_last_has_come(void **state)
{
    (void)state;
    config.bus_reads = 1;
    start();
    assert_int_equal(read(0), LATENCY);
    assert_int_equal(read(0), LATENCY + BEATS + LATENCY);
    assert_int_equal(read(1000), 1000 + LATENCY);
}

static void of_two_reads_in_flight_the_third_waits_for_the_first(void **state)
{
    (void)state;
    config.bus_reads = 2;
    start();
    read(0);
    assert_int_equal(read(4), LATENCY + BEATS);
    assert_int_equal(read(4), LATENCY + BEATS + LATENCY);
}

static void a_write_takes_the_data_lines_unless_it_has_its_own(void **state)
{
    (void)state;
    for (unsigned has_channel = 0; has_channel <= 1; has_channel++) {
        config.bus_write_channel = has_channel;
        start();
        assert_int_equal(write(LATENCY), LATENCY + BEATS);
        assert_int_equal(write(LATENCY), LATENCY + 2 * BEATS);
        assert_int_equal(read(0), LATENCY + (has_channel ? 0 : 2 * BEATS));
        bus_free(&bus);
    }
}

static void beats_of_writes_may_have_a_length_of_their_own(void **state)
{
    (void)state;
    config.bus_write_channel = 1;
    config.part_write_beat_cycles = 3 * config.bus_beat_cycles;
    start();
    assert_int_equal(write(0), 3 * BEATS);
    assert_int_equal(read(0), LATENCY);
}

/* ---- who goes first -------------------------------------------------------------------------- */

/* Four slots. The write that goes where a write of the same number (they are even and odd in turn)
 * was four requests before is taken for done. */
static void a_write_seems_done_when_its_slot_held_one_of_its_number(void **state)
{
    (void)state;
    config.part_reply_slots = 4;
    start();
    static const bool seems_done[] = {false, false, true, true, true};
    for (unsigned i = 0; i < 5; i++) {          /* writes and reads in turn: two writes a turn */
        assert_int_equal(bus_write_seems_done(&bus), seems_done[i]);
        read(100 * i);
    }
    read(600);                                  /* now writes go where reads were */
    assert_false(bus_write_seems_done(&bus));
}

static void first_come_first_served_asks_nobody(void **state)
{
    (void)state;
    config.bus_reads = 1;
    start();
    for (unsigned i = 0; i < 3; i++)
        read(0);
    assert_int_equal(fetch(0), 3 * (LATENCY + BEATS) + LATENCY);
}

static void the_favoured_kind_goes_before_all_that_wait(void **state)
{
    enum { TURN = LATENCY + BEATS };
    (void)state;
    config.bus_reads = 1;
    config.part_arbitration = ARBITER_FETCH_FIRST;
    start();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(read(0), i * TURN + LATENCY);
    assert_int_equal(fetch(10), TURN + LATENCY);            /* after the one under way */
    assert_int_equal(fetch(20), 2 * TURN + LATENCY);        /* and after its own kind */
    assert_int_equal(read(30), 5 * TURN + LATENCY);         /* no turn is lost or given twice */
}

/* Lines of three cycles, each asked for at a place of its own. */
static uint64_t ask(uint64_t pa, uint64_t now, bool is_fetch)
{
    struct bus_request line = request(now, is_fetch);
    line.pa = pa;
    return bus_read(&bus, &line);
}

static void assert_move(uint64_t pa, uint64_t from, uint64_t to)
{
    struct dram_change change;
    assert_true(dram_next_change(&bus.dram, &change));
    assert_int_equal(change.pa, pa);
    assert_int_equal(change.from, from);
    assert_int_equal(change.to, to);
}

/* Data ask for cycles 10 and 13 in advance. A fetch of cycle 5 is in no request's way. A fetch of
 * cycle 9 takes 9 to 11, and both reads of data go after it; a request that has begun is not put
 * off. */
static void an_overtaken_request_is_told(void **state)
{
    (void)state;
    struct dram_change change;
    config.bus_bytes = 0;
    config.dram_line_cycles = 3;
    config.part_arbitration = ARBITER_FETCH_FIRST;
    start();
    assert_int_equal(ask(0x100, 10, false), 10 + LATENCY);
    assert_int_equal(ask(0x200, 13, false), 13 + LATENCY);
    assert_int_equal(ask(0x300, 5, true), 5 + LATENCY);
    assert_false(dram_next_change(&bus.dram, &change));
    assert_int_equal(ask(0x400, 9, true), 9 + LATENCY);
    assert_move(0x200, 13 + LATENCY, 15 + LATENCY);
    assert_move(0x100, 10 + LATENCY, 12 + LATENCY);
    assert_false(dram_next_change(&bus.dram, &change));
    assert_int_equal(ask(0x500, 13, true), 15 + LATENCY);   /* 0x100 has the bus from 12 on */
    assert_move(0x200, 15 + LATENCY, 18 + LATENCY);
    assert_false(dram_next_change(&bus.dram, &change));
}

static void data_can_be_favoured_too(void **state)
{
    enum { TURN = LATENCY + BEATS };
    (void)state;
    config.bus_reads = 1;
    config.part_arbitration = ARBITER_DATA_FIRST;
    start();
    fetch(0);
    fetch(0);
    assert_int_equal(read(5), TURN + LATENCY);
    assert_int_equal(fetch(5), 3 * TURN + LATENCY);
}

static void taking_turns_lets_each_kind_go_in_its_turn(void **state)
{
    enum { TURN = LATENCY + BEATS };
    (void)state;
    config.bus_reads = 1;
    config.part_arbitration = ARBITER_ROUND_ROBIN;
    start();
    for (unsigned i = 0; i < 4; i++)
        read(0);                                            /* one under way, three wait */
    assert_int_equal(fetch(10), TURN + LATENCY);            /* its turn is next */
    assert_int_equal(fetch(20), 3 * TURN + LATENCY);        /* then one of data, then this */
    assert_int_equal(read(30), 6 * TURN + LATENCY);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(without_a_width_a_read_takes_the_latency_and_the_bus_the_time_of_a_line),
        CASE(without_a_width_writes_and_metadata_delay_the_next_read),
        CASE(without_a_width_a_written_line_may_take_another_time),
        CASE(a_line_of_no_cycles_makes_the_bus_infinitely_fast),
        CASE(reads_in_flight_overlap_their_latencies_and_share_the_data_lines),
        CASE(a_slower_bus_takes_its_beats_longer),
        CASE(a_serialised_bus_begins_a_read_when_the_last_has_come),
        CASE(of_two_reads_in_flight_the_third_waits_for_the_first),
        CASE(a_write_takes_the_data_lines_unless_it_has_its_own),
        CASE(beats_of_writes_may_have_a_length_of_their_own),
        CASE(a_write_seems_done_when_its_slot_held_one_of_its_number),
        CASE(first_come_first_served_asks_nobody),
        CASE(the_favoured_kind_goes_before_all_that_wait),
        CASE(an_overtaken_request_is_told),
        CASE(data_can_be_favoured_too),
        CASE(taking_turns_lets_each_kind_go_in_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
