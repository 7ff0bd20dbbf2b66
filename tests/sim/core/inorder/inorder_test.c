/* The in-order back end, to the cycle (rounds.h). */
#include "tests/sim/core/inorder/rounds.h"

static void independent_additions_fill_the_width(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 0, 1), addi(7, 0, 1), addi(6, 0, 1), addi(7, 0, 1),
                             addi(6, 0, 1), addi(7, 0, 1), addi(6, 0, 1), addi(7, 0, 1)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 10);
    assert_int_equal(CYCLES(body, 2), ROUNDS * 5);
    assert_int_equal(CYCLES(body, 2, "unit.ints=1"), ROUNDS * 9);   /* the branch pairs */
}

static void a_chain_runs_at_its_latency(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1),
                             addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1)};
    assert_int_equal(CYCLES(body, 2), ROUNDS * 8);
}

static void an_instruction_that_uses_a_load_waits_for_it(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), add(7, 6, 11)};
    assert_int_equal(CYCLES(body, 2), ROUNDS * 4);
    assert_int_equal(CYCLES(body, 1), ROUNDS * 6);
    assert_int_equal(CYCLES(body, 1, "latency.load=2"), ROUNDS * 5);
    /* Issued after the load, the addition waits in the late unit; nothing needs its result. */
    assert_int_equal(CYCLES(body, 1, "inorder.late_alu=2"), ROUNDS * 4);
}

static void a_division_holds_what_the_setting_says(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(6, 11, 11), load(7, 9, 0)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 12);
    assert_int_equal(CYCLES(body, 1, "inorder.divide_holds=issue"), ROUNDS * 15);
}

static void classes_pair_as_the_matrix_says(void **state)
{
    (void)state;
    const uint32_t body[] = {load(6, 9, 0), addi(7, 0, 1), load(6, 9, 0), addi(7, 0, 1)};
    assert_int_equal(CYCLES(body, 2), ROUNDS * 3);
    assert_int_equal(CYCLES(body, 2, "inorder.pairs=load+branch:none"), ROUNDS * 4);
    assert_int_equal(CYCLES(body, 2, "inorder.pairs=load+branch:none int:branch"), ROUNDS * 6);
}

static void a_load_takes_the_value_of_the_store(void **state)
{
    (void)state;
    const uint32_t body[] = {store(6, 9, 0), load(6, 9, 0)};
    /* Store in t, load in t+1, its value 3 later for the next store. */
    assert_int_equal(CYCLES(body, 1), ROUNDS * 4);
    /* With its data late the store goes at once. */
    assert_int_equal(CYCLES(body, 1, "inorder.store_data_late=3"), ROUNDS * 4);
}

static void a_late_branch_costs_that_many_more_cycles(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 0, 1)};
    uint64_t at_once = CYCLES(body, 1, "bpred.kind=not_taken");
    assert_int_equal(CYCLES(body, 1, "bpred.kind=not_taken", "recover.resolve_cycles=3"),
                     at_once + ROUNDS * 3);
}

static void a_division_of_zero_has_its_result_beforehand(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(6, 0, 11), add(7, 6, 11), divide(6, 9, 11), add(7, 6, 11)};
    const char *div = "latency.div=9", *repeat = "latency.div_repeat=3";
    assert_int_equal(CYCLES(body, 1, div, repeat), ROUNDS * 22);
    assert_int_equal(CYCLES(body, 1, div, repeat, "part.div_repeats=1"), ROUNDS * 16);
    /* Two that nothing waits for: the second starts 9 cycles after the first, or 7. */
    const uint32_t two[] = {divide(6, 9, 11), divide(7, 11, 9)};
    assert_int_equal(CYCLES(two, 1, div), ROUNDS * 18);
    assert_int_equal(CYCLES(two, 1, div, "latency.div_overlap=2"), ROUNDS * 14);
}

static void data_of_a_store_may_come_late(void **state)
{
    (void)state;
    const uint32_t copied[] = {load(6, 9, 0), store(6, 9, 8)};
    const uint32_t product[] = {mul(6, 11, 11), store(6, 9, 8)};
    const char *late = "inorder.store_data_late=2", *mul = "latency.mul=3";
    assert_int_equal(CYCLES(copied, 1, late), ROUNDS * 4);
    assert_int_equal(CYCLES(product, 1, late, mul), ROUNDS * 4);
}

static void a_small_scoreboard_fills_after_a_miss(void **state)
{
    (void)state;
    uint32_t body[40];
    body[0] = load(6, 12, 0);
    body[1] = addi(12, 12, 1024);
    for (unsigned i = 2; i < LENGTH(body); i++)
        body[i] = addi(7, 0, 1);
    const char *plain = "l1d.prefetch=none", *small = "rob.entries=8";
    uint64_t large = CYCLES(body, 1, plain, "rob.entries=512");
    assert_true(CYCLES(body, 1, plain, small) > large + ROUNDS * 20);
    assert_int_equal(CYCLES(body, 1, plain, small, "commit.early_loads=true"), large);
}

/* The same operands, and others in turn; what follows waits for the quotient. */
static void a_division_that_repeats_the_last_is_short(void **state)
{
    (void)state;
    const uint32_t same[] = {divide(6, 9, 9), addi(6, 6, 1)};
    const uint32_t turn[] = {divide(6, 9, 9), addi(6, 6, 1), divide(6, 9, 11), addi(6, 6, 1)};
    assert_int_equal(CYCLES(same, 1, "latency.div=20"), ROUNDS * 23);
    assert_int_equal(CYCLES(same, 1, "latency.div=20", "latency.div_repeat=3"), ROUNDS * 6);
    assert_int_equal(CYCLES(turn, 1, "latency.div=20", "latency.div_repeat=3"), ROUNDS * 44);
}

static void every_issue_slot_has_one_cause(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width++) {
        struct rig *rig = rig_new();
        in_order(&rig->config, width, NULL);
        emit(rig, addi(5, 0, 50));
        emit(rig, load(6, 9, 0));
        emit(rig, mul(7, 6, 6));
        emit(rig, divide(7, 7, 11));
        emit(rig, store(7, 9, 64));
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -20));
        uint64_t cycles = run(rig, 4 + 50 * 6), slots = 0;
        for (unsigned code = 0; code < EVENT_COUNT; code++)
            if (event_name(code) != NULL && strncmp(event_name(code), "slots_", 6) == 0)
                slots += event(rig, code);
        /* The rig squashed the instructions that had issued and not committed when the run
         * ended. */
        assert_int_equal(slots, cycles * width);
        assert_true(event(rig, EVENT_SLOTS_LOAD_USE) != 0);
        assert_true(event(rig, EVENT_SLOTS_OPERAND) != 0);
        rig_free(rig);
    }
}

/* Two lines that share a set of L1 and of L2, the first loaded again: only L3 has it then. */
static void a_load_tells_which_level_answered(void **state)
{
    (void)state;
    static const struct machine_choice levels = {{
        "l1d.kib=1", "l1d.ways=1", "l2.kib=16", "l2.ways=1", "l3.kib=256", "l1d.prefetch=none",
    }};
    struct rig *rig = rig_new();
    in_order(&rig->config, 1, &levels);
    emit(rig, 4 << 12 | 5 << 7 | 0x37);         /* lui x5, 4: 16 KiB */
    emit(rig, add(7, 9, 5));
    emit(rig, load(6, 9, 0));
    emit(rig, load(6, 7, 0));
    emit(rig, load(6, 9, 0));
    run(rig, rig->count);
    assert_int_equal(event(rig, EVENT_L3_MISS), 2);
    assert_int_equal(event(rig, EVENT_L3_HIT), 1);
    assert_int_equal(event(rig, EVENT_DCACHE_MISS), 3);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_additions_fill_the_width),
        cmocka_unit_test(a_chain_runs_at_its_latency),
        cmocka_unit_test(an_instruction_that_uses_a_load_waits_for_it),
        cmocka_unit_test(a_division_holds_what_the_setting_says),
        cmocka_unit_test(classes_pair_as_the_matrix_says),
        cmocka_unit_test(a_load_takes_the_value_of_the_store),
        cmocka_unit_test(a_late_branch_costs_that_many_more_cycles),
        cmocka_unit_test(a_division_of_zero_has_its_result_beforehand),
        cmocka_unit_test(data_of_a_store_may_come_late),
        cmocka_unit_test(a_small_scoreboard_fills_after_a_miss),
        cmocka_unit_test(a_division_that_repeats_the_last_is_short),
        cmocka_unit_test(a_load_tells_which_level_answered),
        cmocka_unit_test(every_issue_slot_has_one_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
