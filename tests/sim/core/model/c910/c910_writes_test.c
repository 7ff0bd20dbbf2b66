/* A write buffer that uses the data cache in cycles in which no other access does, on loops counted
 * by hand. */
#include "tests/sim/core/rig.h"

#define SEARCH "c910.search_cycles=3", "lsq.store_data=separate", "lsq.speculation=blind", \
               "latency.load=3", "c910.store_buffer=8", "c910.merge_bytes=16", \
               "lsq.drain_cycles=3", "unit.loads=1", "unit.stores=1", "l1d.prefetch=none"
#define SPARE SEARCH, "c910.drain_spare=true"

enum { PLACES = 16 };

static unsigned stores_to(uint32_t *body, unsigned places, uint32_t bytes)
{
    for (unsigned i = 0; i < places; i++)
        body[i] = store(6, 9, i * bytes);
    return places;
}

static void a_write_takes_a_cycle_from_stores(void **state)
{
    (void)state;
    uint32_t body[PLACES];
    unsigned count = stores_to(body, PLACES, 64);
    /* Each store is issued in one cycle, and its entry is written in another, in which no store is
     * issued. */
    assert_int_equal(warm_cycles(SETTINGS(SEARCH), body, count), 1600);
    assert_int_equal(warm_cycles(SETTINGS(SPARE), body, count), 3200);
}

static void stores_to_the_same_entries_join_them(void **state)
{
    (void)state;
    uint32_t body[PLACES];
    /* There are as many entries as a round needs, so they are written when the loop is over. */
    assert_int_equal(warm_cycles(SETTINGS(SPARE), body, stores_to(body, 4, 16)), 400);
    /* A store that crosses entries goes there twice. */
    assert_int_equal(warm_cycles(SETTINGS(SPARE), body, stores_to(body, PLACES, 4)), 2000);
}

static void a_write_takes_a_cycle_from_loads(void **state)
{
    (void)state;
    uint32_t body[2 * PLACES], loads[PLACES];
    for (unsigned i = 0; i < PLACES; i++) {
        body[2 * i] = store(6, 9, i * 64);
        body[2 * i + 1] = loads[i] = load(13, 9, (int32_t)i * 64 + 32);
    }
    assert_int_equal(warm_cycles(SETTINGS(SPARE), loads, PLACES), 1600);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH), body, 2 * PLACES), 1600);
    assert_int_equal(warm_cycles(SETTINGS(SPARE), body, 2 * PLACES), 3200);
}

static void a_write_waits_for_a_cycle_to_spare(void **state)
{
    (void)state;
    uint32_t body[] = {store(6, 9, 0), mul(12, 12, 7), mul(12, 12, 7), store(6, 9, 64),
                       mul(12, 12, 7), mul(12, 12, 7), store(6, 9, 128)};
    uint64_t busy = loop_events_with(SETTINGS(SPARE), body, 7, 300, EVENT_L1_PORT_BUSY);
    assert_int_equal(warm_cycles(SETTINGS(SPARE), body, 7),
                     warm_cycles(SETTINGS(SEARCH), body, 7));
    assert_int_equal(busy, 0);
}

/* The number of lines that 200 rounds read, each of which stores to 64 bytes that are not in the
 * cache. */
static uint64_t reads_of(const char *run, unsigned stores, uint32_t bytes)
{
    uint32_t body[9];
    unsigned count = stores_to(body, stores, bytes);
    body[count++] = addi(9, 9, 64);
    const char *const *settings = SETTINGS(SPARE, "lsq.stores=8", run);
    return loop_events_with(settings, body, count, 200, EVENT_DRAM_READ) -
           loop_events_with(settings, body + count - 1, 1, 200, EVENT_DRAM_READ);
}

static void a_run_of_stores_goes_past_the_cache(void **state)
{
    (void)state;
    uint64_t brought = reads_of("c910.write_run=0", 8, 8);
    assert_in_range(brought, 198, 204);
    /* Eight entries are two lines. The lines of stores that commit meanwhile are read, too: the
     * store queue holds one, and the entries two. */
    assert_in_range(reads_of("c910.write_run=8", 8, 8), 2, 5);
    assert_in_range(reads_of("c910.write_run=16", 8, 8), 4, 7);
    /* With gaps there is no run. */
    assert_int_equal(reads_of("c910.write_run=8", 3, 16), reads_of("c910.write_run=0", 3, 16));
}

/* Stores to 300 lines one after the other; all but the first sixteen drive out a modified line. */
static uint64_t cycles_of_victims(const char *buffers, const char *cycles)
{
    const uint32_t body[] = {store(6, 9, 0), addi(9, 9, 64)};
    return loop_events_with(SETTINGS(SPARE, "l1d.kib=1", "l1d.ways=1", buffers, cycles), body, 2,
                            300, EVENT_CYCLES);
}

static void modified_lines_wait_for_a_buffer(void **state)
{
    (void)state;
    const char *one = "c910.victim_buffers=1", *two = "c910.victim_buffers=2";
    const char *some = "c910.victim_buffer_cycles=100", *more = "c910.victim_buffer_cycles=200";
    /* The first line finds a buffer free. The last stores are still in the store queue, which holds
     * 32, in the stage and in the entries when the program ends. */
    int waits = 300 - 16 - 1 - 32 - 1 - 8;
    assert_int_equal(cycles_of_victims(one, more) - cycles_of_victims(one, some), waits * 100);
    uint64_t halved = cycles_of_victims(two, more) - cycles_of_victims(two, some);
    assert_in_range(halved, (waits / 2 - 1) * 100, waits / 2 * 100);
    assert_int_equal(cycles_of_victims("c910.victim_buffers=0", more),
                     cycles_of_victims("c910.victim_buffers=0", some));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_takes_a_cycle_from_stores),
        cmocka_unit_test(stores_to_the_same_entries_join_them),
        cmocka_unit_test(a_write_takes_a_cycle_from_loads),
        cmocka_unit_test(a_write_waits_for_a_cycle_to_spare),
        cmocka_unit_test(a_run_of_stores_goes_past_the_cache),
        cmocka_unit_test(modified_lines_wait_for_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
