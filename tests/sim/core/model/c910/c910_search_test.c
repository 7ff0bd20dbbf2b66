/* Loads that search the queues after their issue, on loops counted by hand. A round begins with
 * x13 at cycle t; its store is issued at t + 1. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

#define SEARCH "c910.search_cycles=3", "lsq.store_data=separate", "lsq.speculation=blind", \
               "latency.load=3"

enum { MV = 0x13 };

static uint32_t mv(uint32_t rd, uint32_t rs)
{
    return MV | rd << 7 | rs << 15;
}

static uint32_t store_byte(uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return store(rs2, rs1, imm) & ~(UINT32_C(7) << 12);
}

/* The load is issued `distance` cycles after the store. */
static uint64_t round_of(unsigned distance)
{
    uint32_t body[8] = {add(14, 9, 13), store(6, 14, 0)};
    unsigned length = 2;
    for (unsigned i = 0; i < distance; i++)
        body[length++] = mv(14, 14);
    body[length++] = load(13, 14, 0);
    return warm_cycles(SETTINGS(SEARCH), body, length);
}

static void a_load_takes_early_data_as_from_the_cache(void **state)
{
    (void)state;
    assert_int_equal(round_of(0), 800);     /* issued again after four cycles, then three */
    assert_int_equal(round_of(1), 900);     /* as the data come: the issue is in vain */
    assert_int_equal(round_of(2), 600);
    assert_int_equal(round_of(3), 700);
}

static void a_load_waits_for_data_that_are_not_on_their_way(void **state)
{
    (void)state;
    const uint32_t body[] = {add(14, 9, 13), mul(12, 13, 7), store(12, 14, 0), mv(15, 14),
                             load(13, 15, 0)};
    /* The load searches at t + 5; the data are issued when the product is ready, at t + 3 at the
     * earliest, and are in the queue two cycles later. */
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, "latency.mul=3"), body, 5), 900);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, "latency.mul=4"), body, 5), 900);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, "latency.mul=5"), body, 5), 1100);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, "latency.mul=12"), body, 5), 1800);
}

static void a_load_of_more_than_the_store_waits_until_it_has_left(void **state)
{
    (void)state;
    const uint32_t body[] = {add(14, 9, 13), store_byte(6, 14, 0), mv(15, 14), load(13, 15, 0)};
    /* The store leaves with its data at t + 7, and the load is issued at t + 9. */
    assert_int_equal(warm_cycles(SETTINGS(SEARCH), body, 4), 1200);
    /* or when it commits, at t + 22 */
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, "latency.store=20"), body, 4), 2700);
}

static void the_queue_hears_of_a_commit_a_cycle_later(void **state)
{
    (void)state;
    /* The load waits until the store has left. The store leaves at its commit if it was already the
     * oldest instruction, or if the group that committed a cycle earlier had room for it. It leaves
     * a cycle later if that group was full, or if older instructions commit in its own cycle. */
    const uint32_t one[] = {add(14, 9, 13), store_byte(6, 14, 0), mv(15, 14), load(13, 15, 0)};
    const uint32_t two[] = {add(14, 9, 13), store(6, 14, 128), store_byte(6, 14, 0), mv(15, 14),
                            load(13, 15, 0)};
#define DRAINS SEARCH, "c910.drain_spare=true", "c910.merge_bytes=16", "latency.store=20"
    assert_int_equal(warm_cycles(SETTINGS(DRAINS), one, 4), 2700);
    assert_int_equal(warm_cycles(SETTINGS(DRAINS), two, 5), 2800);
    assert_int_equal(warm_cycles(SETTINGS(DRAINS, "commit.width=1"), two, 5), 2900);
}

static void a_load_that_passed_a_store_makes_the_store_fail(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(12, 6, 7), mul(12, 12, 7), add(14, 9, 12), store(6, 14, 0),
                             load(13, 9, 0)};
    uint64_t failed = loop_events_with(SETTINGS(SEARCH), body, 5, 300, EVENT_ORDER_VIOLATIONS);
    uint64_t now = warm_cycles(SETTINGS(SEARCH), body, 5);
    uint64_t later = warm_cycles(SETTINGS(SEARCH, "c910.flush_cycles=5"), body, 5);
    assert_in_range(failed, 290, 300);
    assert_int_equal(later - now, 500);
}

static void an_older_load_after_a_younger_one_fails(void **state)
{
    (void)state;
    /* The address of the first load is late. */
    const uint32_t body[] = {mul(12, 6, 7), mul(12, 12, 7), add(14, 9, 12), load(13, 14, 0),
                             load(15, 9, 0)};
    const uint32_t other[] = {mul(12, 6, 7), mul(12, 12, 7), add(14, 9, 12), load(13, 14, 0),
                              load(15, 9, 8)};
    assert_in_range(loop_events_with(SETTINGS(SEARCH), body, 5, 300, EVENT_ORDER_VIOLATIONS),
                    290, 300);
    assert_int_equal(loop_events_with(SETTINGS(SEARCH), other, 5, 300, EVENT_ORDER_VIOLATIONS), 0);
}

static void data_of_stores_share_a_port(void **state)
{
    (void)state;
    const uint32_t body[] = {store(6, 9, 0), store(6, 9, 8), store(6, 9, 16), store(6, 9, 24)};
    const char *ports = "issue.ports=int+branch int+complex load store store fp";
    assert_int_equal(warm_cycles(SETTINGS(ports, "unit.stores=2", "lsq.store_data=separate",
                                          "lsq.speculation=blind"), body, 4), 200);
    assert_int_equal(warm_cycles(SETTINGS(ports, "unit.stores=2", SEARCH), body, 4), 400);
}

static void stores_to_one_part_of_a_line_drain_together(void **state)
{
    (void)state;
    /* Two loads and two stores of a round share the port of the cache. The second store goes there
     * with the first if it has left the queue by then, and so may the stores of the next round. */
    const uint32_t near[] = {store(6, 9, 0), store(6, 9, 8), load(13, 9, 64), load(14, 9, 72)};
    const uint32_t apart[] = {store(6, 9, 0), store(6, 9, 16), load(13, 9, 64), load(14, 9, 72)};
    const char *port = "l1d.ports=1", *wait = "lsq.drain_cycles=3";
    const char *merge = "c910.store_merge=true";
    const char *eight = "c910.merge_bytes=8", *sixteen = "c910.merge_bytes=16";
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, port, wait), near, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, port, wait, merge, eight), near, 4),
                     400);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, port, wait, merge, sixteen), apart,
                                 4), 400);
    assert_in_range(warm_cycles(SETTINGS(SEARCH, port, wait, merge, sixteen), near, 4),
                    200, 300);
}

static void a_load_keeps_its_place_until_it_was_at_the_search(void **state)
{
    (void)state;
    const uint32_t body[] = {load(11, 9, 0), load(12, 9, 8), load(13, 9, 16), load(14, 9, 24)};
    const char *place = "issue.mem_queue=1", *release = "issue.release_cycles=1";
    assert_int_equal(warm_cycles(SETTINGS(place, release, "lsq.store_data=separate",
                                          "lsq.speculation=blind"), body, 4), 800);
    assert_int_equal(warm_cycles(SETTINGS(SEARCH, place, release), body, 4), 2000);
}

/* A branch that is always mispredicted waits for the second load, of -1. This load can pass the
 * queue although the first load is in it, because the first load waits until a store leaves, and
 * not for its issue. */
static void a_queue_of_loads_that_wait_is_passed(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned passes = 0; passes < 2; passes++) {
        struct rig *rig = rig_new();
        const char *const *settings = SETTINGS(SEARCH, "bpred.kind=not_taken");
        for (; *settings != NULL; settings++)
            rig_set(rig, *settings);
        rig_set(rig, passes ? "c910.queue_bypass=true" : "c910.queue_bypass=false");
        emit(rig, addi(5, 0, 100));
        emit(rig, addi(6, 0, -1));
        emit(rig, store(6, 9, 64));
        emit(rig, store_byte(6, 9, 0));
        emit(rig, load(12, 9, 0));
        for (unsigned i = 0; i < 12; i++)
            emit(rig, addi(10, 0, 1));
        emit(rig, load(13, 9, 64));
        emit(rig, add(5, 5, 13));
        emit(rig, bne(5, 0, -4 * 16));
        cycles[passes] = run(rig, 3 + 100 * 17);
        rig_free(rig);
    }
    assert_in_range(cycles[0] - cycles[1], 90, 101);
}

static void calls_commit_first(void **state)
{
    (void)state;
    /* After a division everything is done when the division commits. The next division is the third
     * instruction that waits for room: two calls have to commit with the first division, at once or
     * one a cycle. */
    uint32_t body[8] = {divide(12, 6, 7)};
    for (unsigned i = 1; i < 8; i++)
        body[i] = 0x004000ef;           /* jal ra, 4 */
    const char *rob = "rob.entries=8", *width = "commit.width=8";
    uint64_t any = warm_cycles(SETTINGS(rob, width, "latency.div=20"), body, 8);
    uint64_t first = warm_cycles(SETTINGS(rob, width, "latency.div=20",
                                          "c910.redirects_first=true"), body, 8);
    assert_int_equal(first - any, 200);
}

static void loads_that_search_late_find_stores_without_data(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("c910.search_cycles=3", "lsq.speculation=blind")),
                        "c910.search_cycles = 3 needs lsq.store_data = separate");
    assert_string_equal(refused(SETTINGS(SEARCH, "latency.load=2")),
                        "latency.load = 2: expected at least 3, as c910.search_cycles");
}

static void a_write_queue_is_after_a_late_search(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("c910.drain_spare=true", "c910.merge_bytes=16")),
                        "c910.drain_spare = true needs c910.search_cycles");
    assert_string_equal(refused(SETTINGS(SEARCH, "c910.drain_spare=true", "c910.merge_bytes=16",
                                         "c910.store_buffer=2")),
                        "c910.store_buffer = 2: expected at least 3, with c910.drain_spare");
    assert_string_equal(refused(SETTINGS(SEARCH, "c910.drain_spare=true", "c910.store_buffer=8",
                                         "c910.merge_bytes=128")),
                        "c910.drain_spare = true needs c910.merge_bytes = 8|16|32|64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_search_late_find_stores_without_data),
        cmocka_unit_test(a_write_queue_is_after_a_late_search),
        cmocka_unit_test(a_load_takes_early_data_as_from_the_cache),
        cmocka_unit_test(a_load_waits_for_data_that_are_not_on_their_way),
        cmocka_unit_test(a_load_of_more_than_the_store_waits_until_it_has_left),
        cmocka_unit_test(the_queue_hears_of_a_commit_a_cycle_later),
        cmocka_unit_test(a_load_that_passed_a_store_makes_the_store_fail),
        cmocka_unit_test(an_older_load_after_a_younger_one_fails),
        cmocka_unit_test(data_of_stores_share_a_port),
        cmocka_unit_test(stores_to_one_part_of_a_line_drain_together),
        cmocka_unit_test(a_load_keeps_its_place_until_it_was_at_the_search),
        cmocka_unit_test(a_queue_of_loads_that_wait_is_passed),
        cmocka_unit_test(calls_commit_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
