/* Perfect prediction: no branch or jump is mispredicted, whatever decides it, and the programs end
 * as on the fast engine. */
#include "sim/run/fast/fast.h"
#include "tests/sim/core/rig.h"

#define PERFECT "bpred.kind=perfect"

/* x5 = a xorshift of x5, whose bit 12 is nothing a table could learn. */
static void emit_random_step(struct rig *rig, unsigned out)
{
    emit(rig, r_type(0, 13, 5, 1, 6, 0x13));        /* slli t1, t0, 13 */
    emit(rig, r_type(0, 6, 5, 4, 5, 0x33));         /* xor t0, t0, t1 */
    emit(rig, r_type(0, 7, 5, 5, 6, 0x13));         /* srli t1, t0, 7 */
    emit(rig, r_type(0, 6, 5, 4, 5, 0x33));
    emit(rig, r_type(0, 17, 5, 1, 6, 0x13));        /* slli t1, t0, 17 */
    emit(rig, r_type(0, 6, 5, 4, 5, 0x33));
    emit(rig, r_type(0, 12, 5, 5, out, 0x13));      /* srli out, t0, 12 */
    emit(rig, addi(out, out, 1) & ~0x7000u);
}

static struct rig *new_rig(const char *const *settings)
{
    struct rig *rig = rig_new();
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    return rig;
}

static void finish(struct rig *rig, uint64_t insns)
{
    rig_start(rig);
    assert_int_equal(core_run(rig->core, insns, UINT64_MAX, true), STOP_QUOTA);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
}

/* Each round: a random bit decides a branch, another the target of an indirect jump, through memory
 * that was stored to a few instructions before. */
static void emit_maze(struct rig *rig)
{
    emit(rig, addi(5, 0, 1234));
    unsigned top = rig->count;
    emit_random_step(rig, 7);
    emit(rig, 1u << 20 | 7u << 15 | 7u << 12 | 28u << 7 | 0x13);    /* andi t3, t2, 1 */
    emit(rig, beq(28, 0, 8));
    emit(rig, addi(12, 12, 1));
    emit(rig, 4u << 20 | 7u << 15 | 7u << 12 | 28u << 7 | 0x13);    /* andi t3, t2, 4 */
    emit(rig, 0x17 | 29u << 7);                                     /* auipc t4, 0 */
    emit(rig, add(29, 29, 28));
    emit(rig, store(29, 9, 0));
    emit(rig, load(30, 9, 0));
    emit(rig, addi(30, 30, 20) ^ 0x74 ^ 30u << 7);                  /* jalr x0, t5, 20 */
    emit(rig, addi(13, 13, 1));
    emit(rig, addi(14, 14, 1));
    emit(rig, beq(0, 0, -4 * (int32_t)(rig->count - top)));
}

static void check_maze(const char *const *settings, bool expect_mispredictions)
{
    enum { INSNS = 8000 };
    struct rig *rig = new_rig(settings), *plain = rig_new();
    emit_maze(rig);
    emit_maze(plain);
    finish(rig, INSNS);
    rig_start(plain);
    struct fast *fast = fast_new(&plain->cpu);
    assert_non_null(fast);
    assert_int_equal(fast_run(fast, INSNS), STOP_QUOTA);
    assert_memory_equal(rig->cpu.hart.reg, plain->cpu.hart.reg, 32 * sizeof(uint64_t));
    assert_true(event(rig, EVENT_BRANCHES) > INSNS / 20);
    assert_true((event(rig, EVENT_BRANCHES_MISPREDICTED) != 0) == expect_mispredictions);
    fast_free(fast);
    rig_free(rig);
    rig_free(plain);
}

static void random_branches_and_jumps_are_foreseen(void **state)
{
    (void)state;
    check_maze(SETTINGS("bpred.kind=tage"), true);
    check_maze(SETTINGS(PERFECT), false);
    check_maze(SETTINGS(PERFECT, "fetch.ftq=8"), false);
    check_maze(SETTINGS(PERFECT, "bpred.taken_bubble=2", "lsq.speculation=blind"), false);
    check_maze(SETTINGS(PERFECT, "core.kind=in_order", "dispatch.width=2"), false);
    check_maze(SETTINGS(PERFECT, "rob.entries=4", "lsq.stores=1", "lsq.loads=1"), false);
    check_maze(SETTINGS(PERFECT, "bpred.train=resolve"), false);
}

static void fetch_waits_after_an_instruction_that_acts_at_the_head(void **state)
{
    (void)state;
    enum { ROUNDS = 50 };
    struct rig *rig = new_rig(SETTINGS(PERFECT));
    emit(rig, addi(5, 0, ROUNDS));
    emit(rig, (uint32_t)CSR_mscratch << 20 | 5u << 15 | 1u << 12 | 6u << 7 | 0x73);
    emit(rig, (uint32_t)CSR_mscratch << 20 | 0u << 15 | 2u << 12 | 7u << 7 | 0x73);
    emit(rig, bne(7, 5, 12));                       /* never: mscratch is t0 */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -16));
    finish(rig, 4 + 5 * ROUNDS);
    assert_int_equal(event(rig, EVENT_BRANCHES_MISPREDICTED), 0);
    assert_int_equal(event(rig, EVENT_BRANCHES), 2 * ROUNDS);
    assert_int_equal(rig->cpu.hart.reg[5], 0);
    rig_free(rig);
}

static void a_loop_runs_as_fast_as_a_trained_predictor_lets_it(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(10, 0, 1), addi(11, 0, 1), addi(12, 0, 1)};
    assert_int_equal(warm_cycles(SETTINGS(PERFECT), body, 3), warm_cycles(NULL, body, 3));
    assert_int_equal(warm_cycles(SETTINGS(PERFECT, "bpred.taken_bubble=3"), body, 3),
                     warm_cycles(SETTINGS("bpred.taken_bubble=3"), body, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_branches_and_jumps_are_foreseen),
        cmocka_unit_test(fetch_waits_after_an_instruction_that_acts_at_the_head),
        cmocka_unit_test(a_loop_runs_as_fast_as_a_trained_predictor_lets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
