/* The traces of a wrong path: with full repair there is none that a prediction could show. */
#include "sim/base/choice.h"
#include "tests/sim/core/bpred/drive.h"

#include <string.h>

enum { STEPS = 4000, WRONG_PATH = 12 };

/* A transfer of a small random program: eight branches, two calls, two returns, two jumps. */
struct transfer { uint64_t pc, target; struct insn insn; unsigned kind; bool taken; };

static uint32_t draw(uint32_t *random, uint32_t below)
{
    *random = *random * 1103515245 + 12345;
    return (*random >> 16) % below;
}

static struct transfer random_transfer(uint32_t *random)
{
    uint32_t what = draw(random, 14);
    struct transfer transfer = {.pc = PC + 64 * what, .taken = true};
    transfer.target = PC + 4096 + 32 * (uint64_t)draw(random, 3);
    transfer.kind = KIND_JALR;
    if (what < 8) {
        transfer.kind = KIND_BRANCH;
        transfer.insn = branch_by(what % 2 == 0 ? -32 : 32);
        transfer.target = transfer.pc + (uint64_t)(int64_t)transfer.insn.imm;
        transfer.taken = draw(random, 4) != 0;
    } else if (what < 10) {
        transfer.insn = jalr_through(10, 1);        /* indirect call */
    } else if (what < 12) {
        transfer.insn = jalr_through(1, 0);         /* return */
    } else {
        transfer.insn = jalr_through(10, 0);        /* indirect jump */
    }
    return transfer;
}

/* Fetches a wrong path and throws it away, the youngest first. */
static void take_wrong_path(struct bpred *bpred, uint32_t *random)
{
    struct bpred_snapshot snapshot[WRONG_PATH];
    struct prediction prediction;
    uint32_t length = draw(random, WRONG_PATH);
    for (uint32_t i = 0; i < length; i++) {
        const struct transfer wrong = random_transfer(random);
        bpred_predict(bpred, 1, wrong.pc, &wrong.insn, wrong.kind, &snapshot[i], &prediction);
    }
    while (length-- != 0)
        bpred_undo(bpred, &snapshot[length]);
}

static uint64_t run(const char *const *settings, bool with_wrong_paths, uint64_t next_pc[STEPS])
{
    struct drive drive;
    uint32_t random = 1, wrong_random = 99;
    uint64_t wrong = 0;
    drive_open(&drive, settings);
    for (unsigned i = 0; i < STEPS; i++) {
        const struct transfer transfer = random_transfer(&random);
        const struct insn *insn = &transfer.insn;
        struct bpred_snapshot snapshot;
        struct prediction prediction;
        uint64_t next = transfer.taken ? transfer.target : transfer.pc + insn->length;
        bpred_predict(drive.bpred, 1, transfer.pc, insn, transfer.kind, &snapshot, &prediction);
        next_pc[i] = prediction.next_pc;
        if (with_wrong_paths)
            take_wrong_path(drive.bpred, &wrong_random);
        if (prediction.next_pc != next) {
            wrong++;
            bpred_correct(drive.bpred, transfer.pc, insn, transfer.kind, &snapshot,
                          transfer.taken, next);
        }
        bpred_train(drive.bpred, transfer.pc, insn, transfer.kind, &snapshot, transfer.taken,
                    transfer.target);
    }
    drive_close(&drive);
    return wrong;
}

/* A direct-mapped BTB: the order of use in its sets is not repaired. */
static void a_wrong_path_changes_no_later_prediction(void **state)
{
    (void)state;
    static const char *const updates[] = {"bpred.history_update=fetch",
                                          "bpred.history_update=train"};
    static uint64_t alone[STEPS], disturbed[STEPS];
    const struct choice *choice;
    for (unsigned k = 0; (choice = choice_at(choices_direction + 1, k)) != NULL; k++) {
        char kind[64];
        snprintf(kind, sizeof kind, "bpred.kind=%s", choice->name);
        for (unsigned u = 0; u < 2; u++) {
            const char *settings[] = {kind, updates[u], "bpred.btb_ways=1",
                                      "bpred.indirect=ittage", NULL};
            uint64_t wrong = run(settings, false, alone);
            assert_true(wrong > STEPS / 10 && wrong < STEPS);
            assert_int_equal(run(settings, true, disturbed), wrong);
            assert_memory_equal(alone, disturbed, sizeof alone);
        }
    }
}

/* A loop of forty, too long for this TAGE, and wrong paths that go round it up to seven times. */
static void iterations_on_a_wrong_path_are_not_counted(void **state)
{
    (void)state;
    struct drive drive;
    const struct insn insn = branch_by(-64);
    unsigned wrong = 0;
    OPEN(&drive, "bpred.kind=tage_sc_l", "bpred.tage_max_history=16",
         "bpred.corrector_entries=0");
    for (unsigned i = 0; i < 8000; i++) {
        struct bpred_snapshot snapshot, round[8];
        struct prediction prediction;
        bool taken = i % 40 != 39;
        uint64_t next = taken ? PC - 64 : PC + 4;
        bpred_predict(drive.bpred, 1, PC, &insn, KIND_BRANCH, &snapshot, &prediction);
        bool is_wrong = prediction.next_pc != next;
        wrong += is_wrong && i >= 6000;
        unsigned rounds = i % 8;
        for (unsigned n = 0; n < rounds; n++) {
            struct prediction ignored;
            bpred_predict(drive.bpred, 1, PC, &insn, KIND_BRANCH, &round[n], &ignored);
        }
        while (rounds-- != 0)
            bpred_undo(drive.bpred, &round[rounds]);
        if (is_wrong)
            bpred_correct(drive.bpred, PC, &insn, KIND_BRANCH, &snapshot, taken, next);
        bpred_train(drive.bpred, PC, &insn, KIND_BRANCH, &snapshot, taken, PC - 64);
    }
    assert_int_equal(wrong, 0);
    drive_close(&drive);
}

/* ---- the return stack ------------------------------------------------------------------------ */

static void call(struct bpred *bpred, uint64_t pc, struct bpred_snapshot *snapshot)
{
    const struct insn insn = jal_by(256, 1);
    struct prediction prediction;
    bpred_predict(bpred, 1, pc, &insn, KIND_JAL, snapshot, &prediction);
}

static uint64_t returns_to(struct bpred *bpred, struct bpred_snapshot *snapshot)
{
    const struct insn insn = jalr_through(1, 0);
    struct prediction prediction;
    bpred_predict(bpred, 1, PC + 0x800, &insn, KIND_JALR, snapshot, &prediction);
    return prediction.next_pc;
}

/* Calls from A and B; then, on a wrong path, two returns and calls from C and D, which overwrite
 * both entries. The wrong path is thrown away. Where do the next two returns go? */
static void assert_returns(const char *repair, uint64_t first, uint64_t second)
{
    struct drive drive;
    struct bpred_snapshot right, wrong[4];
    OPEN(&drive, repair);
    call(drive.bpred, PC, &right);
    call(drive.bpred, PC + 0x100, &right);
    returns_to(drive.bpred, &wrong[0]);
    returns_to(drive.bpred, &wrong[1]);
    call(drive.bpred, PC + 0x200, &wrong[2]);
    call(drive.bpred, PC + 0x300, &wrong[3]);
    for (unsigned i = 4; i-- != 0;)
        bpred_undo(drive.bpred, &wrong[i]);
    assert_int_equal(returns_to(drive.bpred, &right), first);
    assert_int_equal(returns_to(drive.bpred, &right), second);
    drive_close(&drive);
}

static void the_return_stack_is_repaired_as_far_as_set(void **state)
{
    (void)state;
    assert_returns("bpred.ras_repair=full", PC + 0x104, PC + 4);
    assert_returns("bpred.ras_repair=top_entry", PC + 0x104, PC + 0x204);
    assert_returns("bpred.ras_repair=top_pointer", PC + 0x304, PC + 0x204);
    /* the stack is as the wrong path left it: the pointer leads to the entries of D and C */
    assert_returns("bpred.ras_repair=none", PC + 0x304, PC + 0x204);
}

/* Only the pointer differs: the wrong path has a call alone. */
static void without_repair_the_pointer_stays(void **state)
{
    (void)state;
    static const char *const repairs[] = {"bpred.ras_repair=none", "bpred.ras_repair=top_pointer"};
    for (unsigned i = 0; i < 2; i++) {
        struct drive drive;
        struct bpred_snapshot right, wrong;
        OPEN(&drive, repairs[i]);
        call(drive.bpred, PC, &right);
        call(drive.bpred, PC + 0x100, &wrong);
        bpred_undo(drive.bpred, &wrong);
        assert_int_equal(returns_to(drive.bpred, &right), i == 0 ? PC + 0x104 : PC + 4);
        drive_close(&drive);
    }
}

static void an_empty_stack_says_so_and_a_full_one_forgets_the_oldest(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    const struct insn insn = jalr_through(1, 0);
    OPEN(&drive, "bpred.ras_entries=2");
    bpred_predict(drive.bpred, 1, PC, &insn, KIND_JALR, &snapshot, &prediction);
    assert_true(prediction.ras_underflow);
    assert_int_equal(prediction.next_pc, PC + 4);
    for (uint64_t i = 0; i < 3; i++)
        call(drive.bpred, PC + 16 * i, &snapshot);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 32 + 4);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 16 + 4);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 32 + 4);     /* overwritten */
    drive_close(&drive);
}

/* A branch, not taken, and a call in one cycle; then the same in two. */
static void the_first_transfer_of_a_cycle_alone_moves_the_stack(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    const struct insn branch = branch_by(64), jal = jal_by(64, 1), ret = jalr_through(1, 0);
    OPEN(&drive, "bpred.kind=not_taken", "part.ras_first=1");
    for (uint64_t apart = 0; apart < 2; apart++) {
        bpred_predict(drive.bpred, 10 + apart, PC, &branch, KIND_BRANCH, &snapshot, &prediction);
        bpred_predict(drive.bpred, 10 + 2 * apart, PC + 4, &jal, KIND_JAL, &snapshot, &prediction);
        bpred_predict(drive.bpred, 20 + apart, PC + 68, &ret, KIND_JALR, &snapshot, &prediction);
        assert_int_equal(prediction.ras_underflow, apart == 0);
    }
    bpred_predict(drive.bpred, 30, PC, &jal, KIND_JAL, &snapshot, &prediction);
    for (unsigned i = 0; i < 2; i++) {  /* a return after the branch looks, and leaves it there */
        bpred_predict(drive.bpred, 31, PC, &branch, KIND_BRANCH, &snapshot, &prediction);
        bpred_predict(drive.bpred, 31 + i, PC + 64, &ret, KIND_JALR, &snapshot, &prediction);
        assert_int_equal(prediction.next_pc, PC + 4);
    }
    drive_close(&drive);
}

/* ---- a stack that commit keeps --------------------------------------------------------------- */

static void commit_call(struct bpred *bpred, uint64_t pc)
{
    const struct insn insn = jal_by(256, 1);
    const struct bpred_snapshot snapshot = {0};
    bpred_train(bpred, pc, &insn, KIND_JAL, &snapshot, true, pc + 256);
}

static void commit_return(struct bpred *bpred)
{
    const struct insn insn = jalr_through(1, 0);
    const struct bpred_snapshot snapshot = {0};
    bpred_train(bpred, PC + 0x800, &insn, KIND_JALR, &snapshot, true, PC);
}

#define COMMITTED "bpred.ras_repair=committed", "bpred.ras_entries=4", "part.ras_kept=2"

static uint64_t return_from(struct bpred *bpred, uint64_t pc)
{
    const struct insn insn = jalr_through(1, 0);
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bpred_predict(bpred, 1, pc, &insn, KIND_JALR, &snapshot, &prediction);
    return prediction.next_pc;
}

/* Nothing is undone at once. When the mispredicted instruction commits, the pointer is right again,
 * and there are no entries below it. */
static void calls_before_a_misprediction_are_forgotten(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot right, wrong;
    OPEN(&drive, COMMITTED, "part.ras_miss=1");
    call(drive.bpred, PC, &right);
    commit_call(drive.bpred, PC);
    call(drive.bpred, PC + 0x100, &wrong);
    bpred_undo(drive.bpred, &wrong);
    bpred_flush(drive.bpred, 1);
    call(drive.bpred, PC + 0x200, &right);
    assert_int_equal(returns_to(drive.bpred, &right), PC + 0x204);
    assert_int_equal(returns_to(drive.bpred, &right), PC + 0x800);     /* empty: its own block */
    drive_close(&drive);
}

/* A return with nothing on the stack goes to the place at which fetch came into its block: into the
 * middle of the block after a transfer or a misprediction, otherwise its start; not to the
 * instruction after the return. */
static void a_return_without_a_stack_goes_back_to_where_fetch_came_in(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    const struct insn jal = jal_by(64, 0);
    OPEN(&drive, COMMITTED, "part.ras_miss=1", "fetch.bytes=16");
    assert_int_equal(return_from(drive.bpred, PC + 12), PC);
    bpred_predict(drive.bpred, 1, PC + 4 - 64, &jal, KIND_JAL, &snapshot, &prediction);
    assert_int_equal(prediction.next_pc, PC + 4);
    assert_int_equal(return_from(drive.bpred, PC + 12), PC + 4);
    assert_int_equal(return_from(drive.bpred, PC + 12), PC + 4);
    assert_int_equal(return_from(drive.bpred, PC + 28), PC + 16);
    bpred_redirected(drive.bpred, 2, PC + 8, false, true);
    assert_int_equal(return_from(drive.bpred, PC + 12), PC + 8);
    bpred_redirected(drive.bpred, 3, PC + 12, false, true);
    assert_int_equal(return_from(drive.bpred, PC + 8), PC);
    drive_close(&drive);
}

/* If only one of the committed pointer and the pointer of fetch has gone round the ring, the loaded
 * stack counts from the beginning; only the entries of the last two calls have been written. */
static void wrap_bits_that_disagree_save_the_stack(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    OPEN(&drive, COMMITTED);
    for (uint64_t i = 0; i < 3; i++) {
        call(drive.bpred, PC + 0x100 * i, &snapshot);
        commit_call(drive.bpred, PC + 0x100 * i);
    }
    call(drive.bpred, PC + 0x300, &snapshot);           /* on a wrong path: fetch has wrapped */
    bpred_flush(drive.bpred, 1);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 0x204);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 0x104);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 4);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 0x804);
    drive_close(&drive);
}

static void returns_that_commit_take_the_pointer_back(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    OPEN(&drive, COMMITTED);
    for (uint64_t i = 0; i < 3; i++) {
        call(drive.bpred, PC + 0x100 * i, &snapshot);
        commit_call(drive.bpred, PC + 0x100 * i);
    }
    commit_return(drive.bpred);
    call(drive.bpred, PC + 0x300, &snapshot);
    bpred_flush(drive.bpred, 1);
    assert_int_equal(returns_to(drive.bpred, &snapshot), PC + 0x104);
    drive_close(&drive);
}

static uint64_t returns_at(struct bpred *bpred, uint64_t now)
{
    const struct insn insn = jalr_through(1, 0);
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bpred_predict(bpred, now, PC + 0x800, &insn, KIND_JALR, &snapshot, &prediction);
    return prediction.next_pc;
}

/* Three calls. A return in the cycle after another return does not see that the other has
 * popped. */
static void a_return_right_after_a_return_goes_where_that_one_went(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    OPEN(&drive, COMMITTED);
    for (uint64_t i = 0; i < 3; i++)
        call(drive.bpred, PC + 0x100 * i, &snapshot);
    assert_int_equal(returns_at(drive.bpred, 10), PC + 0x204);
    assert_int_equal(returns_at(drive.bpred, 11), PC + 0x204);
    assert_int_equal(returns_at(drive.bpred, 13), PC + 4);
    drive_close(&drive);
}

/* A return acts two cycles after its fetch. */
static void a_return_squashed_before_it_acts_leaves_the_committed_stack(void **state)
{
    (void)state;
    for (uint64_t cycles = 2; cycles <= 3; cycles++) {
        struct drive drive;
        struct bpred_snapshot snapshot;
        OPEN(&drive, COMMITTED);
        call(drive.bpred, PC, &snapshot);
        call(drive.bpred, PC + 0x100, &snapshot);
        returns_at(drive.bpred, 20);
        bpred_squash(drive.bpred, 20 + cycles);
        assert_int_equal(returns_at(drive.bpred, 30), cycles == 2 ? PC + 0x104 : PC + 4);
        drive_close(&drive);
    }
}

/* A call on a wrong path, squashed one or two cycles after its fetch. */
static void a_transfer_squashed_before_it_moves_the_stack_leaves_it(void **state)
{
    (void)state;
    for (uint64_t cycles = 1; cycles <= 2; cycles++) {
        struct drive drive;
        struct bpred_snapshot snapshot;
        struct prediction prediction;
        const struct insn jal = jal_by(64, 1), ret = jalr_through(1, 0);
        OPEN(&drive, "bpred.ras_repair=none", "part.ras_stage=2", "bpred.ras_entries=2");
        bpred_predict(drive.bpred, 10, PC, &jal, KIND_JAL, &snapshot, &prediction);
        bpred_predict(drive.bpred, 20, PC + 64, &jal, KIND_JAL, &snapshot, &prediction);
        bpred_squash(drive.bpred, 20 + cycles);
        bpred_predict(drive.bpred, 30, PC + 128, &ret, KIND_JALR, &snapshot, &prediction);
        assert_int_equal(prediction.next_pc, cycles == 1 ? PC + 4 : PC + 68);
        bpred_squash(drive.bpred, 31);          /* the return has not happened either */
        bpred_predict(drive.bpred, 40, PC + 128, &ret, KIND_JALR, &snapshot, &prediction);
        assert_int_equal(prediction.next_pc, cycles == 1 ? PC + 4 : PC + 68);
        drive_close(&drive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_path_changes_no_later_prediction),
        cmocka_unit_test(iterations_on_a_wrong_path_are_not_counted),
        cmocka_unit_test(the_return_stack_is_repaired_as_far_as_set),
        cmocka_unit_test(without_repair_the_pointer_stays),
        cmocka_unit_test(an_empty_stack_says_so_and_a_full_one_forgets_the_oldest),
        cmocka_unit_test(the_first_transfer_of_a_cycle_alone_moves_the_stack),
        cmocka_unit_test(a_transfer_squashed_before_it_moves_the_stack_leaves_it),
        cmocka_unit_test(calls_before_a_misprediction_are_forgotten),
        cmocka_unit_test(a_return_without_a_stack_goes_back_to_where_fetch_came_in),
        cmocka_unit_test(wrap_bits_that_disagree_save_the_stack),
        cmocka_unit_test(returns_that_commit_take_the_pointer_back),
        cmocka_unit_test(a_return_right_after_a_return_goes_where_that_one_went),
        cmocka_unit_test(a_return_squashed_before_it_acts_leaves_the_committed_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
