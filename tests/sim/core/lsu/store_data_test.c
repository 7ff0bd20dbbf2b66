/* Data of stores as micro-operations, on loops whose cycles can be counted by hand. */
#include "tests/sim/core/rig.h"

#define MICRO_OP "lsq.store_data=micro_op"

static void store_data_take_a_port(void **state)
{
    (void)state;
    const uint32_t body[] = {store(6, 9, 0), store(6, 9, 8), store(6, 9, 16), store(6, 9, 24)};
    const char *queues = "issue.queues=int+branch+complex+fp:16 load+store:16 store_data:16";
    const char *one = "issue.ports=int+branch int+complex load store store store_data fp";
    const char *two = "issue.ports=int+branch int+complex load store store store_data store_data "
                      "fp";
    /* four addresses on two ports, four data on one or two */
    assert_int_equal(warm_cycles(SETTINGS(queues, one, "unit.stores=2"), body, 4), 200);
    assert_int_equal(warm_cycles(SETTINGS(queues, one, "unit.stores=2", MICRO_OP), body, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(queues, two, "unit.stores=2", MICRO_OP), body, 4), 200);
}

static void an_entry_of_address_and_data_is_issued_twice_when_one_is_late(void **state)
{
    (void)state;
    /* A chain of four cycles, addition and load. The store's data are ready when the load is, and
     * go first. */
    const uint32_t late[] = {add(14, 9, 13), store(14, 9, 64), load(13, 14, 0)};
    const uint32_t there[] = {add(14, 9, 13), store(6, 9, 64), load(13, 14, 0)};
    const char *queues = "issue.queues=int+branch+complex+fp:16 mem:16 store_data:1";
    const char *shared = "issue.queues=int+branch+complex+fp:16 mem+store_data:16";
    const char *ports = "issue.ports=int+branch int+complex mem+store_data fp";
    const char *separate = "lsq.store_data=separate";
    assert_int_equal(warm_cycles(SETTINGS(shared, ports, separate), late, 3), 400);
    assert_int_equal(warm_cycles(SETTINGS(shared, ports, MICRO_OP), late, 3), 500);
    assert_int_equal(warm_cycles(SETTINGS(shared, ports, MICRO_OP), there, 3), 400);
    /* In a queue of their own the data are issued separately even if they are ready: twelve issues
     * on one port, or eight. */
    const uint32_t four[] = {store(6, 9, 0), store(6, 9, 8), load(13, 9, 64), load(14, 9, 72)};
    assert_int_equal(warm_cycles(SETTINGS(shared, ports, MICRO_OP), four, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(queues, ports, MICRO_OP), four, 4), 600);
}

static void a_full_queue_of_store_data_holds_dispatch(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(12, 6, 7), store(12, 9, 0), store(12, 9, 8)};
    const char *ports = "issue.ports=int+branch int+complex load store store_data fp";
#define DATA_QUEUE(size) "issue.queues=int+branch+complex+fp:16 mem:16 store_data:" size
    /* The second store, and with it the next division, is dispatched when the data of the first
     * store leave, as the division ends. The next division then starts a cycle later. */
    assert_int_equal(warm_cycles(SETTINGS(DATA_QUEUE("8"), ports, MICRO_OP), body, 3), 1200);
    assert_int_equal(warm_cycles(SETTINGS(DATA_QUEUE("1"), ports, MICRO_OP), body, 3), 1300);
}

static void data_of_a_store_reach_a_load_a_cycle_after_their_issue(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(12, 13, 7), store(12, 9, 0), load(13, 9, 0)};
    /* A chain through memory. The value is forwarded three cycles after the issue of the load,
     * which is a cycle before data that come by themselves (as a hit looks up), or after the issue
     * of data that take a port: multiplication, one, three. */
    for (unsigned i = 0; i < 2; i++) {
        const char *latency = i == 0 ? "latency.mul=1" : "latency.mul=3";
        uint64_t separate = warm_cycles(SETTINGS("lsq.store_data=separate", latency), body, 3);
        assert_int_equal(separate, i == 0 ? 300 : 500);
        assert_int_equal(warm_cycles(SETTINGS(MICRO_OP, "unit.stores=2", latency), body, 3),
                         separate + 200);
    }
}

/* A division, a store of its result, and some instructions later another such store, again and
 * again. */
static struct rig *two_stores_of_a_division(unsigned between)
{
    static const char *const settings[] = {
        "issue.queues=int+branch+complex+fp:16 mem+store_data:16", "dispatch.width=1",
        "issue.ports=int+branch int+complex mem+store_data fp", MICRO_OP, "latency.div=128"};
    struct rig *rig = rig_new();
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        rig_set(rig, settings[i]);
    emit(rig, addi(5, 0, 4));
    emit(rig, divide(12, 6, 7));
    emit(rig, store(12, 9, 0));
    for (unsigned i = 0; i < between; i++)
        emit(rig, add(14, 9, 13));
    emit(rig, store(12, 9, 8));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (int32_t)(between + 4)));
    return rig;
}

static void data_further_away_than_the_wheel_come_once(void **state)
{
    (void)state;
    /* One instruction a cycle: sooner or later the second store's address becomes ready in the
     * cycle for which the first one's data are parked. */
    for (unsigned between = 56; between < 66; between++) {
        struct rig *rig = two_stores_of_a_division(between);
        uint64_t insns = 4 + 4 * (uint64_t)(between + 5), left;
        rig_start(rig);
        while ((left = insns - event(rig, EVENT_INSNS_RETIRED)) != 0) {
            core_run(rig->core, left, 1, false);
            assert_true(core_is_sane(rig->core));
        }
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_data_take_a_port),
        cmocka_unit_test(an_entry_of_address_and_data_is_issued_twice_when_one_is_late),
        cmocka_unit_test(a_full_queue_of_store_data_holds_dispatch),
        cmocka_unit_test(data_of_a_store_reach_a_load_a_cycle_after_their_issue),
        cmocka_unit_test(data_further_away_than_the_wheel_come_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
