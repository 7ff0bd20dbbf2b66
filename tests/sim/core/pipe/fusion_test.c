/* Micro-op fusion: loops whose cycles can be counted by hand, and random programs full of pairs,
 * in machines of many shapes, that end as the fast engine ends them. */
#include "tests/sim/core/same_end.h"

#define FUSION "decode.fusion=pairs"

static uint32_t slli(uint32_t rd, uint32_t rs1, uint32_t amount)
{
    return r_type(0, amount, rs1, 1, rd, 0x13);
}

static uint32_t srli(uint32_t rd, uint32_t rs1, uint32_t amount)
{
    return r_type(0, amount, rs1, 5, rd, 0x13);
}

static uint32_t lui(uint32_t rd, uint32_t pages)
{
    return pages << 12 | rd << 7 | 0x37;
}

static uint32_t auipc(uint32_t rd, uint32_t pages)
{
    return pages << 12 | rd << 7 | 0x17;
}

static uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t offset)
{
    return addi(rd, rs1, offset) ^ 0x74;
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void a_pair_takes_the_time_of_one_operation(void **state)
{
    (void)state;
    const uint32_t index[] = {slli(6, 6, 1), add(6, 6, 10), slli(6, 6, 2), add(6, 10, 6)};
    const uint32_t word[] = {slli(6, 6, 32), srli(6, 6, 32), slli(6, 6, 32), srli(6, 6, 29)};
    const uint32_t gather[] = {add(6, 9, 6), load(6, 6, 0), add(6, 6, 9), load(6, 6, 0)};
    assert_int_equal(warm_cycles(NULL, index, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(FUSION), index, 4), 200);
    assert_int_equal(warm_cycles(NULL, word, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(FUSION), word, 4), 200);
    assert_int_equal(warm_cycles(NULL, gather, 4), 800);
    assert_int_equal(warm_cycles(SETTINGS(FUSION), gather, 4), 600);
}

static const uint32_t constants[] = {   /* lui rd, 1; addi rd, rd, 1: t1, t2, a2, a3 */
    0x00001337, 0x00130313, 0x000013b7, 0x00138393,
    0x00001637, 0x00160613, 0x000016b7, 0x00168693,
};

static void a_pair_takes_one_slot_entry_and_place(void **state)
{
    (void)state;
    /* ten instructions of a round; six operations */
    assert_int_equal(warm_cycles(SETTINGS("dispatch.width=1"), constants, 8), 1000);
    assert_int_equal(warm_cycles(SETTINGS(FUSION, "dispatch.width=1"), constants, 8), 600);
    assert_int_equal(warm_cycles(SETTINGS("commit.width=1"), constants, 8), 1000);
    assert_int_equal(warm_cycles(SETTINGS(FUSION, "commit.width=1"), constants, 8), 600);
    assert_int_equal(warm_cycles(SETTINGS("unit.ints=1"), constants, 8), 900);
    assert_int_equal(warm_cycles(SETTINGS(FUSION, "unit.ints=1"), constants, 8), 500);
}

static void a_pair_that_keeps_its_first_result_is_not_fused(void **state)
{
    (void)state;
    const uint32_t body[] = {slli(6, 6, 1), add(7, 6, 10), slli(6, 6, 1), add(6, 6, 6)};
    assert_int_equal(warm_cycles(SETTINGS(FUSION), body, 4), warm_cycles(NULL, body, 4));
}

static void both_halves_are_counted_and_traps_are_exact(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set(rig, FUSION);
    emit(rig, addi(0, 0, 0));               /* the pairs begin where a group of fetch does */
    emit(rig, lui(6, 0x12345));
    emit(rig, addi(6, 6, 0x678));
    emit(rig, auipc(7, 0));
    emit(rig, load(7, 7, -8));
    emit(rig, lui(12, 1));
    emit(rig, load(12, 12, 0));             /* nothing is there: an access fault */
    rig_start(rig);
    rig->cpu.hart.mtvec = PHYS_RAM_BASE;
    core_run(rig->core, 9, UINT64_MAX, true);
    assert_int_equal(rig->cpu.hart.reg[6], 0x12345678);
    assert_int_equal(rig->cpu.hart.reg[7], (uint64_t)addi(6, 6, 0x678) << 32 | lui(6, 0x12345));
    assert_int_equal(rig->cpu.hart.reg[12], 0x1000);
    assert_int_equal(event(rig, EVENT_INSNS_RETIRED), 9);
    assert_int_equal(event(rig, EVENT_LOADS), 1);
    assert_int_equal(event(rig, EVENT_FUSED), 2);
    core_run(rig->core, 1, UINT64_MAX, true);
    core_settle(rig->core);
    assert_int_equal(rig->cpu.hart.mepc, PHYS_RAM_BASE + 36);
    assert_int_equal(rig->cpu.hart.mcause, TRAP_LOAD_ACCESS);
    assert_int_equal(event(rig, EVENT_TRAPS), 1);
    rig_free(rig);
}

static void single_steps_stop_between_the_halves(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set(rig, FUSION);
    for (unsigned i = 0; i < 8; i++)
        emit(rig, constants[i]);
    rig_start(rig);
    for (unsigned n = 0; n < 11; n++) {
        assert_int_equal(core_run(rig->core, 1, UINT64_MAX, true), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
        if (n == 3 || n == 5)
            core_settle(rig->core);         /* after the first half: the second comes again */
        assert_int_equal(event(rig, EVENT_INSNS_RETIRED), n + 1);
    }
    assert_int_equal(rig->cpu.hart.reg[6], 0x1001);
    assert_int_equal(rig->cpu.hart.reg[13], 0x1001);
    rig_free(rig);
}

/* ---- random programs ------------------------------------------------------------------------- */

enum { PROGRAMS = 32, LENGTH = 240, INSNS = 6000, BASE = 9 };

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % below;
}

static uint32_t any_target(uint64_t *random)
{
    uint32_t reg = 1 + draw(random, 31);
    return reg == BASE ? BASE + 1 : reg;
}

static void emit_pair(struct rig *rig, uint64_t *random)
{
    uint32_t rd = any_target(random), rs = draw(random, 32), amount = draw(random, 2) * 16 + 32;
    switch (draw(random, 7)) {
    case 0: emit(rig, lui(rd, draw(random, 1 << 20))); emit(rig, addi(rd, rd, 5)); break;
    case 1: emit(rig, auipc(rd, 0)); emit(rig, load(rd, rd, -8)); break;
    case 2: emit(rig, slli(rd, rs, amount)); emit(rig, srli(rd, rd, amount)); break;
    case 3: emit(rig, slli(rd, rs, 3)); emit(rig, add(rd, rs, rd)); break;
    case 4: emit(rig, auipc(rd, 0)); emit(rig, jalr(rd, rd, 12)); emit(rig, 0x13); break;
    default:
        emit(rig, addi(rd, 0, (int32_t)(8 * draw(random, 16))));
        emit(rig, add(rd, rd, BASE));
        emit(rig, load(rd, rd, 0));
    }
}

static void emit_simple(struct rig *rig, uint64_t *random)
{
    uint32_t rd = any_target(random), a = draw(random, 32), b = draw(random, 32);
    switch (draw(random, 7)) {
    case 0: emit(rig, load(rd, BASE, (int32_t)(8 * draw(random, 16)))); break;
    case 1: emit(rig, store(a, BASE, 8 * draw(random, 16))); break;
    case 2: emit(rig, store(a, BASE, draw(random, 120)) ^ draw(random, 4) << 12); break;
    case 3: emit(rig, draw(random, 2) == 0 ? mul(rd, a, b) : divide(rd, a, b)); break;
    default: emit_pair(rig, random);
    }
}

/* A branch never leads between the halves of a pair, whose address would be anything. */
static void emit_branch(struct rig *rig, uint64_t *random)
{
    static const uint8_t conditions[] = {0, 1, 4, 5, 6, 7};
    uint32_t condition = conditions[draw(random, 6)], a = draw(random, 32), b = draw(random, 32);
    unsigned at = rig->count;
    emit(rig, 0);
    for (unsigned n = draw(random, 5); n != 0; n--)
        emit_simple(rig, random);
    rig->code[at] = branch(condition, a, b, 4 * (int32_t)(rig->count - at));
}

static void write_program(struct rig *rig, uint64_t seed)
{
    uint64_t random = seed;
    while (rig->count < LENGTH)
        (draw(&random, 5) == 0 ? emit_branch : emit_simple)(rig, &random);
    for (unsigned i = 0; i < 16; i++)
        emit(rig, addi(0, 0, 0));
    emit(rig, beq(0, 0, -4 * (int32_t)rig->count));
}

static void any_machine(struct config *config, uint64_t seed)
{
    uint64_t random = seed * 31;
    config->decode_fusion = 1;
    config->decode_width = 2 + draw(&random, 3);
    config->dispatch_width = 1 + draw(&random, 4);
    config->commit_width = 1 + draw(&random, 4);
    config->rob_entries = 4u << draw(&random, 5);
    config->part_fold = 1 + draw(&random, 3);
    config->rename_kind = draw(&random, 2);
    config->rename_int_buffers = 36 + draw(&random, 30);
    config->rename_fp_buffers = 40;
    config->rename_eliminates = config->rename_kind != 0 ? draw(&random, 2) : 0;
    config->issue_int_queue = 1 + draw(&random, 12);
    config->issue_mem_queue = 1 + draw(&random, 12);
    config->issue_alu_bypass = draw(&random, 2);
    config->issue_replay = draw(&random, 3);
    config->lsq_stores = 1 + draw(&random, 8);
    config->lsq_loads = 1 + draw(&random, 8);
    config->lsq_speculation = draw(&random, 5);
    config->lsq_partial = draw(&random, 3);
    config->lsq_store_data = draw(&random, 2);
    config->recover_violation = draw(&random, 2);
    config->recover_checkpoints = draw(&random, 2) * 3;
    config->recover_undo_width = draw(&random, 3);
    config->bpred_kind = draw(&random, 4);
    config->fetch_ftq = draw(&random, 2) * 4;
    config->l1d_kib = 1;
    config->l1d_ways = 1;
    config->l1d_mshrs = 1 + draw(&random, 3);
}

static struct rig *detailed(uint64_t seed, bool skip)
{
    struct rig *rig = rig_new();
    write_program(rig, seed);
    any_machine(&rig->config, seed);
    rig_start(rig);
    for (uint64_t insns = 0; insns < INSNS; insns += INSNS / 8) {
        assert_int_equal(core_run(rig->core, INSNS / 8, UINT64_MAX, skip), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
    }
    core_settle(rig->core);
    assert_true(core_is_sane(rig->core));
    assert_int_equal(event(rig, EVENT_INSNS_RETIRED), INSNS);
    return rig;
}

static void functions_are_those_of_the_fast_engine(void **state)
{
    (void)state;
    uint64_t fused = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *timed = detailed(seed, true), *plain = rig_new();
        fused += event(timed, EVENT_FUSED);
        write_program(plain, seed);
        assert_fast_engine_ends_alike(plain, timed);
        rig_free(timed);
        rig_free(plain);
    }
    assert_true(fused > PROGRAMS * INSNS / 20);
}

static void skipping_idle_cycles_changes_no_count(void **state)
{
    (void)state;
    assert_skipping_changes_no_count(detailed, PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_takes_the_time_of_one_operation),
        cmocka_unit_test(a_pair_takes_one_slot_entry_and_place),
        cmocka_unit_test(a_pair_that_keeps_its_first_result_is_not_fused),
        cmocka_unit_test(both_halves_are_counted_and_traps_are_exact),
        cmocka_unit_test(single_steps_stop_between_the_halves),
        cmocka_unit_test(functions_are_those_of_the_fast_engine),
        cmocka_unit_test(skipping_idle_cycles_changes_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
