/* A gshare table that leaves a branch out of its index, and one whose rows are read two branches
 * ahead, through one port. A prediction sees the tables two cycles after its fetch, and the tests
 * give the cycle of the fetch. Counted in these cycles, an execution in cycle 14 is one in 12, and
 * its outcome is written in 13. */
#include "tests/sim/core/bpred/drive.h"

#define WITH_PORT "bpred.kind=gshare", "bpred.entries=8192", "bpred.history=14", \
                  "part.history_gap=3", "bpred.pc_bits=0", "bpred.train=resolve", \
                  "part.row_ahead=1"

/* A branch is fetched in cycle `now`: the counter that it sees. */
static unsigned counter_at(struct drive *drive, uint64_t now, struct bpred_snapshot *snapshot)
{
    const struct insn insn = branch_by(64);
    struct prediction prediction;
    bpred_predict(drive->bpred, now, PC, &insn, KIND_BRANCH, snapshot, &prediction);
    return snapshot->counter;
}

static void resolve(struct drive *drive, uint64_t cycle, const struct bpred_snapshot *snapshot,
                    bool taken)
{
    const struct insn insn = branch_by(64);
    bpred_resolve(drive->bpred, cycle, PC, &insn, KIND_BRANCH, snapshot, taken, PC + 64);
}

static void a_branch_left_out_of_the_index_tells_nothing(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=2", "bpred.pc_bits=0");
    assert_int_equal(misses_of(&drive, "TTNN", 4, 64, 64), 0);
    drive_close(&drive);
    /* the index has the last outcome and the third-last: T, N is followed by both directions */
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=3", "part.history_gap=1", "bpred.pc_bits=0");
    assert_int_not_equal(misses_of(&drive, "TTNN", 4, 64, 64), 0);
    drive_close(&drive);
    /* of a period of three these two outcomes tell the next one */
    OPEN(&drive, "bpred.kind=gshare", "bpred.history=3", "part.history_gap=1", "bpred.pc_bits=0");
    assert_int_equal(misses_of(&drive, "TTN", 3, 64, 63), 0);
    drive_close(&drive);
}

static void a_prediction_uses_a_row_of_two_predictions_ago(void **state)
{
    (void)state;
    struct bpred_snapshot first, other;
    struct drive drive;
    OPEN(&drive, WITH_PORT, "bpred.counter_initial=1");
    assert_int_equal(counter_at(&drive, 10, &first), 1);
    assert_int_equal(counter_at(&drive, 11, &other), 1);
    resolve(&drive, 14, &first, false);
    assert_int_equal(counter_at(&drive, 14, &other), 1);    /* as read in 10 */
    assert_int_equal(counter_at(&drive, 15, &other), 1);    /* in 11 */
    assert_int_equal(counter_at(&drive, 16, &other), 0);    /* in 14, after the write */
    drive_close(&drive);
}

static void predictions_go_before_writes(void **state)
{
    (void)state;
    struct bpred_snapshot first, other;
    struct drive drive;
    OPEN(&drive, WITH_PORT, "bpred.counter_initial=1");
    counter_at(&drive, 10, &first);
    resolve(&drive, 14, &first, false);
    counter_at(&drive, 13, &other);             /* in the cycle of the write */
    counter_at(&drive, 14, &other);             /* and in the next */
    counter_at(&drive, 16, &other);
    assert_int_equal(counter_at(&drive, 17, &other), 1);    /* as read in 14 */
    assert_int_equal(counter_at(&drive, 18, &other), 0);    /* in 16 */
    drive_close(&drive);
}

static void a_branch_that_executes_while_a_write_waits_is_not_learned(void **state)
{
    (void)state;
    struct bpred_snapshot first = {.counter = 1}, second = {.counter = 3}, other;
    struct drive drive;
    for (unsigned apart = 1; apart <= 2; apart++) {
        OPEN(&drive, WITH_PORT, "bpred.counter_initial=1");
        resolve(&drive, 14, &first, false);
        resolve(&drive, 14 + apart, &second, false);        /* would write 2 */
        counter_at(&drive, 20, &other);
        counter_at(&drive, 21, &other);
        assert_int_equal(counter_at(&drive, 22, &other), apart == 1 ? 0 : 2);
        drive_close(&drive);
    }
}

static void a_misprediction_has_the_rows_read_anew(void **state)
{
    (void)state;
    const struct insn insn = branch_by(64);
    for (uint64_t next = 14; next <= 15; next++) {
        /* the counter after a taken branch becomes 3; the rows at hand do not know of it */
        struct bpred_snapshot learned = {.history = 1, .counter = 2, .predicted_taken = true};
        struct bpred_snapshot wrong, other;
        struct drive drive;
        OPEN(&drive, WITH_PORT, "bpred.counter_initial=0");
        resolve(&drive, 5, &learned, true);
        assert_int_equal(counter_at(&drive, 10, &wrong), 0);
        resolve(&drive, 14, &wrong, true);
        bpred_correct(drive.bpred, PC, &insn, KIND_BRANCH, &wrong, true, PC + 64);
        assert_int_equal(counter_at(&drive, next, &other), next == 14 ? 0 : 3);
        drive_close(&drive);
    }
}

static struct bpred_snapshot jump_at(struct drive *drive, uint64_t pc, const struct insn *insn,
                                     unsigned kind, uint64_t *next_pc)
{
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bpred_predict(drive->bpred, ++drive->now, pc, insn, kind, &snapshot, &prediction);
    *next_pc = prediction.next_pc;
    return snapshot;
}

static void fetch_goes_on_after_an_indirect_jump(void **state)
{
    (void)state;
    const struct insn jump = jalr_through(6, 0);
    uint64_t next_pc;
    struct drive drive;
    OPEN(&drive, "bpred.indirect=none");
    jump_at(&drive, PC, &jump, KIND_JALR, &next_pc);
    assert_int_equal(next_pc, BPRED_UNKNOWN);
    drive_close(&drive);
    OPEN(&drive, "bpred.indirect=none", "part.indirect_runs=1");
    jump_at(&drive, PC, &jump, KIND_JALR, &next_pc);
    assert_int_equal(next_pc, PC + 4);
    drive_close(&drive);
}

/* A call leads to a call through a register; fetch goes on after this and finds a return. */
static void a_return_after_an_indirect_call_stays_done(void **state)
{
    (void)state;
    enum { CALLEE = PC + 0x100, TARGET = PC + 0x800 };
    const struct insn call = jal_by(0x100, 1), through = jalr_through(6, 1);
    const struct insn back = jalr_through(1, 0);
    uint64_t next_pc;
    struct drive drive;
    OPEN(&drive, "bpred.indirect=none", "part.indirect_runs=1", "bpred.ras_entries=4",
         "bpred.ras_repair=full");
    jump_at(&drive, PC, &call, KIND_JAL, &next_pc);
    struct bpred_snapshot wrong = jump_at(&drive, CALLEE, &through, KIND_JALR, &next_pc);
    struct bpred_snapshot popped = jump_at(&drive, CALLEE + 4, &back, KIND_JALR, &next_pc);
    assert_int_equal(next_pc, CALLEE + 4);
    bpred_undo(drive.bpred, &popped);
    bpred_correct(drive.bpred, CALLEE, &through, KIND_JALR, &wrong, true, TARGET);
    jump_at(&drive, TARGET, &back, KIND_JALR, &next_pc);
    assert_int_equal(next_pc, PC + 4);
    drive_close(&drive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_left_out_of_the_index_tells_nothing),
        cmocka_unit_test(a_prediction_uses_a_row_of_two_predictions_ago),
        cmocka_unit_test(predictions_go_before_writes),
        cmocka_unit_test(a_branch_that_executes_while_a_write_waits_is_not_learned),
        cmocka_unit_test(fetch_goes_on_after_an_indirect_jump),
        cmocka_unit_test(a_return_after_an_indirect_call_stays_done),
        cmocka_unit_test(a_misprediction_has_the_rows_read_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
