/* Targets of indirect jumps by path, as a front end of several stages reads them: before the
 * branches of the jump's own block, once, and not while they are written. And jumps that turn to
 * what follows them. */
#include "sim/core/bpred/bpred_internal.h"
#include "tests/sim/core/bpred/drive.h"

#define BY_PATH "bpred.indirect=target_cache", "part.indirect_index=1"
enum { TARGET = PC + 0x1b50, OTHER = PC + 0x2c60, END = PC + 10, SETTLED = 8 };

static struct prediction jump_in(struct drive *drive, uint64_t now, uint64_t target)
{
    const struct insn insn = jalr_through(10, 0);
    drive->now = now - 1;
    return step(drive, PC + 8, &insn, KIND_JALR, true, target);
}

/* The predicted target of that jump. */
static uint64_t predict_jump(struct drive *drive, uint64_t now, struct bpred_snapshot *snapshot)
{
    const struct insn insn = jalr_through(10, 0);
    struct prediction prediction;
    bpred_predict(drive->bpred, now, PC + 8, &insn, KIND_JALR, snapshot, &prediction);
    return prediction.next_pc;
}

/* The jump commits; it went to OTHER instead. */
static void commit_other(struct drive *drive, uint64_t now, const struct bpred_snapshot *snapshot)
{
    const struct insn insn = jalr_through(10, 0);
    bpred_mispredicted(drive->bpred, now, &insn, KIND_JALR, snapshot, OTHER);
}

/* The same jump to the same target until the path is full of it. */
static void settle(struct drive *drive)
{
    for (unsigned i = 1; i <= SETTLED; i++)
        jump_in(drive, i, TARGET);
}

/* A branch that alternates tells the target. Returns the wrong predictions in the last 100 of 200
 * rounds. */
static unsigned wrong_after_a_branch(unsigned cycles_between)
{
    struct drive drive;
    unsigned wrong = 0;
    OPEN(&drive, BY_PATH);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t target = i % 2 != 0 ? TARGET : TARGET + 0x100000;      /* on the same path */
        drive.now = 10 * i + 1;
        branch_at(&drive, PC, 64, i % 2 != 0);
        uint64_t found = jump_in(&drive, drive.now + cycles_between, target).next_pc;
        wrong += i >= 100 && found != target;
    }
    drive_close(&drive);
    return wrong;
}

/* It reads the entry written after the branch before, which had the other outcome. */
static void a_jump_does_not_see_the_branch_in_its_block(void **state)
{
    (void)state;
    assert_int_equal(wrong_after_a_branch(1), 0);
    assert_int_equal(wrong_after_a_branch(0), 100);
}

/* A jump with a right target is not learned, and no jump is learned before it commits. */
static void only_mispredictions_that_commit_are_learned(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot snapshot;
    const struct insn insn = jalr_through(10, 0);
    OPEN(&drive, BY_PATH, "bpred.train=resolve");
    settle(&drive);
    predict_jump(&drive, 20, &snapshot);
    bpred_resolve(drive.bpred, 20, PC + 8, &insn, KIND_JALR, &snapshot, true, OTHER);
    bpred_train(drive.bpred, PC + 8, &insn, KIND_JALR, &snapshot, true, OTHER);
    assert_int_equal(predict_jump(&drive, 30, &snapshot), TARGET);
    commit_other(&drive, 31, &snapshot);
    assert_int_equal(predict_jump(&drive, 32, &snapshot), OTHER);
    drive_close(&drive);
}

static uint64_t waits_and_goes_to(struct drive *drive, uint64_t since, uint64_t until)
{
    struct bpred_snapshot snapshot;
    bpred_waits(drive->bpred, since, since, END, false);
    uint64_t target = predict_jump(drive, until, &snapshot);
    bpred_squash(drive->bpred, until);
    bpred_undo(drive->bpred, &snapshot);
    return target;
}

/* The waiting jump has read an entry that says TARGET; a jump that commits meanwhile writes OTHER
 * into the entry. A jump that begins to wait in the cycle of the write finds the value that was
 * read last, which is also TARGET. */
static void a_jump_that_waits_keeps_what_it_has_read(void **state)
{
    (void)state;
    for (uint64_t since = 19; since <= 21; since++) {
        struct drive drive;
        struct bpred_snapshot snapshot;
        OPEN(&drive, BY_PATH);
        settle(&drive);
        predict_jump(&drive, 15, &snapshot);
        bpred_waits(drive.bpred, since, since, END, false);
        if (since >= 20)                /* commit comes before fetch */
            commit_other(&drive, 20, &snapshot);
        uint64_t found = waits_and_goes_to(&drive, since, 25);
        assert_int_equal(found, since <= 20 ? TARGET : OTHER);
        drive_close(&drive);
    }
}

/* The target of a jump on a wrong path enters the path three cycles after the jump's fetch. If it
 * has entered, it stays in the path until the misprediction commits. */
static void a_jump_that_waits_reads_with_the_wrong_path(void **state)
{
    (void)state;
    for (uint64_t age = 3; age <= 4; age++) {
        struct drive drive;
        struct bpred_snapshot snapshot;
        OPEN(&drive, BY_PATH);
        settle(&drive);
        path_follow(drive.bpred, 20 - age, OTHER);
        bpred_squash(drive.bpred, 20);
        bpred_waits(drive.bpred, 21, 21, END, false);
        assert_int_equal(predict_jump(&drive, 24, &snapshot), age == 3 ? TARGET : PC + 12);
        bpred_undo(drive.bpred, &snapshot);
        bpred_flush(drive.bpred, 30);
        bpred_squash(drive.bpred, 30);
        assert_int_equal(waits_and_goes_to(&drive, 31, 32), TARGET);
        drive_close(&drive);
    }
}

/* Fetch goes back to the place where it came in, even if this is the end of the block before. */
static void a_jump_without_an_entry_goes_back_into_its_block(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, BY_PATH, "part.ras_miss=1", "fetch.bytes=16");
    assert_int_equal(jump_in(&drive, 1, TARGET).next_pc, PC);
    bpred_redirected(drive.bpred, 2, PC + 4, false, true);
    assert_int_equal(jump_in(&drive, 2, TARGET).next_pc, PC + 4);
    bpred_redirected(drive.bpred, 3, PC - 32, false, true);
    bpred_reaches(drive.bpred, PC - 2);
    assert_int_equal(jump_in(&drive, 3, TARGET).next_pc, PC - 2);
    drive_close(&drive);
}

/* Once the stack has been loaded, it has no entry below the pointer. A return that waits earlier,
 * or in the cycle of the load, still finds the entry that fetch pushed. */
static void a_return_that_waits_keeps_what_it_has_read(void **state)
{
    (void)state;
    for (uint64_t since = 19; since <= 21; since++) {
        struct drive drive;
        struct bpred_snapshot snapshot;
        struct prediction prediction;
        const struct insn call = jal_by(0x100, 1), ret = jalr_through(1, 0);
        OPEN(&drive, "bpred.ras_repair=committed", "bpred.ras_entries=4", "part.ras_kept=2",
             "part.ras_miss=1", "fetch.bytes=16", "bpred.train=resolve");
        bpred_predict(drive.bpred, 5, PC, &call, KIND_JAL, &snapshot, &prediction);
        bpred_train(drive.bpred, PC, &call, KIND_JAL, &snapshot, true, PC + 0x100);
        if (since >= 20)
            bpred_flush(drive.bpred, 20);
        bpred_waits(drive.bpred, since, since, END, true);
        if (since < 20)
            bpred_flush(drive.bpred, 20);
        bpred_predict(drive.bpred, 30, PC + 0x100, &ret, KIND_JALR, &snapshot, &prediction);
        assert_int_equal(prediction.next_pc, since <= 20 ? PC + 4 : PC + 0x100);
        drive_close(&drive);
    }
}

/* A return turns fetch in each cycle in which it waits, another jump in every second cycle. */
static void a_jump_that_waits_reads_directions(void **state)
{
    (void)state;
    for (unsigned is_return = 0; is_return < 2; is_return++) {
        struct drive drive;
        OPEN(&drive, BY_PATH, "bpred.ras_repair=committed", "bpred.ras_entries=4",
             "part.ras_kept=2", "bpred.kind=bimode", "part.write_buffer=4",
             "bpred.train=resolve");
        for (unsigned waited = 0; waited < 4; waited++) {
            bpred_waits(drive.bpred, 20 + waited, 20, END, is_return != 0);
            assert_int_equal(drive.bpred->by.bimode.read_count,
                             is_return ? waited + 1 : (waited + 1) / 2);
        }
        drive_close(&drive);
    }
}

static void a_jump_waits_for_its_target_unless_it_has_waited(void **state)
{
    (void)state;
    struct drive drive;
    const struct insn ret = jalr_through(1, 0);
    OPEN(&drive, BY_PATH, "part.indirect_bubble=1", "part.indirect_wait=2");
    settle(&drive);
    struct prediction first = jump_in(&drive, 20, TARGET);
    assert_int_equal(first.wait, 2);
    bpred_waits(drive.bpred, 25, 25, END, false);
    struct prediction second = jump_in(&drive, 30, TARGET);
    assert_int_equal(second.wait, 0);
    assert_int_equal(second.bubble + 2, first.bubble);
    assert_int_equal(step(&drive, PC + 16, &ret, KIND_JALR, true, PC + 64).wait, 0);
    drive_close(&drive);
}

/* The jump turns fetch once the BTB knows it, and only with part.jumps_turn. */
static void a_jump_to_what_follows_it_turns(void **state)
{
    (void)state;
    struct drive drive;
    const struct insn jump = jal_by(4, 0);
    for (unsigned turns = 0; turns <= 1; turns++) {
        OPEN(&drive, turns ? "part.jumps_turn=1" : "part.jumps_turn=0",
             "bpred.btb_miss=none", "bpred.taken_bubble=1");
        assert_false(step(&drive, PC, &jump, KIND_JAL, true, PC + 4).turns);
        struct prediction known = step(&drive, PC, &jump, KIND_JAL, true, PC + 4);
        assert_int_equal(known.turns, turns);
        assert_int_equal(known.bubble, turns);
        drive_close(&drive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_does_not_see_the_branch_in_its_block),
        cmocka_unit_test(only_mispredictions_that_commit_are_learned),
        cmocka_unit_test(a_jump_that_waits_keeps_what_it_has_read),
        cmocka_unit_test(a_jump_that_waits_reads_with_the_wrong_path),
        cmocka_unit_test(a_jump_without_an_entry_goes_back_into_its_block),
        cmocka_unit_test(a_return_that_waits_keeps_what_it_has_read),
        cmocka_unit_test(a_jump_that_waits_reads_directions),
        cmocka_unit_test(a_jump_waits_for_its_target_unless_it_has_waited),
        cmocka_unit_test(a_jump_to_what_follows_it_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
