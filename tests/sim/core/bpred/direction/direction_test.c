/* Directions: predictions worked out by hand, and patterns that each predictor can and cannot
 * learn. */
#include "tests/sim/core/bpred/drive.h"

#include <string.h>

/* Does the predictor say `expected` ('T', 'N') for these outcomes, one branch after another? */
static void assert_predicts(struct drive *drive, const char *outcomes, const char *expected)
{
    char predicted[64] = "";
    assert_true(strlen(outcomes) < sizeof predicted);
    for (unsigned i = 0; outcomes[i] != '\0'; i++)
        predicted[i] = branch_at(drive, PC, -64, outcomes[i] == 'T') ? 'T' : 'N';
    assert_string_equal(predicted, expected);
}

/* The next outcome of a pseudo-random sequence: bit 16 of a linear congruence. */
static bool noise(uint32_t *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 16 & 1;
}

static void not_taken_and_static_never_learn(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=not_taken");
    assert_predicts(&drive, "TTTT", "NNNN");
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=static");
    assert_predicts(&drive, "NNNN", "TTTT");
    assert_false(branch_at(&drive, PC, 64, true));
    drive_close(&drive);
}

/* 1 is weakly not taken; taken from 2 on; the counter stays within 0..3. */
static void a_two_bit_counter_turns_after_two_surprises(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=bimodal");
    assert_predicts(&drive, "TTTTNTNNNNNTT", "NTTTTTTTNNNNN");
    assert_predicts(&drive, "T", "T");
    drive_close(&drive);
}

static void counters_have_the_width_and_the_start_that_is_set(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=bimodal", "bpred.counter_bits=1", "bpred.counter_initial=0");
    assert_predicts(&drive, "TNTTN", "NTNTT");
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=bimodal", "bpred.counter_bits=3", "bpred.counter_initial=7");
    assert_predicts(&drive, "NNNNNTT", "TTTTNNN");
    drive_close(&drive);
}

static void a_branch_never_seen_is_predicted_by_its_direction(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=bimodal", "part.unseen=1");
    assert_true(branch_at(&drive, PC, -64, false));
    assert_false(branch_at(&drive, PC, -64, false));
    assert_false(branch_at(&drive, PC + 4, 64, false));
    drive_close(&drive);
}

/* Of 20 counters, an index of five bits: 20 to 31 are 0 to 11 again. */
static void a_table_of_any_size_begins_again_after_its_last_counter(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=bimodal", "bpred.entries=20");
    uint64_t first = PC & ~UINT64_C(0x3f);
    branch_at(&drive, first + 2 * 3, -64, true);
    assert_true(branch_at(&drive, first + 2 * 23, -64, true));
    assert_true(branch_at(&drive, first + 2 * (32 + 3), -64, true));
    for (unsigned i = 0; i < 32; i++)
        if (i != 3 && i != 23)
            assert_false(branch_at(&drive, first + 2 * i, -64, false));
    drive_close(&drive);
}

/* Two branches whose pcs differ above the index meet in one counter; below it, not. */
static void bimodal_shares_counters_by_low_bits_of_the_pc(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=bimodal", "bpred.entries=16");
    branch_at(&drive, PC, -64, true);
    assert_true(branch_at(&drive, PC + 32, -64, true));
    assert_false(branch_at(&drive, PC + 2, -64, true));
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=bimodal", "bpred.entries=16", "bpred.pc_shift=2");
    branch_at(&drive, PC, -64, true);
    assert_true(branch_at(&drive, PC + 64, -64, true));
    assert_false(branch_at(&drive, PC + 32, -64, true));
    drive_close(&drive);
}

/* One bit of history and one branch: a counter after T, one after N. The alternation is wrong
 * until each has been seen once; a bimodal counter that starts at 1 is always wrong. */
static void gshare_learns_an_alternation_that_bimodal_cannot(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=1");
    assert_predicts(&drive, "TNTNTNTN", "NNTNTNTN");
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=bimodal");
    assert_predicts(&drive, "TNTNTNTN", "NTNTNTNT");
    drive_close(&drive);
}

/* pc_bits = 0: branches with the same history share a counter. history_shift moves history above
 * the bits of these pcs, so that they no longer meet. */
static void the_index_is_hashed_as_set(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=0", "bpred.pc_bits=0");
    branch_at(&drive, PC, -64, true);
    assert_true(branch_at(&drive, PC + 8, -64, true));
    drive_close(&drive);
    /* history 1 after one taken branch: (pc >> 1) ^ 1 is the counter of pc + 2 with history 0 */
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=1");
    branch_at(&drive, PC, -64, true);           /* counter 0 */
    assert_true(branch_at(&drive, PC + 2, -64, true));
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=1", "part.history_shift=3");
    branch_at(&drive, PC, -64, true);
    assert_false(branch_at(&drive, PC + 2, -64, true));
    assert_true(branch_at(&drive, PC + 16, -64, true));     /* 8 ^ 8: the first counter */
    drive_close(&drive);
}

/* Two branches in flight at once: each moves the counter by a step, or both write the value after
 * the one that both saw. The counter begins two steps below taken. */
static void carried_counters_are_written_from_what_the_prediction_saw(void **state)
{
    (void)state;
    const struct insn insn = branch_by(-64);
    for (unsigned carried = 0; carried < 2; carried++) {
        struct drive drive;
        struct bpred_snapshot snapshot[2];
        struct prediction prediction;
        OPEN(&drive, "bpred.kind=gshare", "bpred.history=0", "bpred.counter_bits=3",
             "bpred.counter_initial=2",
             carried ? "part.carried_counters=1" : "part.carried_counters=0");
        for (unsigned i = 0; i < 2; i++)
            bpred_predict(drive.bpred, i, PC, &insn, KIND_BRANCH, &snapshot[i], &prediction);
        for (unsigned i = 0; i < 2; i++)
            bpred_train(drive.bpred, PC, &insn, KIND_BRANCH, &snapshot[i], true, PC - 64);
        assert_int_equal(branch_at(&drive, PC, -64, true), !carried);
        drive_close(&drive);
    }
}

/* Two branches of opposite bias share every counter of gshare without pc; bi-mode's choice keeps
 * them apart. */
static void bimode_keeps_branches_of_opposite_bias_apart(void **state)
{
    (void)state;
    unsigned wrong[2];
    for (unsigned i = 0; i < 2; i++) {
        struct drive drive;
        OPEN(&drive, i == 0 ? "bpred.kind=gshare" : "bpred.kind=bimode", "bpred.pc_bits=0",
             "bpred.history=0");
        for (unsigned n = 0; n < 100; n++) {
            branch_at(&drive, PC, -64, true);
            branch_at(&drive, PC + 4, -64, false);
        }
        wrong[i] = drive.wrong;
        drive_close(&drive);
    }
    assert_int_equal(wrong[0], 200);    /* the counter goes 1, 2, 1, 2 */
    assert_int_equal(wrong[1], 2);      /* each once, until the first has chosen its bank */
}

/* A period that the noise of another branch hides from global history, but not from local. */
static unsigned misses_among_noise(const char *kind)
{
    struct drive drive;
    uint32_t random = 1;
    unsigned wrong = 0;
    OPEN(&drive, kind);
    for (unsigned i = 0; i < 6000; i++) {
        for (unsigned n = 0; n < 6; n++)
            branch_at(&drive, PC + 64, 64, noise(&random));
        bool outcome = i % 5 < 2, predicted = branch_at(&drive, PC, -64, outcome);
        wrong += i >= 5000 && predicted != outcome;
    }
    drive_close(&drive);
    return wrong;
}

static void the_tournament_takes_local_history_where_it_is_better(void **state)
{
    (void)state;
    assert_true(misses_among_noise("bpred.kind=gshare") > 400);
    assert_true(misses_among_noise("bpred.kind=tournament") < 200);
}

/* Every second branch repeats the outcome of the branch before it, which is random. */
static unsigned misses_of_copy(const char *kind)
{
    struct drive drive;
    uint32_t random = 7;
    unsigned wrong = 0;
    OPEN(&drive, kind);
    for (unsigned i = 0; i < 2000; i++) {
        bool outcome = noise(&random);
        branch_at(&drive, PC, 64, outcome);
        wrong += branch_at(&drive, PC + 32, 64, outcome) != outcome && i >= 1000;
    }
    drive_close(&drive);
    return wrong;
}

static void predictors_with_global_history_learn_a_correlation(void **state)
{
    (void)state;
    assert_true(misses_of_copy("bpred.kind=bimodal") > 350);
    assert_true(misses_of_copy("bpred.kind=perceptron") == 0);
    assert_true(misses_of_copy("bpred.kind=tage") < 40);
    assert_true(misses_of_copy("bpred.kind=tage_sc_l") < 20);
}

/* The third branch is the exclusive or of two random ones: no sum of weights separates it. */
static unsigned misses_of_xor(const char *kind)
{
    struct drive drive;
    uint32_t random = 3;
    unsigned wrong = 0;
    OPEN(&drive, kind, "bpred.history=2");
    for (unsigned i = 0; i < 2000; i++) {
        bool a = noise(&random), b = noise(&random);
        branch_at(&drive, PC, 64, a);
        branch_at(&drive, PC + 8, 64, b);
        wrong += branch_at(&drive, PC + 16, 64, a != b) != (a != b) && i >= 1000;
    }
    drive_close(&drive);
    return wrong;
}

static void a_perceptron_cannot_learn_exclusive_or(void **state)
{
    (void)state;
    assert_true(misses_of_xor("bpred.kind=perceptron") > 250);
    assert_int_equal(misses_of_xor("bpred.kind=gshare"), 0);
}

/* Training adds 1 to the bias and to each weight whose history bit agrees with the outcome. Two
 * taken branches: the sums before them are 0 and w0 - w1 - w2 = 1 + 1 + 1 (history not taken, but
 * the second bit is taken now). */
static void perceptron_sums_are_those_of_the_paper(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=perceptron", "bpred.history=2");
    /* sum 0: taken. Outcome N: w0 = -1, w1 = w2 = +1 (history NN agrees with N). */
    assert_true(branch_at(&drive, PC, 64, false));
    /* NN: -1 - 1 - 1 = -3: not taken. Outcome T: w = 0, 0, 0. */
    assert_false(branch_at(&drive, PC, 64, true));
    /* TN: 0: taken. Outcome T: w0 = 1, w1 = 1 (T), w2 = -1 (N). */
    assert_true(branch_at(&drive, PC, 64, true));
    /* TT: 1 + 1 - 1 = 1: taken. */
    assert_true(branch_at(&drive, PC, 64, true));
    drive_close(&drive);
}

/* Nineteen taken, one not, one branch alone: beyond gshare's 12 bits, within TAGE's 640. */
static void tage_learns_a_long_pattern(void **state)
{
    (void)state;
    static const char pattern[] = "TTTTTTTTTTTTTTTTTTTN";
    struct drive drive;
    OPEN(&drive, "bpred.kind=gshare");
    assert_int_equal(misses_of(&drive, pattern, 20, 4000, 200), 10);
    drive_close(&drive);
    OPEN(&drive, "bpred.kind=tage");
    assert_int_equal(misses_of(&drive, pattern, 20, 4000, 200), 0);
    drive_close(&drive);
}

/* A loop of 100 with a random branch inside: no history helps, counting does. */
static unsigned misses_of_exits(const char *loop_entries)
{
    struct drive drive;
    uint32_t random = 5;
    unsigned wrong = 0;
    OPEN(&drive, "bpred.kind=tage_sc_l", "bpred.tage_max_history=64",
         "bpred.corrector_entries=0", loop_entries);
    for (unsigned i = 0; i < 20000; i++) {
        branch_at(&drive, PC + 512, 64, noise(&random));
        bool taken = i % 100 != 99;
        wrong += branch_at(&drive, PC, -64, taken) != taken && i >= 15000;
    }
    drive_close(&drive);
    return wrong;
}

static void the_loop_predictor_counts_what_history_cannot_hold(void **state)
{
    (void)state;
    assert_true(misses_of_exits("bpred.loop_entries=0") >= 45);
    assert_int_equal(misses_of_exits("bpred.loop_entries=64"), 0);
}

/* Taken four times of five at random: TAGE chases the noise, the corrector reverts it. */
static unsigned misses_of_bias(const char *corrector)
{
    struct drive drive;
    uint32_t random = 9;
    OPEN(&drive, "bpred.kind=tage_sc_l", corrector);
    for (unsigned i = 0; i < 20000; i++) {
        random = random * 1103515245 + 12345;
        if (i == 10000)
            drive.wrong = 0;
        branch_at(&drive, PC, 64, (random >> 16) % 5 != 0);
    }
    drive_close(&drive);
    return drive.wrong;
}

static void the_corrector_falls_back_to_the_bias_of_a_random_branch(void **state)
{
    (void)state;
    unsigned without = misses_of_bias("bpred.corrector_entries=0");
    unsigned with = misses_of_bias("bpred.corrector_entries=1024");
    assert_true(with + 80 < without);
    assert_true(with < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_taken_and_static_never_learn),
        cmocka_unit_test(a_two_bit_counter_turns_after_two_surprises),
        cmocka_unit_test(counters_have_the_width_and_the_start_that_is_set),
        cmocka_unit_test(a_branch_never_seen_is_predicted_by_its_direction),
        cmocka_unit_test(a_table_of_any_size_begins_again_after_its_last_counter),
        cmocka_unit_test(bimodal_shares_counters_by_low_bits_of_the_pc),
        cmocka_unit_test(carried_counters_are_written_from_what_the_prediction_saw),
        cmocka_unit_test(gshare_learns_an_alternation_that_bimodal_cannot),
        cmocka_unit_test(the_index_is_hashed_as_set),
        cmocka_unit_test(bimode_keeps_branches_of_opposite_bias_apart),
        cmocka_unit_test(the_tournament_takes_local_history_where_it_is_better),
        cmocka_unit_test(predictors_with_global_history_learn_a_correlation),
        cmocka_unit_test(a_perceptron_cannot_learn_exclusive_or),
        cmocka_unit_test(perceptron_sums_are_those_of_the_paper),
        cmocka_unit_test(tage_learns_a_long_pattern),
        cmocka_unit_test(the_loop_predictor_counts_what_history_cannot_hold),
        cmocka_unit_test(the_corrector_falls_back_to_the_bias_of_a_random_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
