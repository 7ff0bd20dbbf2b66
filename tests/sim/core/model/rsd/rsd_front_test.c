/* RSD's front end in lock step: the cost of a jump that decode corrects, the lines fetched
 * meanwhile, and the time at which a second misprediction is taken. */
#include "tests/sim/core/rig.h"

static struct rig *lockstep_rig(void)
{
    struct rig *rig = rig_new();
    rig->config.part_at_decode = 1;
    rig->config.bpred_train = 1;
    rig->config.bpred_kind = 3;
    rig->config.fetch_width = rig->config.dispatch_width = rig->config.decode_width = 2;
    rig->config.fetch_bytes = 8;
    rig->config.fetch_stages = rig->config.decode_stages = 2;
    rig->config.l1i_prefetch = 0;
    return rig;
}

/* Jumps over one instruction that the BTB has never seen, in one line. */
enum { JUMPS = 6 };
static uint64_t cycles_of_jumps(uint32_t decode_stages, uint64_t *fetched)
{
    struct rig *rig = lockstep_rig();
    rig->config.decode_stages = decode_stages;
    for (unsigned i = 0; i < JUMPS; i++) {
        emit(rig, 8 << 20 | 0x6f);
        emit(rig, addi(6, 0, 1));
    }
    uint64_t cycles = run(rig, rig->count - JUMPS);
    *fetched = event(rig, EVENT_FETCHED);
    rig_free(rig);
    return cycles;
}

/* Fences, each in one group with an addition; the fence comes first or second. */
static uint64_t cycles_of_fences(bool is_first)
{
    enum { FENCES = 8 };
    const uint32_t fence = 0x0ff0000f;
    struct rig *rig = lockstep_rig();
    while (rig->count % 2 != 0)
        emit(rig, addi(6, 0, 1));
    for (unsigned i = 0; i < FENCES; i++) {
        emit(rig, is_first ? fence : addi(6, 0, 1));
        emit(rig, is_first ? addi(6, 0, 1) : fence);
    }
    uint32_t executed = rig->count;
    for (unsigned i = 0; i < FENCES; i++)       /* instructions after them, which commit as well */
        emit(rig, addi(6, 0, 1));
    rig_start(rig);
    assert_int_equal(core_run(rig->core, executed, UINT64_MAX, true), STOP_QUOTA);
    assert_true(core_is_sane(rig->core));
    uint64_t cycles = event(rig, EVENT_CYCLES);
    rig_free(rig);
    return cycles;
}

static void instructions_in_the_group_of_an_older_serial_one_come_when_it_has_gone(void **state)
{
    (void)state;
    assert_true(cycles_of_fences(true) > cycles_of_fences(false));
}

/* The number of lines that miss for a jump over zeros, from offset 44 of a line to the line after
 * the next. */
enum { BEFORE = 11, ZEROS = 20 };
static uint64_t lines_over_zeros(unsigned words)
{
    struct rig *rig = lockstep_rig();
    rig->config.rsd_words = words;
    for (unsigned i = 0; i < BEFORE; i++)
        emit(rig, addi(6, 0, 1));
    emit(rig, (ZEROS + 1) << 22 | 0x6f);
    for (unsigned i = 0; i < ZEROS; i++)
        emit(rig, 0);
    emit(rig, addi(6, 0, 1));
    run(rig, rig->count - ZEROS);
    uint64_t lines = event(rig, EVENT_L1I_MISS);
    rig_free(rig);
    return lines;
}

/* Decode takes fetch back after three more groups. */
static void an_illegal_encoding_is_a_word_without_compressed_instructions(void **state)
{
    (void)state;
    assert_int_equal(lines_over_zeros(1), lines_over_zeros(0) + 1);
}

/* Instructions dispatched when a branch waits for a division, and the code that it jumps over
 * begins with bytes that are no instruction. */
static uint64_t dispatched_after_illegal(unsigned illegal_waits)
{
    const uint32_t illegal = 0x0b;
    struct rig *rig = lockstep_rig();
    rig->config.rsd_illegal_waits = illegal_waits;
    while (rig->count % 2 != 0)
        emit(rig, addi(6, 0, 1));
    emit(rig, divide(6, 10, 11));
    emit(rig, bne(6, 0, 4 * (1 + ZEROS)));      /* the BTB does not know it: not taken */
    emit(rig, illegal);
    for (unsigned i = 1; i < ZEROS; i++)
        emit(rig, addi(7, 0, 1));
    emit(rig, addi(7, 0, 1));
    run(rig, rig->count - ZEROS);
    uint64_t dispatched = event(rig, EVENT_DISPATCHED);
    rig_free(rig);
    return dispatched;
}

static void an_illegal_instruction_may_wait_until_it_is_alone(void **state)
{
    (void)state;
    uint64_t at_once = dispatched_after_illegal(0), waits = dispatched_after_illegal(1);
    assert_true(at_once >= waits + 4);          /* and so do the instructions after it */
}

static void a_jump_unknown_to_the_btb_costs_the_stages_up_to_rename(void **state)
{
    (void)state;
    uint64_t fetched;
    uint64_t shorter = cycles_of_jumps(1, &fetched);
    uint64_t longer = cycles_of_jumps(2, &fetched);
    assert_int_equal(longer, shorter + JUMPS);
    assert_true(fetched >= 3 * JUMPS);      /* and the wrong path was fetched meanwhile */
}

/* A hundred rounds of a loop of two instructions, one at the end of a block and one at the
 * beginning of the next, so that each is a group of its own. Elsewhere a group has `width`
 * instructions. */
static void a_group_stays_one_up_to_dispatch(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = lockstep_rig();
        unsigned rounds = 200 + 100 * i;
        while ((rig->count & 1) == 0)
            emit(rig, addi(7, 0, 1));
        emit(rig, addi(5, 0, (int32_t)rounds));
        while ((rig->count & 1) == 0)
            emit(rig, addi(7, 0, 1));
        unsigned loop = rig->count;
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -4));
        cycles[i] = run(rig, loop + 2 * (uint64_t)rounds);
        rig_free(rig);
    }
    assert_int_equal(cycles[1] - cycles[0], 200);
}

/* Rounds of a loop in whose second block a jump goes to the instruction after it. */
static void a_transfer_predicted_taken_ends_its_group_wherever_it_goes(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = lockstep_rig();
        unsigned rounds = 200 + 100 * i;
        emit(rig, addi(5, 0, (int32_t)rounds));
        while ((rig->count & 1) == 0)
            emit(rig, addi(7, 0, 1));
        unsigned loop = rig->count;
        emit(rig, addi(5, 5, -1));
        emit(rig, 4 << 20 | 0x6f);
        emit(rig, bne(5, 0, -8));
        cycles[i] = run(rig, loop + 3 * (uint64_t)rounds);
        rig_free(rig);
    }
    assert_int_equal(cycles[1] - cycles[0], 300);
}

/* Two branches in a row that are mispredicted: the second while the first is being undone. */
static uint64_t cycles_of_two_mispredictions(uint32_t one_at_a_time, uint32_t commit_least)
{
    struct rig *rig = lockstep_rig();
    rig->config.recover_undo_width = 2;
    rig->config.rsd_commit_least = commit_least;
    rig->config.rsd_one_at_a_time = one_at_a_time;
    for (unsigned i = 0; i < 2; i++) {
        emit(rig, beq(0, 0, 8));            /* the BTB does not know it: not taken */
        emit(rig, addi(6, 0, 1));
    }
    emit(rig, addi(6, 0, 1));
    uint64_t cycles = run(rig, rig->count - 2);
    rig_free(rig);
    return cycles;
}

static void a_misprediction_waits_while_another_is_undone(void **state)
{
    (void)state;
    uint64_t plain = cycles_of_two_mispredictions(0, 0);
    assert_int_equal(cycles_of_two_mispredictions(1, 0), plain);
    uint64_t waiting = cycles_of_two_mispredictions(1, 40);
    assert_int_equal(cycles_of_two_mispredictions(1, 80), waiting + 40);
    assert_true(waiting > cycles_of_two_mispredictions(0, 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_illegal_encoding_is_a_word_without_compressed_instructions),
        cmocka_unit_test(
            instructions_in_the_group_of_an_older_serial_one_come_when_it_has_gone),
        cmocka_unit_test(an_illegal_instruction_may_wait_until_it_is_alone),
        cmocka_unit_test(a_jump_unknown_to_the_btb_costs_the_stages_up_to_rename),
        cmocka_unit_test(a_group_stays_one_up_to_dispatch),
        cmocka_unit_test(a_transfer_predicted_taken_ends_its_group_wherever_it_goes),
        cmocka_unit_test(a_misprediction_waits_while_another_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
