/* A core with four megabytes of memory, for programs whose timing can be worked out by hand. The
 * first three instructions set a0 = 3, s0 = 0, a1 = 1; s1 points at data. */
#ifndef TESTS_SIM_CORE_RIG_CORE_H
#define TESTS_SIM_CORE_RIG_CORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "sim/base/config_read.h"
#include "sim/core/core.h"
#include "tests/sim/core/assemble.h"
#include "tests/sim/core/part.h"

enum { RAM_BYTES = 4 << 20, DATA = 0x200000 };

struct rig {
    struct config config;
    struct phys phys;
    struct cpu cpu;
    struct memshared *shared;
    struct core *core;
    uint32_t code[4096];
    unsigned count;
};

static inline void emit(struct rig *rig, uint32_t word)
{
    assert_true(rig->count < sizeof rig->code / sizeof rig->code[0]);
    rig->code[rig->count++] = word;
}

static inline struct rig *rig_new(void)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    config_init(&rig->config);
    emit(rig, addi(10, 0, 3));
    emit(rig, addi(8, 0, 0));
    emit(rig, addi(11, 0, 1));
    return rig;
}

static inline void rig_set(struct rig *rig, const char *assignment)
{
    struct diag diag;
    if (!part_set(&rig->config, assignment) &&
        config_set(&rig->config, assignment, &diag) != ERR_OK)
        fail_msg("%s", diag.text);
}

static inline void rig_start(struct rig *rig)
{
    assert_true(phys_init(&rig->phys, RAM_BYTES));
    cpu_init(&rig->cpu, &rig->config, &rig->phys, 0);
    rig->shared = memshared_new(&rig->config);
    hart_reset(&rig->cpu.hart, 0, PHYS_RAM_BASE, 0);
    cpu_privilege_changed(&rig->cpu);
    rig->cpu.hart.reg[9] = PHYS_RAM_BASE + DATA;    /* s1: data */
    assert_true(phys_copy_in(&rig->phys, PHYS_RAM_BASE, rig->code, 4 * (uint64_t)rig->count));
    rig->core = core_new(&rig->cpu, rig->shared);
    assert_non_null(rig->core);
}

static inline void rig_free(struct rig *rig)
{
    core_free(rig->core);
    cpu_free(&rig->cpu);
    memshared_free(rig->shared);
    phys_free(&rig->phys);
    free(rig);
}

static inline uint64_t event(const struct rig *rig, unsigned code)
{
    return rig->cpu.pmu.events[code];
}

/* Runs exactly the emitted instructions, counting `executed` of them; returns cycles. */
static inline uint64_t run(struct rig *rig, uint64_t executed)
{
    rig_start(rig);
    assert_int_equal(core_run(rig->core, executed, UINT64_MAX, true), STOP_QUOTA);
    uint64_t cycles = event(rig, EVENT_CYCLES);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
    assert_true(core_is_sane(rig->core));
    assert_int_equal(event(rig, EVENT_INSNS_RETIRED), executed);
    return cycles;
}

static inline uint64_t cycles_of(uint32_t word, unsigned times)
{
    struct rig *rig = rig_new();
    for (unsigned i = 0; i < times; i++)
        emit(rig, word);
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

#endif
