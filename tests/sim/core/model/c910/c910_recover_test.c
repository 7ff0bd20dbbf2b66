/* After a misprediction: dispatch, and jumps in fetch, wait; groups of one branch. */
#include "tests/sim/core/rig.h"

enum { CSRR_MSCRATCH = 0x34002773 };        /* csrr a4, mscratch */

/* Each round's branch is mispredicted. */
#define NOT_TAKEN "bpred.kind=not_taken"

/* The division is older than the branch, and longer than the way from the branch to dispatch. */
static void dispatch_waits_until_a_misprediction_has_committed(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(6, 6, 7), addi(12, 0, 1)};
    uint64_t at_once = warm_cycles(SETTINGS(NOT_TAKEN, "latency.div=40"), body, 2);
    uint64_t waits = warm_cycles(SETTINGS(NOT_TAKEN, "latency.div=40", "c910.rename_cycles=1"),
                                 body, 2);
    assert_in_range(waits, at_once + 100, at_once + 1000);
    assert_int_equal(warm_cycles(SETTINGS(NOT_TAKEN, "latency.div=40", "c910.rename_cycles=5"),
                                 body, 2), waits + 400);
}

/* A load from each line, which memory serves, commits before its value comes; the instructions
 * after a misprediction wait for the value all the same. */
static void dispatch_waits_for_values_of_loads_that_have_committed(void **state)
{
    (void)state;
    const uint32_t body[] = {load(12, 9, 0), addi(9, 9, 64)};
    const char *early = "commit.early_loads=true", *none = "l1d.prefetch=none";
    uint64_t at_once = warm_cycles(SETTINGS(NOT_TAKEN, early, none), body, 2);
    uint64_t waits = warm_cycles(SETTINGS(NOT_TAKEN, early, none, "c910.rename_cycles=1"),
                                 body, 2);
    assert_true(waits > at_once + 100 * 50);
}

static void jumps_that_use_predictions_wait_in_fetch(void **state)
{
    (void)state;
    uint32_t body[] = {jal(1, 4), divide(6, 6, 7), addi(12, 0, 1)};
    const char *rename = "c910.rename_cycles=4", *wait = "c910.jumps_wait=true";
    uint64_t call = warm_cycles(SETTINGS(NOT_TAKEN, rename), body, 3) -
                    warm_cycles(SETTINGS(NOT_TAKEN, rename, wait), body, 3);
    assert_true((int64_t)call < 0);
    body[0] = jal(0, 4);
    assert_int_equal(warm_cycles(SETTINGS(NOT_TAKEN, rename), body, 3),
                     warm_cycles(SETTINGS(NOT_TAKEN, rename, wait), body, 3));
}

/* Three branches that are not taken, in a loop of a fetch block: a cycle for each and one for the
 * last. */
static void a_cycle_of_fetch_ends_before_one_branch_too_many(void **state)
{
    (void)state;
    const uint32_t body[] = {bne(0, 0, 8), bne(0, 0, 8), bne(0, 0, 8)};
    const char *wide = "fetch.bytes=32", *width = "fetch.width=8";
    uint64_t any = warm_cycles(SETTINGS(wide, width), body, 3);
    uint64_t one = warm_cycles(SETTINGS(wide, width, "c910.branches=1"), body, 3);
    uint64_t two = warm_cycles(SETTINGS(wide, width, "c910.branches=2"), body, 3);
    assert_in_range(any, 100, 400);
    assert_int_equal(one, 400);
    assert_true(any <= two && two <= one);
}

static void a_flush_by_an_instruction_takes_as_long_as_is_set(void **state)
{
    (void)state;
    const uint32_t body[] = {CSRR_MSCRATCH, add(13, 9, 13), add(13, 9, 13)};
    const char *any = "recover.csr_writes=any";
    assert_int_equal(warm_cycles(SETTINGS(any, "c910.flush_cycles=5"), body, 3) -
                         warm_cycles(SETTINGS(any), body, 3), 5 * 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatch_waits_until_a_misprediction_has_committed),
        cmocka_unit_test(dispatch_waits_for_values_of_loads_that_have_committed),
        cmocka_unit_test(jumps_that_use_predictions_wait_in_fetch),
        cmocka_unit_test(a_cycle_of_fetch_ends_before_one_branch_too_many),
        cmocka_unit_test(a_flush_by_an_instruction_takes_as_long_as_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
