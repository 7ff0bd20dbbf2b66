/* The pipeline on small programs whose timing and events can be worked out by hand. */
#include "tests/sim/core/rig.h"

/* ---- timing ---------------------------------------------------------------------------------- */

static void dependent_additions_take_one_cycle_each(void **state)
{
    (void)state;
    uint32_t body[32];
    for (unsigned i = 0; i < 32; i++)
        body[i] = add(6, 6, 7);
    assert_int_equal(loop_cycles(body, 32, 200) - loop_cycles(body, 32, 100), 3200);
}

static void dependent_multiplications_take_their_latency(void **state)
{
    (void)state;
    uint32_t body[8];
    for (unsigned i = 0; i < 8; i++)
        body[i] = mul(6, 6, 7);
    assert_int_equal(loop_cycles(body, 8, 200) - loop_cycles(body, 8, 100), 100 * 8 * 3);
}

static void divisions_keep_their_unit(void **state)
{
    (void)state;
    uint32_t body[4];
    for (unsigned i = 0; i < 4; i++)
        body[i] = divide(10 + i, 6, 7);
    assert_int_equal(loop_cycles(body, 4, 200) - loop_cycles(body, 4, 100), 100 * 4 * 12);
}

static void independent_additions_fill_the_integer_units(void **state)
{
    (void)state;
    uint32_t body[46];
    for (unsigned i = 0; i < 46; i++)
        body[i] = addi(10 + i % 8, 0, 1);
    /* 46 additions and the counter's on three units, the branch beside them */
    uint64_t cycles = loop_cycles(body, 46, 300) - loop_cycles(body, 46, 200);
    assert_in_range(cycles, 100 * 47 / 3, 100 * 17);
}

static void a_chain_of_loads_takes_the_load_latency(void **state)
{
    (void)state;
    uint32_t body[8];
    for (unsigned i = 0; i < 8; i++)
        body[i] = load(9, 9, 0);
    struct rig *rig = rig_new();
    emit(rig, store(9, 9, 0));
    emit(rig, addi(5, 0, 200));
    for (unsigned i = 0; i < 8; i++)
        emit(rig, body[i]);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -36));
    uint64_t cycles = run(rig, 5 + 200 * 10);
    assert_in_range(cycles, 200 * 8 * 3, 200 * 8 * 3 + 400);
    assert_int_equal(event(rig, EVENT_LOADS), 1600);
    rig_free(rig);
}

static void cold_code_costs_more_than_warm_code(void **state)
{
    (void)state;
    uint32_t body[1] = {addi(6, 6, 1)};
    assert_true(cycles_of(addi(6, 6, 1), 1000) > loop_cycles(body, 1, 333));
}

/* ---- events ---------------------------------------------------------------------------------- */

static void branches_are_counted_by_direction(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    emit(rig, addi(5, 0, 50));
    emit(rig, beq(5, 5, 8));            /* always taken */
    emit(rig, addi(6, 6, 1));           /* never reached */
    emit(rig, beq(5, 0, 8));            /* never taken */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -16));          /* 49 of 50 */
    run(rig, 4 + 50 * 4);
    assert_int_equal(event(rig, EVENT_BRANCHES), 150);
    assert_int_equal(event(rig, EVENT_BRANCHES_TAKEN), 99);
    assert_int_equal(rig->cpu.hart.reg[6], 0);
    rig_free(rig);
}

static void the_wrong_path_runs_and_leaves_nothing(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig->config.bpred_kind = 0;         /* not taken: falls into the wrong path each time */
    emit(rig, addi(5, 0, 20));
    emit(rig, divide(6, 5, 5));         /* 1, late */
    emit(rig, bne(6, 0, 16));           /* always taken */
    emit(rig, store(5, 9, 64));
    emit(rig, addi(7, 7, 1));
    emit(rig, addi(8, 8, 1));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -24));
    run(rig, 4 + 20 * 4);
    assert_true(event(rig, EVENT_SQUASHED) > 20);
    assert_int_equal(event(rig, EVENT_BRANCHES_MISPREDICTED), 20 + 19);
    assert_int_equal(event(rig, EVENT_STORES), 0);
    assert_int_equal(rig->cpu.hart.reg[7], 0);
    uint64_t word = 1;
    phys_copy_out(&rig->phys, PHYS_RAM_BASE + DATA + 64, &word, 8);
    assert_int_equal(word, 0);
    rig_free(rig);
}

static void a_load_takes_its_value_from_the_store_queue(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    emit(rig, addi(6, 0, 77));
    for (unsigned i = 0; i < 16; i++)
        emit(rig, addi(0, 0, 0));       /* the store's data is there before the load issues */
    emit(rig, store(6, 9, 8));
    emit(rig, load(7, 9, 8));
    run(rig, rig->count);
    assert_int_equal(event(rig, EVENT_STORE_FORWARDED), 1);
    assert_int_equal(rig->cpu.hart.reg[7], 77);
    rig_free(rig);
}

/* A store whose address comes late, a load of the same place right after it. */
static uint64_t violations(unsigned speculation, unsigned rounds)
{
    struct rig *rig = rig_new();
    rig->config.lsq_speculation = speculation;
    emit(rig, addi(5, 0, (int32_t)rounds));
    emit(rig, addi(11, 0, 1));
    emit(rig, divide(6, 11, 11));       /* 1, late */
    emit(rig, addi(6, 6, -1));
    emit(rig, add(6, 6, 9));            /* s1, late */
    emit(rig, store(5, 6, 0));
    emit(rig, load(7, 9, 0));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -24));
    run(rig, 5 + (uint64_t)rounds * 7);
    assert_int_equal(rig->cpu.hart.reg[7], 1);
    uint64_t count = event(rig, EVENT_ORDER_VIOLATIONS);
    rig_free(rig);
    return count;
}

static void a_load_that_passed_its_store_is_fetched_again(void **state)
{
    (void)state;
    assert_int_equal(violations(0, 40), 0);
    assert_int_equal(violations(1, 40), 40);
    assert_int_equal(violations(2, 40), 1);
}

/* The store between the branch and its wrong path has its data after the branch issued and
 * before the branch resolves; the load on the wrong path has passed it by then. */
static void a_violation_on_the_wrong_path_does_not_make_it_right(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig->config.bpred_kind = 0;
    rig->config.latency_int = 40;       /* the branch takes this long */
    emit(rig, addi(5, 0, 20));
    emit(rig, divide(6, 5, 5));         /* 1, late */
    emit(rig, mul(13, 6, 5));
    emit(rig, store(13, 9, 0));
    emit(rig, bne(6, 0, 12));           /* always taken */
    emit(rig, load(7, 9, 0));
    emit(rig, addi(8, 8, 1));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -28));
    run(rig, 4 + 20 * 6);
    assert_int_equal(rig->cpu.hart.reg[7], 0);
    assert_int_equal(rig->cpu.hart.reg[8], 0);
    assert_int_equal(rig->cpu.hart.reg[5], 0);
    assert_true(event(rig, EVENT_SQUASHED) > 0);
    rig_free(rig);
}

/* A floating-point load whose address is odd too, or beyond memory, or across pages. */
static void floating_point_that_is_off_comes_before_what_the_address_does(void **state)
{
    (void)state;
    static const uint64_t address[] = {PHYS_RAM_BASE + DATA, PHYS_RAM_BASE + DATA + 4092, 0x1000};
    const uint32_t stay = 0x6f;         /* the handler: j . */
    for (unsigned i = 0; i < sizeof address / sizeof address[0]; i++) {
        struct rig *rig = rig_new();
        emit(rig, load(1, 9, 0) ^ 4);   /* fld f1, 0(s1) */
        rig_start(rig);
        rig->cpu.hart.reg[9] = address[i];
        rig->cpu.hart.mtvec = PHYS_RAM_BASE + 0x1000;
        rig->cpu.hart.mstatus &= ~MSTATUS_FS;
        phys_copy_in(&rig->phys, PHYS_RAM_BASE + 0x1000, &stay, sizeof stay);
        for (unsigned part = 0; part < 20; part++)
            core_run(rig->core, UINT64_MAX, 100, true);
        core_settle(rig->core);
        assert_int_equal(rig->cpu.hart.mepc, PHYS_RAM_BASE + 12);
        assert_int_equal(rig->cpu.hart.mcause, TRAP_ILLEGAL);
        rig_free(rig);
    }
}

static void a_floating_point_load_across_pages_makes_the_state_dirty(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    emit(rig, load(1, 9, 0) ^ 4);
    rig_start(rig);
    rig->cpu.hart.reg[9] += 4092;
    rig->cpu.hart.mstatus = (rig->cpu.hart.mstatus & ~MSTATUS_FS) | (MSTATUS_FS & -MSTATUS_FS);
    for (unsigned part = 0; part < 20 && event(rig, EVENT_INSNS_RETIRED) < 4; part++)
        core_run(rig->core, 4 - event(rig, EVENT_INSNS_RETIRED), UINT64_MAX, true);
    assert_int_equal(rig->cpu.hart.mstatus & MSTATUS_FS, MSTATUS_FS);
    rig_free(rig);
}

static void an_exception_is_precise(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    emit(rig, addi(6, 0, 1));
    emit(rig, 0);                       /* illegal */
    emit(rig, addi(6, 0, 2));
    rig_start(rig);
    rig->cpu.hart.mtvec = PHYS_RAM_BASE + 0x1000;
    core_run(rig->core, 4, UINT64_MAX, true);
    core_run(rig->core, UINT64_MAX, 100, true);
    core_settle(rig->core);
    assert_int_equal(rig->cpu.hart.mepc, PHYS_RAM_BASE + 16);
    assert_int_equal(rig->cpu.hart.mcause, TRAP_ILLEGAL);
    assert_int_equal(rig->cpu.hart.reg[6], 1);
    rig_free(rig);
}

/* ---- accounting ------------------------------------------------------------------------------ */

static void emit_mixture(struct rig *rig)
{
    emit(rig, addi(5, 0, 300));
    emit(rig, divide(6, 5, 10));
    emit(rig, mul(7, 6, 5));
    emit(rig, r_type(0, 3, 5, 1, 13, 0x13));        /* slli a3, t0, 3 */
    emit(rig, add(14, 13, 9));
    emit(rig, store(7, 14, 0));
    emit(rig, load(15, 14, 0));
    emit(rig, load(16, 13, 0) ^ (13 ^ 9) << 15);
    emit(rig, r_type(0, 1, 15, 7, 17, 0x13));       /* andi a7, a5, 1 */
    emit(rig, beq(17, 0, 8));
    emit(rig, addi(18, 18, 1));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -44));
}

static void shrink(struct config *config)
{
    config->rob_entries = 8;
    config->fetch_buffer = 4;
    config->issue_int_queue = config->issue_branch_queue = config->issue_complex_queue = 1;
    config->issue_mem_queue = config->issue_fp_queue = 2;
    config->lsq_loads = config->lsq_stores = 1;
    config->rename_int_buffers = 4;
    config->l1d_kib = config->l1i_kib = config->l1d_ways = config->l1i_ways = 1;
    config->l1d_mshrs = config->l1i_mshrs = 1;
}

static void run_mixture(struct rig *rig, bool small, bool skip)
{
    emit_mixture(rig);
    if (small)
        shrink(&rig->config);
    rig_start(rig);
    core_run(rig->core, 2500, UINT64_MAX, skip);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
}

static void every_dispatch_slot_has_exactly_one_cause(void **state)
{
    (void)state;
    for (int small = 0; small < 2; small++) {
        struct rig *rig = rig_new();
        run_mixture(rig, small, true);
        uint64_t slots = 0;
        for (unsigned code = EVENT_SLOTS_RETIRING; code <= EVENT_SLOTS_IDLE; code++)
            slots += event(rig, code);
        assert_int_equal(slots, event(rig, EVENT_CYCLES) * rig->config.dispatch_width);
        assert_int_equal(event(rig, EVENT_DISPATCHED),
                         event(rig, EVENT_INSNS_RETIRED) + event(rig, EVENT_SQUASHED));
        rig_free(rig);
    }
}

static void skipping_idle_cycles_changes_no_statistic(void **state)
{
    (void)state;
    for (int small = 0; small < 2; small++) {
        struct rig *skipping = rig_new(), *stepping = rig_new();
        run_mixture(skipping, small, true);
        run_mixture(stepping, small, false);
        assert_memory_equal(skipping->cpu.pmu.events, stepping->cpu.pmu.events,
                            sizeof skipping->cpu.pmu.events);
        assert_memory_equal(skipping->cpu.hart.reg, stepping->cpu.hart.reg,
                            sizeof skipping->cpu.hart.reg);
        rig_free(skipping);
        rig_free(stepping);
    }
}

static void stopping_and_going_on_changes_no_statistic(void **state)
{
    (void)state;
    struct rig *whole = rig_new(), *pieces = rig_new();
    run_mixture(whole, false, true);
    emit_mixture(pieces);
    rig_start(pieces);
    for (uint64_t left; (left = 2500 - event(pieces, EVENT_INSNS_RETIRED)) != 0;) {
        core_run(pieces->core, left, 37, true);
        assert_true(core_is_sane(pieces->core));
    }
    core_settle(pieces->core);
    assert_memory_equal(whole->cpu.pmu.events, pieces->cpu.pmu.events,
                        sizeof whole->cpu.pmu.events);
    rig_free(whole);
    rig_free(pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_additions_take_one_cycle_each),
        cmocka_unit_test(dependent_multiplications_take_their_latency),
        cmocka_unit_test(divisions_keep_their_unit),
        cmocka_unit_test(independent_additions_fill_the_integer_units),
        cmocka_unit_test(a_chain_of_loads_takes_the_load_latency),
        cmocka_unit_test(cold_code_costs_more_than_warm_code),
        cmocka_unit_test(branches_are_counted_by_direction),
        cmocka_unit_test(the_wrong_path_runs_and_leaves_nothing),
        cmocka_unit_test(a_load_takes_its_value_from_the_store_queue),
        cmocka_unit_test(a_load_that_passed_its_store_is_fetched_again),
        cmocka_unit_test(a_violation_on_the_wrong_path_does_not_make_it_right),
        cmocka_unit_test(floating_point_that_is_off_comes_before_what_the_address_does),
        cmocka_unit_test(a_floating_point_load_across_pages_makes_the_state_dirty),
        cmocka_unit_test(an_exception_is_precise),
        cmocka_unit_test(every_dispatch_slot_has_exactly_one_cause),
        cmocka_unit_test(skipping_idle_cycles_changes_no_statistic),
        cmocka_unit_test(stopping_and_going_on_changes_no_statistic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
