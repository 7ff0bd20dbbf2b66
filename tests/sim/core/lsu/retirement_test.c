/* Loads that commit before their values come, and stores that reach the cache some cycles after
 * they committed. */
#include "tests/sim/core/rig.h"

/* A load that misses everything, a loop of four rounds after it in a small window, and an
 * addition that uses the value or not; all in one line of code. */
static uint64_t cycles_after_a_miss(uint32_t early, bool use_value)
{
    struct rig *rig = rig_new();
    rig->config.rob_entries = 8;
    rig->config.commit_early_loads = early;
    emit(rig, load(7, 9, 0));
    emit(rig, addi(5, 0, 4));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4));
    emit(rig, addi(6, use_value ? 7 : 0, 1));
    uint64_t cycles = run(rig, 3 + 2 + 8 + 1);
    rig_free(rig);
    return cycles;
}

static void a_load_that_commits_early_does_not_hold_the_reorder_buffer(void **state)
{
    (void)state;
    assert_true(cycles_after_a_miss(1, false) + 60 < cycles_after_a_miss(0, false));
}

static void the_value_of_a_load_that_committed_early_is_waited_for(void **state)
{
    (void)state;
    assert_true(cycles_after_a_miss(1, false) + 60 < cycles_after_a_miss(1, true));
}

/* A byte stored and the doubleword around it loaded: the bytes that no store covers wait for the
 * cache. */
static uint64_t cycles_of_partial_load(uint32_t drain_cycles)
{
    struct rig *rig = rig_new();
    rig->config.lsq_drain_cycles = drain_cycles;
    emit(rig, load(7, 9, 0));
    for (unsigned i = 0; i < 4; i++) {
        emit(rig, store(6, 9, 0) ^ 3 << 12);        /* sb */
        emit(rig, load(6, 9, 0));
    }
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void a_store_drains_a_set_number_of_cycles_after_its_commit(void **state)
{
    (void)state;
    uint64_t base = cycles_of_partial_load(12);
    assert_int_equal(cycles_of_partial_load(22) - base, 4 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_that_commits_early_does_not_hold_the_reorder_buffer),
        cmocka_unit_test(the_value_of_a_load_that_committed_early_is_waited_for),
        cmocka_unit_test(a_store_drains_a_set_number_of_cycles_after_its_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
