/* The replay queue as a FIFO: what hits goes through it as if it were not there; what depends on a
 * miss comes back in order, as often as it takes, with the same result. */
#include "tests/sim/core/rig.h"

enum { LINE = 64, STEPS = 24 };

static struct rig *fifo_rig(const char *replay)
{
    struct rig *rig = rig_new();
    rig_set(rig, replay);
    rig_set(rig, "issue.replay_queue=20");
    rig_set(rig, "issue.replay_cycles=4");
    rig_set(rig, "l1d.prefetch=none");
    return rig;
}

/* The cycles of `count` loads whose address is the value of the one before. */
static uint64_t cycles_of_chase(const char *replay, uint32_t stride, uint64_t *replays)
{
    struct rig *rig = fifo_rig(replay);
    emit(rig, add(10, 9, 0));
    for (unsigned i = 0; i < STEPS; i++)
        emit(rig, load(10, 10, 0));
    emit(rig, addi(11, 10, 1));
    rig_start(rig);
    for (uint64_t i = 0; i < STEPS; i++)
        phys_write(&rig->phys, PHYS_RAM_BASE + DATA + i * stride, 8,
                   PHYS_RAM_BASE + DATA + (i + 1) * stride);
    assert_int_equal(core_run(rig->core, rig->count, UINT64_MAX, true), STOP_QUOTA);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
    assert_int_equal(rig->cpu.hart.reg[11], PHYS_RAM_BASE + DATA + STEPS * stride + 1);
    uint64_t cycles = event(rig, EVENT_CYCLES);
    *replays = event(rig, EVENT_REPLAYS);
    rig_free(rig);
    return cycles;
}

static void dependent_misses_come_back_until_their_values_are_there(void **state)
{
    (void)state;
    uint64_t replays;
    uint64_t foreseen = cycles_of_chase("issue.replay=none", LINE, &replays);
    assert_int_equal(replays, 0);
    uint64_t fifo = cycles_of_chase("issue.replay=fifo", LINE, &replays);
    assert_true(replays > 2 * STEPS);           /* those behind the first go round */
    assert_true(fifo >= foreseen);
    assert_in_range(fifo, foreseen, 2 * foreseen);
}

static void hits_do_not_enter_the_queue(void **state)
{
    (void)state;
    static const uint32_t body[4] = {0x00100313, 0x00130313, 0x00130393, 0x00138413};
    const char *const none[] = {"issue.replay=none", NULL};
    const char *const fifo[] = {"issue.replay=fifo", "issue.replay_queue=20",
                                "issue.replay_cycles=4", NULL};
    assert_int_equal(warm_cycles(fifo, body, 4), warm_cycles(none, body, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_misses_come_back_until_their_values_are_there),
        cmocka_unit_test(hits_do_not_enter_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
