/* RSD: loads that passed a store, stores that miss, and the settings that its settings need. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

/* A store whose address takes two multiplications, and a load from there: 200 rounds. */
static uint64_t events_of_rounds(const char *const *settings, unsigned code)
{
    const uint32_t body[] = {mul(29, 6, 6), mul(29, 29, 29), addi(29, 29, -1), add(30, 9, 29),
                             store(5, 30, 0), load(7, 9, 0), addi(5, 5, -1), bne(5, 0, -28)};
    struct rig *rig = rig_new();
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    emit(rig, addi(5, 0, 200));
    emit(rig, addi(6, 0, 1));
    for (unsigned i = 0; i < sizeof body / sizeof body[0]; i++)
        emit(rig, body[i]);
    run(rig, 5 + 200 * sizeof body / sizeof body[0]);
    uint64_t count = event(rig, code);
    rig_free(rig);
    return count;
}

static void a_violation_may_take_all_after_the_store(void **state)
{
    (void)state;
    assert_true(events_of_rounds(SETTINGS("lsq.speculation=blind", "rsd.violation_from=store"),
                                 EVENT_ORDER_VIOLATIONS) > 60);
}

static void a_violation_found_late_keeps_the_load_from_commit(void **state)
{
    (void)state;
    const char *const from[] = {"rsd.violation_from=load", "rsd.violation_from=store"};
    for (unsigned i = 0; i < 2; i++) {
        const char *const *soon = SETTINGS("lsq.speculation=blind", from[i]);
        const char *const *late =
            SETTINGS("lsq.speculation=blind", from[i], "rsd.violation_cycles=16");
        uint64_t count = events_of_rounds(late, EVENT_ORDER_VIOLATIONS);
        assert_true(count > 60);
        assert_in_range(events_of_rounds(late, EVENT_CYCLES) - events_of_rounds(soon, EVENT_CYCLES),
                        10 * count, 20 * count);
    }
}

/* Each of 100 more stores misses: seven cycles until memory is asked, 30 until it answers; the
 * store leaves three (the hit time) before that, and the next looks up in the cycle after. */
static void a_store_that_misses_stays_until_its_line_is_there(void **state)
{
    (void)state;
    const uint32_t body[2] = {store(5, 9, 0), addi(9, 9, 64)};
    const char *const *settings =
        SETTINGS("rsd.drain_blocks=true", "rsd.store_miss_cycles=7", "l1d.prefetch=none",
                 "l2.kib=0", "dram.cycles=30", "lsq.stores=4");
    assert_int_equal(warm_cycles(settings, body, 2), 3500);
}

static void a_front_end_in_lock_step_is_a_simple_one(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("rsd.lock_step=true", "fetch.ftq=4")),
                        "rsd.lock_step = true needs fetch.ftq = 0");
    assert_string_equal(refused(SETTINGS("rsd.lock_step=true", "bpred.train=resolve",
                                         "bpred.kind=tage")),
                        "rsd.lock_step = true needs bpred.kind = "
                        "not_taken|static|bimodal|gshare");
}

static void the_replay_queue_is_a_way_off(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("rsd.replay_queue=3")),
                        "rsd.replay_queue = 3: expected at least 4, as latency.load");
}

/* A load that waits for an older store would go round the queue, which goes before that store. */
static void the_replay_queue_has_no_conservative_loads(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("rsd.replay_queue=20", "lsq.speculation=conservative")),
                        "rsd.replay_queue = 20 needs lsq.speculation = "
                        "blind|predict|wait_all|store_sets");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violation_may_take_all_after_the_store),
        cmocka_unit_test(a_violation_found_late_keeps_the_load_from_commit),
        cmocka_unit_test(a_store_that_misses_stays_until_its_line_is_there),
        cmocka_unit_test(a_front_end_in_lock_step_is_a_simple_one),
        cmocka_unit_test(the_replay_queue_is_a_way_off),
        cmocka_unit_test(the_replay_queue_has_no_conservative_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
