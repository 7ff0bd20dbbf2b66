/* RSD's replay queue, a FIFO: instructions after a hit pass it as if it did not exist; instructions
 * that depend on a miss come back in order, as often as needed, with the same result. */
#include "tests/sim/core/rig.h"

enum { LINE = 64, STEPS = 24 };

static struct rig *fifo_rig(const char *replay)
{
    struct rig *rig = rig_new();
    rig_set(rig, replay);
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
    uint64_t foreseen = cycles_of_chase("rsd.replay_queue=0", LINE, &replays);
    assert_int_equal(replays, 0);
    uint64_t fifo = cycles_of_chase("rsd.replay_queue=20", LINE, &replays);
    assert_true(replays > 2 * STEPS);           /* those after the first go round */
    assert_true(fifo >= foreseen);
    assert_in_range(fifo, foreseen, 2 * foreseen);
}

static void hits_do_not_enter_the_queue(void **state)
{
    (void)state;
    static const uint32_t body[4] = {0x00100313, 0x00130313, 0x00130393, 0x00138413};
    const char *const none[] = {"rsd.replay_queue=0", NULL};
    const char *const fifo[] = {"rsd.replay_queue=20", NULL};
    assert_int_equal(warm_cycles(fifo, body, 4), warm_cycles(none, body, 4));
}

/* ---- divisions ------------------------------------------------------------------------------- */

#define FIFO "rsd.replay_queue=20"

static uint64_t replays_of(const char *const *settings, const uint32_t *body, unsigned length,
                           unsigned rounds)
{
    return loop_events_with(settings, body, length, rounds, EVENT_REPLAYS);
}

/* div x7, x7, x0 and an addition of its result. A division of 30 cycles is issued at 0, as a
 * multiplication of 3 is, and is in the queue from 4 on; the addition, which expects the result
 * then, is issued at 3, in vain, and is in the queue from 7 on. The division comes back at 27, and
 * the addition three cycles later, when the result is ready. The unit is free then, but in a cycle
 * in which an instruction comes back no other is issued: the next division is issued at 31. */
static void a_division_comes_back_for_its_result_and_what_needs_it_after_it(void **state)
{
    (void)state;
    const uint32_t body[2] = {divide(7, 7, 0), add(8, 8, 7)};
    const char *const *settings = SETTINGS(FIFO, "latency.div=30", "latency.mul=3");
    assert_int_equal(warm_cycles(settings, body, 2), 3100);
    assert_int_equal(replays_of(settings, body, 2, 300) - replays_of(settings, body, 2, 200), 200);
}

/* A division is in the queue at the earliest five cycles after its issue, however short it is. */
static void a_short_division_is_as_long_as_the_way_through_the_queue(void **state)
{
    (void)state;
    const uint32_t body[1] = {divide(7, 7, 0)};
    assert_int_equal(warm_cycles(SETTINGS(FIFO, "latency.div=4", "latency.mul=3"), body, 1), 800);
    assert_int_equal(warm_cycles(SETTINGS(FIFO, "latency.div=9", "latency.mul=3"), body, 1), 900);
}

/* Cycles of a division whose result is not used, a load that misses, and eighty additions to the
 * load's value. */
static uint64_t cycles_after_division(const char *replay, const char *division)
{
    struct rig *rig = fifo_rig(replay);
    rig_set(rig, division);
    rig_set(rig, "dram.cycles=30");
    emit(rig, divide(7, 10, 11));
    emit(rig, load(12, 9, 0));
    for (unsigned i = 0; i < 80; i++)
        emit(rig, addi(12, 12, 1));
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void an_instruction_that_fails_after_a_division_waits_for_it(void **state)
{
    (void)state;
    uint64_t none = cycles_after_division("rsd.replay_queue=0", "latency.div=90");
    uint64_t fifo = cycles_after_division("rsd.replay_queue=20", "latency.div=90");
    assert_int_equal(cycles_after_division("rsd.replay_queue=0", "latency.div=97"), none);
    assert_int_equal(cycles_after_division("rsd.replay_queue=20", "latency.div=97"), fifo + 7);
}

/* ---- stores that loads pass ------------------------------------------------------------------ */

static uint32_t byte(uint32_t word)             /* a load or store of one byte */
{
    return word & ~UINT32_C(0x7000);
}

static uint64_t violations(const char *const *settings, const uint32_t *body, unsigned length)
{
    return loop_events_with(settings, body, length, 50, EVENT_ORDER_VIOLATIONS);
}

/* The older of two stores has its address twelve cycles later than the younger, and the load reads
 * the bytes that it writes. The load is caught once. */
static void a_load_that_was_caught_waits_for_every_older_store(void **state)
{
    (void)state;
    const uint32_t body[] = {
        mul(6, 8, 8), mul(6, 6, 6), mul(6, 6, 6), mul(6, 6, 6), mul(7, 8, 8), mul(7, 7, 7),
        add(6, 6, 9), add(7, 7, 9), store(5, 6, 0), store(5, 7, 64), load(12, 9, 0),
    };
    const char *const *settings = SETTINGS(FIFO, "lsq.speculation=wait_all", "lsq.forget_cycles=0",
                                           "rob.entries=16");
    assert_int_equal(violations(settings, body, sizeof body / sizeof body[0]), 1);
}

/* A byte is stored, late, beside one that is loaded. */
static void bytes_of_one_unit_are_kept_in_order(void **state)
{
    (void)state;
    const uint32_t body[] = {
        mul(6, 8, 8), mul(6, 6, 6), add(6, 6, 9), byte(store(5, 6, 1)), byte(load(12, 9, 2)),
    };
    unsigned length = sizeof body / sizeof body[0];
#define WAITS FIFO, "lsq.speculation=wait_all", "lsq.forget_cycles=0", "rob.entries=8"
    assert_int_equal(violations(SETTINGS(WAITS), body, length), 0);
    assert_int_equal(violations(SETTINGS(WAITS, "rsd.order_bytes=2"), body, length), 0);
    assert_int_equal(violations(SETTINGS(WAITS, "rsd.order_bytes=4"), body, length), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_misses_come_back_until_their_values_are_there),
        cmocka_unit_test(hits_do_not_enter_the_queue),
        cmocka_unit_test(a_division_comes_back_for_its_result_and_what_needs_it_after_it),
        cmocka_unit_test(a_short_division_is_as_long_as_the_way_through_the_queue),
        cmocka_unit_test(an_instruction_that_fails_after_a_division_waits_for_it),
        cmocka_unit_test(a_load_that_was_caught_waits_for_every_older_store),
        cmocka_unit_test(bytes_of_one_unit_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
