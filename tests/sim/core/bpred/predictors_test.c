/* Every predictor in the pipeline: the program computes the same, time is the same with and without
 * idle-skipping, and a jump without a prediction waits instead of guessing. */
#include "sim/base/choice.h"
#include "tests/sim/core/rig.h"

enum { ROUNDS = 60 };

static uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | rd << 7 | 0x67;
}

static uint32_t auipc(uint32_t rd)
{
    return rd << 7 | 0x17;
}

/* A loop with a branch that alternates, a call through a register and its return. Per round: 8
 * instructions, and one more in every other. */
static struct rig *program(const char *const *settings)
{
    struct rig *rig = rig_new();
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    emit(rig, addi(5, 0, ROUNDS));
    emit(rig, auipc(12));               /* a2: here */
    emit(rig, addi(13, 0, 0));
    /* loop: */
    emit(rig, add(13, 11, 13));         /* toggles bit 0 */
    emit(rig, r_type(0, 11, 13, 7, 14, 0x33));  /* and a4, a3, a1 */
    emit(rig, beq(14, 0, 8));
    emit(rig, addi(7, 7, 1));           /* odd rounds */
    emit(rig, jalr(1, 12, 40));         /* call `leaf` */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -24));
    emit(rig, beq(0, 0, 12));           /* to the end */
    /* leaf: */
    emit(rig, addi(6, 6, 1));
    emit(rig, jalr(0, 1, 0));
    emit(rig, addi(8, 8, 1));           /* end */
    return rig;
}

static struct rig *run_program(const char *const *settings, bool skip)
{
    struct rig *rig = program(settings);
    const uint64_t executed = 3 + 3 + ROUNDS * 8 + ROUNDS / 2 + 2;
    rig_start(rig);
    assert_int_equal(core_run(rig->core, executed, UINT64_MAX, skip), STOP_QUOTA);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
    assert_int_equal(event(rig, EVENT_INSNS_RETIRED), executed);
    assert_int_equal(rig->cpu.hart.reg[6], ROUNDS);
    assert_int_equal(rig->cpu.hart.reg[7], ROUNDS / 2);
    assert_int_equal(rig->cpu.hart.reg[8], 1);
    return rig;
}

static void every_predictor_leaves_the_program_as_it_is(void **state)
{
    (void)state;
    static const char *const others[][3] = {
        {"bpred.train=commit", "bpred.btb_miss=decode", "bpred.indirect=ittage"},
        {"bpred.train=resolve", "bpred.btb_miss=none", "bpred.indirect=none"},
        {"bpred.history_update=train", "bpred.btb_miss=jumps", "bpred.indirect=btb"},
    };
    const struct choice *choice;
    for (unsigned k = 0; (choice = choice_at(choices_direction + 1, k)) != NULL; k++) {
        char kind[64];
        snprintf(kind, sizeof kind, "bpred.kind=%s", choice->name);
        for (unsigned o = 0; o < 3; o++) {
            const char *settings[] = {kind, others[o][0], others[o][1], others[o][2], NULL};
            struct rig *a = run_program(settings, true), *b = run_program(settings, false);
            assert_memory_equal(a->cpu.pmu.events, b->cpu.pmu.events,
                                sizeof a->cpu.pmu.events);
            rig_free(a);
            rig_free(b);
        }
    }
}

/* Without prediction a call through a register is never wrong, and each costs its execution. */
static void a_jump_without_prediction_waits_and_is_not_mispredicted(void **state)
{
    (void)state;
    static const char *const none[] = {"bpred.indirect=none", "bpred.kind=tage", NULL};
    static const char *const cache[] = {"bpred.indirect=target_cache", "bpred.kind=tage", NULL};
    struct rig *waiting = run_program(none, true), *guessing = run_program(cache, true);
    assert_true(event(waiting, EVENT_CYCLES) > event(guessing, EVENT_CYCLES) + 3 * ROUNDS);
    assert_true(event(waiting, EVENT_BRANCHES_MISPREDICTED) < 30);
    rig_free(waiting);
    rig_free(guessing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_predictor_leaves_the_program_as_it_is),
        cmocka_unit_test(a_jump_without_prediction_waits_and_is_not_mispredicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
