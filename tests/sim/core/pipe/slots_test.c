/* Slots of an issue queue of eight that are given out in the order in which they were freed. */
#include "sim/base/issue_plan.h"
#include "sim/core/pipe/stage_queue.h"
#include "tests/sim/core/rig.h"

static struct rig *slot_rig(void)
{
    struct rig *rig = rig_new();
    rig_set(rig, "issue.queues=all:8");
    rig_set(rig, "issue.ports=all all");
    rig_set(rig, "issue.select=slot");
    rig_set(rig, "issue.release_cycles=2");
    rig_start(rig);
    for (uint16_t i = 0; i < 8; i++)            /* handed out from 6 on */
        rig->core->iq.free_slots[0].slot[i] = (uint16_t)((i + 6) % 8);
    return rig;
}

static void take(struct core *core, unsigned count)
{
    while (count-- != 0) {
        slots_take(core, 0);
        core->iq.queue_used[0]++;
    }
}

static void slots_go_round_from_the_first_on(void **state)
{
    (void)state;
    struct rig *rig = slot_rig();
    static const unsigned order[] = {6, 7, 0, 1};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(slots_take(rig->core, 0), order[i]);
    rig->core->iq.queue_used[0] = 4;
    struct uop serial = {.unit_class = CLASS_ALU};
    slots_pass(rig->core, &serial);             /* it takes slot 2, which becomes the last */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(slots_take(rig->core, 0), 3 + i);
    assert_int_equal(slots_take(rig->core, 0), 2);
    rig_free(rig);
}

/* A branch in cycle 100 squashes 6, 1 and 0. From the next cycle on two slots a cycle are looked
 * at, and a slot is given out two cycles later. */
static void a_squash_by_execution_returns_two_slots_a_cycle(void **state)
{
    (void)state;
    struct rig *rig = slot_rig();
    struct core *core = rig->core;
    take(core, 5);
    core->now = 100;
    core->is_resolving = true;
    slots_squash(core, 0, 6);
    slots_squash(core, 0, 1);
    slots_squash(core, 0, 0);
    slots_end_of_squash(core);
    static const struct { unsigned slot, cycle; } returned[] = {{0, 103}, {1, 103}, {6, 106}};
    assert_int_equal(core->iq.release_tail - core->iq.release_head, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct released *place = &core->iq.released[core->iq.release_head + i];
        assert_int_equal(place->slot, returned[i].slot);
        assert_int_equal(place->order >> 8, returned[i].cycle);
    }
    assert_int_equal(core->iq.queue_used[0], 5);
    core->is_resolving = false;
    slots_end_of_squash(core);                  /* a squash at commit frees all, in order */
    assert_int_equal(core->iq.queue_used[0], 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(slots_take(core, 0), i);
    rig_free(rig);
}

/* A queue of six whose list of free slots goes round several times. */
static void a_long_run_hands_out_each_slot_once(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set(rig, "issue.queues=all:6");
    rig_set(rig, "issue.ports=all all");
    rig_set(rig, "issue.select=slot");
    for (unsigned i = 0; i < 50; i++)
        emit(rig, divide(6 + i % 8, 10, 11));
    rig_start(rig);
    while (event(rig, EVENT_INSNS_RETIRED) < rig->count) {
        assert_int_equal(core_run(rig->core, UINT64_MAX, 1, true), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
        assert_true(event(rig, EVENT_CYCLES) < 10000);
    }
    core_settle(rig->core);
    rig_free(rig);
}

/* A branch that waits for a division, and after it, on the wrong path, more than three hundred
 * additions that wait for a load: all their places come back at once, and later. */
static void a_squash_returns_the_places_of_large_queues(void **state)
{
    (void)state;
    enum { WAITING = 340, AFTER = 60, ROUND = WAITING + 6 };
    struct rig *rig = rig_new();
    static const char *const settings[] = {
        "issue.queues=all:128 all:128 all:128", "issue.ports=all all all all", "issue.select=slot",
        "issue.release_cycles=8", "rob.entries=512", "rename.int_buffers=512", "dispatch.width=8",
        "decode.width=8", "fetch.width=8", "fetch.bytes=32", "latency.div=128",
        "bpred.kind=not_taken", "dram.cycles=1000", "l1d.prefetch=none",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        rig_set(rig, settings[i]);
    emit(rig, addi(14, 9, 0));
    emit(rig, addi(5, 0, 0));
    emit(rig, divide(7, 5, 11));                /* two rounds: 0, which brings the code, and 3 */
    emit(rig, bne(7, 0, 4 * (ROUND - 1)));
    emit(rig, load(6, 14, 0));
    for (unsigned i = 0; i < WAITING; i++)
        emit(rig, add(12, 6, 6));
    emit(rig, addi(14, 14, 1024));
    emit(rig, addi(5, 5, 3));
    emit(rig, beq(0, 0, -4 * (ROUND - 1)));
    for (unsigned i = 0; i < AFTER; i++)
        emit(rig, add(13, 10, 11));
    rig_start(rig);
    uint64_t most = 0, executed = rig->count + 2;
    while (event(rig, EVENT_INSNS_RETIRED) < executed) {
        uint64_t left = executed - event(rig, EVENT_INSNS_RETIRED);
        assert_int_equal(core_run(rig->core, left, 1, true), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
        assert_true(event(rig, EVENT_CYCLES) < 200000);
        uint64_t leaving = rig->core->iq.release_tail - rig->core->iq.release_head;
        most = leaving > most ? leaving : most;
    }
    assert_true(most > 256);
    core_settle(rig->core);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_go_round_from_the_first_on),
        cmocka_unit_test(a_squash_by_execution_returns_two_slots_a_cycle),
        cmocka_unit_test(a_long_run_hands_out_each_slot_once),
        cmocka_unit_test(a_squash_returns_the_places_of_large_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
