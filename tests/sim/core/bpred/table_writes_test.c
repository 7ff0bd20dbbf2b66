/* Tables with one write port: the outcomes that are learned, and those that come back from the
 * ring. */
#include "tests/sim/core/bpred/drive.h"

enum { TURN = 4, FIRST = 0x10000, OTHER = 0x20800, STEP = 0x100 };

static void open_with_ring(struct drive *drive)
{
    OPEN(drive, "bpred.kind=gshare", "bpred.entries=1024", "bpred.history=0", "bpred.pc_shift=2",
         "bpred.train=resolve", "part.carried_counters=1", "part.write_slots=4",
         "part.at_decode=1");
}

/* The counter that a prediction in cycle `now` sees; 1 before anything was learned. */
static unsigned counter_at(struct drive *drive, uint64_t now, uint64_t pc)
{
    const struct insn insn = branch_by(64);
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    bpred_begin_group(drive->bpred);
    bpred_see(drive->bpred, now, pc, &insn, KIND_BRANCH, &snapshot, &prediction);
    return snapshot.counter;
}

static void take(struct drive *drive, uint64_t cycle, uint64_t pc, uint8_t port)
{
    const struct insn insn = branch_by(64);
    const struct bpred_snapshot snapshot = {.counter = 1, .port = port};
    bpred_resolve(drive->bpred, cycle, pc, &insn, KIND_BRANCH, &snapshot, true, pc + 64);
}

static void the_lowest_port_of_a_cycle_is_learned(void **state)
{
    (void)state;
    struct drive drive;
    open_with_ring(&drive);
    take(&drive, 10, FIRST, 1);
    take(&drive, 10, OTHER, 0);
    assert_int_equal(counter_at(&drive, 9, OTHER), 1);
    assert_int_equal(counter_at(&drive, 20, OTHER), 2);
    assert_int_equal(counter_at(&drive, 20, FIRST), 1);
    take(&drive, 30, FIRST, 1);                 /* alone it is learned whatever its port */
    assert_int_equal(counter_at(&drive, 30, FIRST), 2);
    drive_close(&drive);
}

/* Outcomes 0 to 3 are lost, one in each cycle of two branches; what is put in as number 3 brings
 * back number 0, in the first cycle without another write. */
static void a_lost_outcome_comes_back_a_turn_less_one_later(void **state)
{
    (void)state;
    struct drive drive;
    open_with_ring(&drive);
    for (unsigned i = 0; i < TURN; i++) {
        assert_int_equal(counter_at(&drive, 10 * i + 9, FIRST), 1);
        take(&drive, 10 * i + 10, OTHER, 0);
        take(&drive, 10 * i + 10, FIRST + i * STEP, 1);
    }
    assert_int_equal(counter_at(&drive, 10 * TURN, FIRST), 1);
    assert_int_equal(counter_at(&drive, 10 * TURN + 1, FIRST), 2);
    for (unsigned i = 1; i < TURN; i++)
        assert_int_equal(counter_at(&drive, 100, FIRST + i * STEP), 1);
    drive_close(&drive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_port_of_a_cycle_is_learned),
        cmocka_unit_test(a_lost_outcome_comes_back_a_turn_less_one_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
