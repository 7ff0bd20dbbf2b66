/* Settings of loads and stores in the out-of-order back end, on loops counted by hand. */
#include "sim/core/pipe/core_internal.h"
#include "tests/sim/core/rig.h"

static uint32_t store_byte(uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return store(rs2, rs1, imm) & ~(UINT32_C(7) << 12);
}

/* A store whose address takes two multiplications, and a load from there. */
static const uint32_t late_store[] = {
    0x02630eb3 /* mul t4, t1, t1 */, 0x03de8eb3 /* mul t4, t4, t4 */,
    0xfffe8e93 /* addi t4, t4, -1 */, 0x01d48f33 /* add t5, s1, t4 */,
    0x005f3023 /* sd t0, 0(t5) */, 0x0004b383 /* ld t2, 0(s1) */,
};

static void a_load_that_was_caught_is_held_the_next_time(void **state)
{
    (void)state;
    static const char *const how[] = {
        "lsq.speculation=predict", "lsq.speculation=wait_all", "lsq.speculation=store_sets",
    };
    assert_true(events_of_200_rounds(SETTINGS("lsq.speculation=blind"), EVENT_ORDER_VIOLATIONS,
                                     late_store, 6) > 60);
    for (unsigned i = 0; i < 3; i++)
        assert_in_range(events_of_200_rounds(SETTINGS(how[i], "lsq.forget_cycles=0"),
                                             EVENT_ORDER_VIOLATIONS, late_store, 6), 1, 8);
}

static void a_violation_can_wait_for_commit(void **state)
{
    (void)state;
    uint64_t at_once = events_of_200_rounds(SETTINGS("lsq.speculation=blind"), EVENT_CYCLES,
                                            late_store, 6);
    assert_true(events_of_200_rounds(SETTINGS("lsq.speculation=blind",
                                              "recover.violation=at_commit"),
                                     EVENT_CYCLES, late_store, 6) > at_once);
}

static void a_load_of_several_stores_waits_or_mixes_or_is_fetched_again(void **state)
{
    (void)state;
    const uint32_t body[] = {store_byte(6, 9, 1), load(6, 9, 0)};
    uint64_t any = warm_cycles(SETTINGS("lsq.partial=any", "lsq.speculation=predict"), body, 2);
    uint64_t drain = warm_cycles(SETTINGS("lsq.partial=drain", "lsq.speculation=predict"), body, 2);
    uint64_t again = warm_cycles(SETTINGS("lsq.partial=refetch", "lsq.speculation=predict"), body,
                                 2);
    assert_int_equal(any, 100 * (1 + 3));       /* the store's data, then forwarded */
    assert_true(drain > any);
    assert_true(again > drain);
}

static void a_store_issued_for_its_address_alone_holds_no_load(void **state)
{
    (void)state;
    const uint32_t body[] = {
        mul(6, 6, 7), store(6, 9, 0), load(12, 9, 64), add(13, 12, 12), mul(14, 13, 13),
        mul(14, 14, 14), mul(14, 14, 14), addi(15, 14, 0), mul(6, 15, 6),
    };
    const char *order = "lsq.speculation=conservative";
    assert_true(warm_cycles(SETTINGS(order, "lsq.store_data=separate"), body, 9) <
                warm_cycles(SETTINGS(order), body, 9));
}

static void a_forwarded_load_waits_for_the_data_of_a_store(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(6, 6, 7), store(6, 9, 0), load(6, 9, 0)};
    const char *speculation = "lsq.speculation=predict";
    /* multiplication, data into the store queue, forwarded */
    assert_int_equal(warm_cycles(SETTINGS(speculation), body, 3), 100 * (3 + 1 + 3));
    assert_in_range(warm_cycles(SETTINGS(speculation, "lsq.store_data=separate"), body, 3),
                    100 * (3 + 3 - 1), 100 * (3 + 3));
}

/* Loads that miss, each 64 bytes further, and instructions that depend on them. */
static void instructions_that_depend_on_a_miss_are_issued_in_vain(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), add(7, 6, 6), addi(9, 9, 64)};
    static const char *const cold[] = {"l1d.prefetch=none", "issue.replay=none", NULL};
    static const char *const selective[] = {
        "l1d.prefetch=none", "issue.replay=selective", NULL,
    };
    assert_int_equal(events_of_200_rounds(cold, EVENT_REPLAYS, body, 3), 0);
    assert_int_equal(events_of_200_rounds(selective, EVENT_REPLAYS, body, 3), 200);
    static const char *const all[] = {
        "l1d.prefetch=none", "issue.replay=all", "issue.replay_cycles=3", NULL,
    };
    assert_true(events_of_200_rounds(all, EVENT_REPLAYS, body, 3) > 200);
}

static void a_replayed_chain_pays_for_the_way_back(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), addi(9, 9, 64), add(9, 9, 6)};
    static const char *const near[] = {
        "l1d.prefetch=none", "issue.replay=selective", "issue.replay_cycles=0", NULL,
    };
    static const char *const far[] = {
        "l1d.prefetch=none", "issue.replay=selective", "issue.replay_cycles=7", NULL,
    };
    assert_int_equal(events_of_200_rounds(far, EVENT_CYCLES, body, 3),
                     events_of_200_rounds(near, EVENT_CYCLES, body, 3) + 7 * 200);
}

static void a_store_buffer_frees_the_store_queue(void **state)
{
    (void)state;
    const uint32_t body[] = {
        store(5, 9, 0), store(5, 9, 8), store(5, 9, 16), store(5, 9, 24), addi(9, 9, 64),
    };
    static const char *const none[] = {"lsq.stores=4", "l1d.mshrs=1", NULL};
    static const char *const some[] = {"lsq.stores=4", "l1d.mshrs=1", "c910.store_buffer=16", NULL};
    static const char *const merged[] = {
        "lsq.stores=4", "l1d.mshrs=1", "c910.store_buffer=16", "c910.store_merge=true", NULL,
    };
    uint64_t without = events_of_200_rounds(none, EVENT_SLOTS_LSQ_FULL, body, 5);
    assert_true(events_of_200_rounds(some, EVENT_SLOTS_LSQ_FULL, body, 5) < without);
    assert_in_range(events_of_200_rounds(none, EVENT_L1D_WRITE, body, 5), 780, 800);
    assert_in_range(events_of_200_rounds(merged, EVENT_L1D_WRITE, body, 5), 190, 400);
}

static void misaligned_loads_within_a_line_can_cost(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 4), add(7, 6, 6), mul(7, 7, 7), add(9, 9, 8), add(9, 9, 7)};
    uint64_t least = warm_cycles(NULL, body, 5);
    assert_int_equal(warm_cycles(SETTINGS("lsq.unaligned_cycles=4"), body, 5), least + 400);
}

/* ---- atomics and fences ---------------------------------------------------------------------- */

/* ---- loads that poll ------------------------------------------------------------------------- */

#define REST "int+branch+complex+fp"
enum { ENOUGH = 100 };      /* cycles a round, for all that goes on */

static uint64_t cycles_unless_stuck(const char *const *settings, const uint32_t *body,
                                    unsigned length, unsigned rounds)
{
    struct rig *rig = rig_new();
    rig_set_all(rig, settings);
    uint64_t insns = emit_rounds(rig, body, length, rounds), cycles = ENOUGH * (uint64_t)rounds;
    rig_start(rig);
    assert_int_equal(core_run(rig->core, insns, cycles, true), STOP_QUOTA);
    assert_true(event(rig, EVENT_INSNS_RETIRED) >= insns);      /* not the cycles ran out */
    cycles = event(rig, EVENT_CYCLES);
    rig_free(rig);
    return cycles;
}

/* What 100 more rounds cost; they come to an end. */
static uint64_t hundred_rounds(const char *const *settings, const uint32_t *body, unsigned length)
{
    return cycles_unless_stuck(settings, body, length, 300) -
           cycles_unless_stuck(settings, body, length, 200);
}

/* Each round loads what the one before has stored. Loads of later rounds wait for its store in the
 * first queue, and that waits for a load in the second; or the store itself is in the second. */
static void a_load_that_waits_for_an_address_leaves_the_port_to_older_ones(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), mul(6, 6, 7), store(6, 9, 0), load(12, 9, 64)};
    const char *order = "lsq.speculation=conservative", *ports = "issue.ports=" REST " load+store";
    static const char *const queues[] = {
        "issue.queues=" REST ":32 mem:12", "issue.queues=" REST ":32 load:4 load:4 store:8",
        "issue.queues=" REST ":32 load:8 store:8",
    };
    for (unsigned i = 0; i < 3; i++)    /* the load, the product, the store, the load before it */
        assert_int_equal(hundred_rounds(SETTINGS(order, ports, queues[i]), body, 4),
                         100 * (3 + 3 + 1 + 1));
}

/* The loads have a byte of a store, so that they wait until it has left. The one before it has not
 * been issued: it comes after loads in the order of the queues, or of the slots. */
static void a_load_that_waits_for_a_drain_leaves_the_port_to_older_ones(void **state)
{
    (void)state;
    const uint32_t body[] = {
        mul(6, 6, 7), mul(6, 6, 7), store(6, 9, 64), store_byte(0, 9, 1), load(12, 9, 0),
        load(13, 9, 0), load(14, 9, 0), load(15, 9, 0), load(16, 9, 0), load(17, 9, 0),
    };
    const char *ports = "issue.ports=" REST " load+store";
    const char *order = "lsq.speculation=wait_all";
    uint64_t one = hundred_rounds(SETTINGS(order, ports, "issue.queues=" REST ":32 mem:24"), body,
                                  10);
    assert_int_equal(hundred_rounds(SETTINGS(order, ports, "issue.queues=" REST
                                             ":32 load:16 store:8"), body, 10), one);
    /* eight accesses on one port: out of age order it takes longer */
    assert_in_range(hundred_rounds(SETTINGS(order, ports, "issue.queues=" REST ":32 mem:24",
                                            "issue.select=slot"), body, 10), 800, 5000);
}

/* A store that has committed is in memory, however long the data cache lacks it: the next store to
 * its place comes after it. */
static void writes_of_others_after_a_committed_store_are_seen(void **state)
{
    (void)state;
    const uint64_t written = 77;
    struct rig *rig = rig_new();
    rig_set_all(rig, SETTINGS("rob.entries=4", "lsq.drain_cycles=64"));
    emit(rig, store(10, 9, 0));
    for (unsigned i = 0; i < 16; i++)
        emit(rig, addi(0, 0, 0));
    emit(rig, load(12, 9, 0));
    rig_start(rig);
    assert_int_equal(core_run(rig->core, 6, UINT64_MAX, true), STOP_QUOTA);
    assert_int_equal(rig->core->sq.commit, rig->core->sq.head + 1);
    assert_true(phys_copy_in(&rig->phys, PHYS_RAM_BASE + DATA, &written, sizeof written));
    assert_int_equal(core_run(rig->core, rig->count - 6, UINT64_MAX, true), STOP_QUOTA);
    assert_int_equal(rig->core->sq.commit, rig->core->sq.head + 1);
    core_settle(rig->core);
    assert_int_equal(rig->cpu.hart.reg[12], written);
    rig_free(rig);
}

/* sc.d x6, x8, (x9) without a reservation, beside amoadd.d x6, x8, (x9). */
static void a_store_conditional_that_fails_accesses_no_line(void **state)
{
    (void)state;
    const uint32_t fails[] = {r_type(0x0c, 8, 9, 3, 6, 0x2f)};
    const uint32_t writes[] = {r_type(0, 8, 9, 3, 6, 0x2f)};
    assert_int_equal(events_of_200_rounds(SETTINGS(NULL), EVENT_L1D_READ, fails, 1), 0);
    assert_int_equal(events_of_200_rounds(SETTINGS(NULL), EVENT_L1D_WRITE, fails, 1), 0);
    assert_true(events_of_200_rounds(SETTINGS(NULL), EVENT_L1D_WRITE, writes, 1) >= 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_of_others_after_a_committed_store_are_seen),
        cmocka_unit_test(a_load_that_was_caught_is_held_the_next_time),
        cmocka_unit_test(a_violation_can_wait_for_commit),
        cmocka_unit_test(a_load_of_several_stores_waits_or_mixes_or_is_fetched_again),
        cmocka_unit_test(a_store_issued_for_its_address_alone_holds_no_load),
        cmocka_unit_test(a_forwarded_load_waits_for_the_data_of_a_store),
        cmocka_unit_test(instructions_that_depend_on_a_miss_are_issued_in_vain),
        cmocka_unit_test(a_replayed_chain_pays_for_the_way_back),
        cmocka_unit_test(a_store_buffer_frees_the_store_queue),
        cmocka_unit_test(misaligned_loads_within_a_line_can_cost),
        cmocka_unit_test(a_load_that_waits_for_an_address_leaves_the_port_to_older_ones),
        cmocka_unit_test(a_load_that_waits_for_a_drain_leaves_the_port_to_older_ones),
        cmocka_unit_test(a_store_conditional_that_fails_accesses_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
