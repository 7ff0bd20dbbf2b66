/* Prediction by rows: the answer of one entry for a block, its change by a late misprediction, and
 * the moves of the return stack. */
#include "tests/sim/core/bpred/drive.h"

enum { ROW = 8 };

static void open_rows(struct drive *drive)
{
    OPEN(drive, "part.lookup=1", "fetch.bytes=8", "bpred.kind=bimodal",
         "bpred.entries=512", "bpred.pc_shift=2", "bpred.counter_initial=3",
         "bpred.train=resolve", "bpred.btb_entries=32", "bpred.btb_ways=32",
         "bpred.ras_entries=8");
}

/* Fetch begins at pc; where does it go after the transfer there? */
static uint64_t next_of(struct drive *drive, uint64_t from, uint64_t pc, const struct insn *insn,
                        unsigned kind)
{
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bpred_see_row(drive->bpred, drive->now, from);
    bpred_predict(drive->bpred, drive->now, pc, insn, kind, &snapshot, &prediction);
    return prediction.next_pc;
}

/* A misprediction that is noticed in this cycle, in time. */
static void learn(struct drive *drive, uint64_t pc, const struct insn *insn, unsigned kind,
                  uint64_t next_pc)
{
    struct bpred_snapshot snapshot = {0};
    bpred_squash(drive->bpred, drive->now);
    bpred_correct(drive->bpred, pc, insn, kind, &snapshot, next_pc != pc + 4, next_pc);
}

static void outcome(struct drive *drive, uint64_t pc, const struct insn *insn, bool taken)
{
    struct bpred_snapshot snapshot = {0};
    bpred_resolve(drive->bpred, drive->now, pc, insn, KIND_BRANCH, &snapshot, taken, pc + 64);
}

static void the_first_entry_of_a_row_hides_the_second(void **state)
{
    struct drive drive;
    const struct insn branch = branch_by(64);
    (void)state;
    open_rows(&drive);
    learn(&drive, PC, &branch, KIND_BRANCH, PC + 64);
    drive.now++;
    learn(&drive, PC + 4, &branch, KIND_BRANCH, PC + 68);
    outcome(&drive, PC, &branch, false);
    drive.now++;
    outcome(&drive, PC, &branch, false);        /* 3, 2, 1: not taken */
    drive.now++;
    assert_int_equal(next_of(&drive, PC, PC, &branch, KIND_BRANCH), PC + 4);
    assert_int_equal(next_of(&drive, PC, PC + 4, &branch, KIND_BRANCH), PC + 8);
    assert_int_equal(next_of(&drive, PC + 4, PC + 4, &branch, KIND_BRANCH), PC + 68);
    drive_close(&drive);
}

static void an_entry_learned_in_a_cycle_is_seen_in_the_next(void **state)
{
    struct drive drive;
    const struct insn jump = jal_by(64, 0);
    (void)state;
    open_rows(&drive);
    learn(&drive, PC, &jump, KIND_JAL, PC + 64);
    assert_int_equal(next_of(&drive, PC, PC, &jump, KIND_JAL), PC + 4);
    drive.now++;
    assert_int_equal(next_of(&drive, PC, PC, &jump, KIND_JAL), PC + 64);
    drive_close(&drive);
}

/* An entry that a late misprediction makes need not belong to a transfer: it cuts its row. An
 * existing entry keeps its target and is that of a branch from then on. */
static void a_late_misprediction_takes_what_an_entry_was(void **state)
{
    struct drive drive;
    const struct insn jump = jal_by(64, 0), branch = branch_by(64);
    (void)state;
    open_rows(&drive);
    bpred_row_late(drive.bpred, drive.now, PC, PC + 4);
    drive.now++;
    assert_true(bpred_see_row(drive.bpred, drive.now, PC));
    assert_false(bpred_see_row(drive.bpred, drive.now, PC + 4));
    learn(&drive, PC + ROW, &jump, KIND_JAL, PC + 64);
    drive.now++;
    outcome(&drive, PC + ROW, &branch, false);
    drive.now++;
    outcome(&drive, PC + ROW, &branch, false);
    drive.now++;
    assert_int_equal(next_of(&drive, PC + ROW, PC + ROW, &jump, KIND_JAL), PC + 64);
    bpred_row_late(drive.bpred, drive.now, PC + ROW, PC + 12);
    drive.now++;
    assert_int_equal(next_of(&drive, PC + ROW, PC + ROW, &jump, KIND_JAL), PC + 12);
    outcome(&drive, PC + ROW, &branch, true);
    drive.now++;                                /* 2 again, and the jump's target */
    assert_int_equal(next_of(&drive, PC + ROW, PC + ROW, &jump, KIND_JAL), PC + 64);
    drive_close(&drive);
}

/* Two calls that were mispredicted leave the stack at 2, and fetch pops and pushes from there. */
static void only_mispredicted_calls_and_returns_set_the_stack(void **state)
{
    struct drive drive;
    const struct insn call = jal_by(0x100, 1), back = jalr_through(1, 0);
    enum { INNER = PC + 0x100, LEAF = PC + 0x200 };
    (void)state;
    open_rows(&drive);
    learn(&drive, PC, &call, KIND_JAL, INNER);
    drive.now++;
    learn(&drive, INNER, &call, KIND_JAL, LEAF);
    drive.now++;
    learn(&drive, LEAF, &back, KIND_JALR, INNER + 4);   /* 1 */
    drive.now++;
    assert_int_equal(next_of(&drive, LEAF, LEAF, &back, KIND_JALR), PC + 4);    /* pops to 0 */
    drive.now++;
    /* place 0 was never written: a return goes to its target of before, and a call is not pushed */
    assert_int_equal(next_of(&drive, LEAF, LEAF, &back, KIND_JALR), INNER + 4);
    next_of(&drive, PC, PC, &call, KIND_JAL);
    assert_int_equal(next_of(&drive, LEAF, LEAF, &back, KIND_JALR), INNER + 4);
    learn(&drive, PC, &call, KIND_JAL, INNER);          /* from 1, as mispredictions left it */
    drive.now++;
    assert_int_equal(next_of(&drive, LEAF, LEAF, &back, KIND_JALR), PC + 4);
    assert_int_equal(next_of(&drive, LEAF, LEAF, &back, KIND_JALR), PC + 4);    /* place 1 */
    drive_close(&drive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_entry_of_a_row_hides_the_second),
        cmocka_unit_test(an_entry_learned_in_a_cycle_is_seen_in_the_next),
        cmocka_unit_test(a_late_misprediction_takes_what_an_entry_was),
        cmocka_unit_test(only_mispredicted_calls_and_returns_set_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
