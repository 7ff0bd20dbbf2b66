/* The rules of biRISC-V, to the cycle (rounds.h). */
#include "tests/sim/core/inorder/rounds.h"

static void aligned_pairs_come_from_one_fetch_block(void **state)
{
    (void)state;
    /* The loop begins at an odd word, so it is cut into 1, 2, 2 and 1. */
    const uint32_t body[] = {addi(6, 0, 1), addi(7, 0, 1), addi(6, 0, 1), addi(7, 0, 1)};
    assert_int_equal(CYCLES(body, 2, "biriscv.aligned_pairs=true", "fetch.bytes=8"), ROUNDS * 4);
}

static void a_load_waits_after_a_store_to_its_word(void **state)
{
    (void)state;
    const uint32_t near[] = {store(11, 9, 0), load(7, 9, 0)};
    const uint32_t far[] = {store(11, 9, 0), load(7, 9, 8)};
    assert_int_equal(CYCLES(near, 1), ROUNDS * 4);
    assert_int_equal(CYCLES(near, 1, "biriscv.store_load_cycles=1"), ROUNDS * 5);
    assert_int_equal(CYCLES(far, 1, "biriscv.store_load_cycles=1"), ROUNDS * 4);
}

/* The load's register is 6, and the field of an immediate 6 looks like this register: the addition
 * waits, with the branch after it, for three cycles. */
static void an_immediate_can_name_a_register_that_is_still_to_come(void **state)
{
    (void)state;
    const uint32_t named[] = {load(6, 9, 0), addi(7, 0, 6)};
    const uint32_t other[] = {load(6, 9, 0), addi(7, 0, 8)};
    assert_int_equal(CYCLES(named, 1), ROUNDS * 4);
    assert_int_equal(CYCLES(named, 1, "biriscv.raw_fields=true"), ROUNDS * 6);
    assert_int_equal(CYCLES(other, 1, "biriscv.raw_fields=true"), ROUNDS * 4);
}

/* 123: no multiplication. In the cycle after the next instruction it may issue. */
static void some_classes_do_not_issue_right_after_memory(void **state)
{
    (void)state;
    const uint32_t near[] = {load(6, 9, 0), mul(7, 11, 11)};
    const uint32_t far[] = {load(6, 9, 0), addi(8, 0, 1), mul(7, 11, 11)};
    const uint32_t stored[] = {store(11, 9, 0), mul(7, 11, 11)};
    assert_int_equal(CYCLES(near, 1), ROUNDS * 4);
    assert_int_equal(CYCLES(near, 1, "biriscv.after_memory=123"), ROUNDS * 5);
    assert_int_equal(CYCLES(far, 1, "biriscv.after_memory=123"), ROUNDS * 5);
    assert_int_equal(CYCLES(stored, 1, "biriscv.after_memory=123"), ROUNDS * 5);
}

/* Each round comes to a new line. At issue a store that misses holds the pipeline as long as a load
 * does, but not an instruction that issues beside it; after commit it holds no instruction. */
static void a_store_at_issue_that_misses_holds_what_a_load_holds(void **state)
{
    (void)state;
    const uint32_t stores[] = {store(11, 12, 0), addi(12, 12, 64)};
    const uint32_t loads[] = {load(6, 12, 0), addi(12, 12, 64)};
    for (unsigned width = 1; width <= 2; width++) {
        uint64_t held = CYCLES(loads, width, "biriscv.miss_stalls=true",
                               "biriscv.relookup_cycles=3", "l1d.prefetch=none", "l2.kib=0");
        assert_true(held > 50 * ROUNDS);
        assert_int_equal(CYCLES(stores, width, "biriscv.miss_stalls=true",
                                "biriscv.stores=at_issue", "biriscv.relookup_cycles=3",
                                "l1d.prefetch=none", "l2.kib=0"), held);
    }
    assert_int_equal(CYCLES(stores, 1, "l1d.prefetch=none", "lsq.stores=256"), ROUNDS * 4);
}

/* Cycles and mispredictions of 100 more rounds with a branch over one instruction, into the next
 * fetch block, that nothing predicts taken. */
static uint64_t cycles_of_short_branches(bool skips, uint64_t *mispredictions)
{
    uint64_t cycles[2], wrong[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        unsigned rounds = (2 + i) * ROUNDS;
        in_order(&rig->config, 1, &(struct machine_choice){{"bpred.kind=not_taken",
                                                            "fetch.bytes=8", NULL}});
        rig->config.biriscv_skip_to_target = skips;
        emit(rig, addi(5, 0, (int32_t)rounds));
        emit(rig, addi(12, 9, 0));
        emit(rig, beq(0, 0, 8));                /* at 20, to 28 */
        emit(rig, addi(7, 0, 1));
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -12));
        cycles[i] = run(rig, 5 + (uint64_t)rounds * 3);
        wrong[i] = event(rig, EVENT_BRANCHES_MISPREDICTED);
        assert_int_equal(rig->cpu.hart.reg[7], 0);
        rig_free(rig);
    }
    *mispredictions = wrong[1] - wrong[0];
    return cycles[1] - cycles[0];
}

static void a_branch_to_what_has_been_fetched_costs_nothing(void **state)
{
    (void)state;
    uint64_t all, some;
    uint64_t plain = cycles_of_short_branches(false, &all);
    uint64_t skipping = cycles_of_short_branches(true, &some);
    assert_int_equal(all, 2 * ROUNDS);
    assert_int_equal(some, ROUNDS);
    assert_true(skipping + ROUNDS * 3 <= plain);
}

/* A branch on x6's lowest bit, which changes in every round, over additions; the additions and the
 * branch's target are in different blocks. */
static uint64_t cycles_of_changing_branches(const struct machine_choice *choice)
{
    struct rig *rig = rig_new();
    in_order(&rig->config, 2, choice);
    emit(rig, addi(5, 0, ROUNDS));
    emit(rig, addi(6, 6, 1));               /* round */
    emit(rig, 1u << 20 | 6u << 15 | 7u << 12 | 7u << 7 | 0x13u);    /* andi x7, x6, 1 */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(7, 0, 24));
    for (unsigned i = 0; i < 5; i++)
        emit(rig, addi(8, 8, 1));
    emit(rig, bne(5, 0, -36));
    uint64_t cycles = run(rig, 1 + ROUNDS * 5 + ROUNDS / 2 * 5);
    rig_free(rig);
    return cycles;
}

/* The buffer of rows fills while the branch waits for x7, so that fetch already has an address when
 * the misprediction is noticed, and brings one more wrong row. With spare rows it does not. */
static void a_misprediction_after_a_full_buffer_of_rows_is_noticed_twice(void **state)
{
    (void)state;
#define ROWS(n) \
    cycles_of_changing_branches(&(struct machine_choice){{"biriscv.rows=" n, "fetch.width=2", \
        "fetch.bytes=8", "fetch.stages=1", "fetch.buffer=16", "bpred.kind=not_taken", NULL}})
    uint64_t two = ROWS("2"), eight = ROWS("8");
#undef ROWS
    assert_true(two > eight + ROUNDS / 2);
}

static void a_miss_holds_its_user_or_everything(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 12, 0), addi(12, 12, 1024), addi(7, 0, 1), addi(7, 0, 1),
                             addi(7, 0, 1),  addi(7, 0, 1),      addi(7, 0, 1), addi(7, 0, 1),
                             add(7, 6, 11)};
    const char *plain = "l1d.prefetch=none";
    uint64_t use = CYCLES(body, 1, plain);
    /* Seven instructions issue during the miss; if the miss holds them up, they begin two cycles
     * before its end. */
    assert_int_equal(CYCLES(body, 1, plain, "biriscv.miss_stalls=true"), use + ROUNDS * 5);
}

static void a_write_waits_for_an_older_write_of_its_register(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), addi(6, 0, 1)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 4);
    assert_int_equal(CYCLES(body, 1, "biriscv.waw_stall=true"), ROUNDS * 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_pairs_come_from_one_fetch_block),
        cmocka_unit_test(a_load_waits_after_a_store_to_its_word),
        cmocka_unit_test(an_immediate_can_name_a_register_that_is_still_to_come),
        cmocka_unit_test(some_classes_do_not_issue_right_after_memory),
        cmocka_unit_test(a_store_at_issue_that_misses_holds_what_a_load_holds),
        cmocka_unit_test(a_branch_to_what_has_been_fetched_costs_nothing),
        cmocka_unit_test(a_misprediction_after_a_full_buffer_of_rows_is_noticed_twice),
        cmocka_unit_test(a_miss_holds_its_user_or_everything),
        cmocka_unit_test(a_write_waits_for_an_older_write_of_its_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
