/* Instructions that execute alone: the cycles until they dispatch. */
#include "tests/sim/core/rig.h"

enum { CSRR_MSCRATCH = 0x34002773 };        /* csrr a4, mscratch */

static uint64_t cycles_with(uint32_t word, const char *setting)
{
    const uint32_t body[] = {word, add(13, 9, 13), add(13, 9, 13)};
    return warm_cycles(SETTINGS(setting), body, 3);
}

static void a_serial_instruction_dispatches_a_set_time_after_all_older_ones(void **state)
{
    (void)state;
    const uint32_t reading = CSRR_MSCRATCH;
    uint64_t two = cycles_with(reading, "c910.serial_wait=2");
    assert_int_equal(cycles_with(reading, "c910.serial_wait=5") - two, 3 * 100);
}

/* The wait has the same length if idle cycles are skipped. */
static void skipping_idle_cycles_does_not_change_the_wait_for_dispatch(void **state)
{
    (void)state;
    const uint32_t fence_i = 0x100f, body[] = {CSRR_MSCRATCH, fence_i};
    uint64_t cycles[2];
    for (unsigned skips = 0; skips < 2; skips++) {
        struct rig *rig = rig_new();
        rig_set(rig, "c910.serial_wait=5");
        uint64_t count = emit_rounds(rig, body, 2, 50);
        rig_start(rig);
        assert_int_equal(core_run(rig->core, count, 1000000, skips), STOP_QUOTA);
        cycles[skips] = event(rig, EVENT_CYCLES);
        rig_free(rig);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serial_instruction_dispatches_a_set_time_after_all_older_ones),
        cmocka_unit_test(skipping_idle_cycles_does_not_change_the_wait_for_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
