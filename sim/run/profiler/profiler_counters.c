/* The programmable counters of a profiled run: set as the program starts, read when it has ended.
 * profiler.h has the contract. */
#include "pmu/monitor/monitor.h"
#include "sim/run/profiler/profiler_internal.h"
#include "sim/run/profiler/profiler_threads.h"

enum { MHPMCOUNTER = 0xb00, MHPMEVENT = 0x320, FIRST = MONITOR_SAMPLING_COUNTER };

#define SELECT_OVERFLOWED (UINT64_C(1) << 63)

enum err profiler_counters_check(const struct profiler *profiler, struct diag *diag)
{
    unsigned there = profiler->config->pmu_counters;

    if (profiler->counters.count <= there)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%u counter%s wanted, and the machine has %u: set "
                    "pmu.counters", profiler->counters.count,
                    profiler->counters.count == 1 ? " is" : "s are", there);
}

void profiler_counters_start(const struct profiler *profiler, struct cpu *cpu)
{
    const struct profiler_counters *counters = &profiler->counters;

    for (unsigned i = 0; i < counters->count; i++) {
        uint64_t start = i == 0 ? 0 - counters->period : 0;

        pmu_program(&cpu->pmu, FIRST + i, counters->select[i], start);
    }
}

void profiler_sample_again(const struct profiler *profiler, struct cpu *cpu)
{
    struct pmu *pmu = &cpu->pmu;
    uint64_t count = 0;

    if (profiler->counters.period == 0)
        return;
    pmu_csr_write(pmu, MHPMEVENT + FIRST, profiler->counters.select[0] & ~SELECT_OVERFLOWED);
    pmu_csr_read(pmu, MHPMCOUNTER + FIRST, &count);
    pmu_csr_write(pmu, MHPMCOUNTER + FIRST,
                  monitor_next_period(count, profiler->counters.period));
}

/* An overflow that the monitor has not handled yet would start the sampling counter again. */
static void drop_overflow(struct cpu *cpu)
{
    cpu->pmu.armed &= ~(uint32_t)PMU_OVERFLOWED;
    cpu->hart.mip_software &= ~(UINT64_C(1) << IRQ_LCOFI);
    cpu->hart.irq_lines &= ~(UINT64_C(1) << IRQ_LCOFI);
}

static void clear_ranges(struct cpu *cpu)
{
    for (unsigned i = 0; i < PROF_RANGES; i++) {
        const uint64_t first[] = {PROF_REG_IRANGE + 4 * i, PROF_REG_DRANGE + 4 * i};

        for (unsigned k = 0; k < 2; k++) {
            profiler_set_register(cpu, first[k] + 2, 0);
            profiler_set_register(cpu, first[k] + 3, 0);
        }
    }
}

enum err profiler_recount(struct profiler *profiler, const struct profiler_counters *counters,
                          const struct meta *meta, struct diag *diag)
{
    unsigned before = profiler->counters.count;
    enum err err;

    profiler->counters = *counters;
    err = profiler_counters_check(profiler, diag);
    profiler_threads_forget(profiler, PROFILER_RANGES);
    for (unsigned i = 0; i < profiler->harts && err == ERR_OK; i++) {
        struct cpu *cpu = &profiler->cpu[i];

        for (unsigned k = 0; k < before; k++)
            pmu_csr_write(&cpu->pmu, MHPMEVENT + FIRST + k, 0);
        drop_overflow(cpu);
        clear_ranges(cpu);
        profiler_set_ranges(cpu, meta);
        profiler_counters_start(profiler, cpu);
        cpu_profiling_changed(cpu);
    }
    return err;
}

uint64_t profiler_hart_counter(const struct profiler *profiler, unsigned hart, unsigned index)
{
    uint64_t count = 0;

    pmu_csr_read(&profiler->cpu[hart].pmu, MHPMCOUNTER + FIRST + index, &count);
    return count;
}

uint64_t profiler_counter(const struct profiler *profiler, unsigned index)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < profiler->harts; i++)
        sum += profiler_hart_counter(profiler, i, index);
    return sum;
}
