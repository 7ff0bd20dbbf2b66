/* Random programs run twice end alike: on the rig of rig.h, and on another one or in the fast
 * engine. */
#ifndef TESTS_SIM_CORE_SAME_END_H
#define TESTS_SIM_CORE_SAME_END_H

#include "sim/run/fast/fast.h"
#include "tests/sim/core/rig.h"

/* Runs the fast engine on `plain`, which has the program and no engine yet, as far as `timed` has
 * come: registers and memory are the same. */
static inline void assert_fast_engine_ends_alike(struct rig *plain, const struct rig *timed)
{
    rig_start(plain);
    struct fast *fast = fast_new(&plain->cpu);
    assert_non_null(fast);
    assert_int_equal(fast_run(fast, event(timed, EVENT_INSNS_RETIRED)), STOP_QUOTA);
    assert_memory_equal(timed->cpu.hart.reg, plain->cpu.hart.reg, 32 * sizeof(uint64_t));
    assert_int_equal(timed->cpu.hart.pc, plain->cpu.hart.pc);
    assert_memory_equal(timed->phys.ram, plain->phys.ram, RAM_BYTES);
    fast_free(fast);
}

/* detailed: the program of a seed on a new rig; `skip`: idle cycles in one step. */
static inline void assert_skipping_changes_no_count(struct rig *detailed(uint64_t seed, bool skip),
                                                    uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct rig *skipped = detailed(seed, true), *stepped = detailed(seed, false);
        for (unsigned code = 0; code < EVENT_COUNT; code++)
            assert_int_equal(event(skipped, code), event(stepped, code));
        rig_free(skipped);
        rig_free(stepped);
    }
}

#endif
