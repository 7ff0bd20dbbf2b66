/* Registers of threads, and their limits on functions. See tasks.h, tasks_internal.h. */
#include "sim/host/tasks_internal.h"

#include "pmu/limit.h"
#include "sim/base/utf8.h"
#include "sim/host/state.h"

enum { REG_SP = 2, REG_TP = 4, REG_T0 = 5, REG_T1 = 6 };

/* ---- registers ------------------------------------------------------------------------------- */

void tasks_take_hart(struct task_view *thread, const struct hart *hart)
{
    memcpy(thread->reg, hart->reg, sizeof thread->reg);
    thread->reg[TASKS_PC] = hart->pc;
    memcpy(thread->fp, &hart->reg[REG_F0], 32 * sizeof thread->fp[0]);
    thread->fp[TASKS_FCSR] = hart->fflags | (uint64_t)hart->frm << 5;
}

/* The kernel's entry has not saved all registers yet. */
static void take_entering(const struct reader *reader, struct task_view *thread,
                          const struct hart *hart, uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t in_hart = hart->reg[REG_TP], saved = hart->pc >= directory->trap_saved;

    for (unsigned i = 1; i < 32; i++)
        thread->reg[i] = saved ? word(reader, frame + 8 * i) : hart->reg[i];
    thread->reg[TASKS_PC] = hart->sepc;
    if (hart->pc == directory->trap_entry)
        return;
    thread->reg[REG_TP] = hart->sscratch;
    if (hart->pc != directory->trap_entry + 4)
        thread->reg[REG_SP] = word(reader, in_hart + directory->hart_sp);
}

/* Machine mode has interrupted other code, and holds two of its registers: restores the view of the
 * interrupted code. */
static void leave_machine(const struct reader *reader, struct hart *hart)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t held = hart->reg[REG_T0];
    bool holds = hart->pc > directory->machine_entry && hart->pc < directory->machine_left;

    if (holds)
        hart->reg[REG_T0] = hart->mscratch;
    if (holds && hart->pc >= directory->machine_held)
        hart->reg[REG_T1] = word(reader, held + KERNEL_MAP);
    hart->pc = hart->mepc;
    hart->priv = (uint8_t)((hart->mstatus & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT);
}

void tasks_take_saved(const struct reader *reader, struct task_view *thread, uint64_t at,
                      uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;

    thread->futex = word(reader, at + directory->thread_futex + 8);
    thread->futex_object = word(reader, at + directory->thread_futex);
    thread->clear_tid = word(reader, at + directory->thread_clear_tid);
    thread->busy_ticks = word(reader, at + directory->thread_busy);
    read_kernel(reader, at + directory->thread_name, thread->name, KERNEL_NAME_BYTES);
    utf8_clean(thread->name);
    read_kernel(reader, at + directory->thread_fp, thread->fp, sizeof thread->fp);
    read_kernel(reader, frame, thread->reg, sizeof thread->reg);
}

void tasks_take_running(const struct reader *reader, struct task_view *thread, uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t reg[32];
    struct hart hart;

    state_view(reader->machine, (unsigned)thread->hart, &hart);
    if (hart.priv == PRIV_M && !hart.in_monitor)
        leave_machine(reader, &hart);
    memcpy(reg, thread->reg, sizeof reg);
    tasks_take_hart(thread, &hart);
    if (hart.priv == PRIV_U || hart.in_monitor)
        return;
    memcpy(thread->reg, reg, sizeof reg);
    if (hart.pc >= directory->trap_entry && hart.pc < directory->trap_framed)
        take_entering(reader, thread, &hart, frame);
}

/* ---- limits on functions --------------------------------------------------------------------- */

void tasks_take_limits(struct task_view *thread, const struct pmu *pmu)
{
    thread->limits = pmu->limits.depth;
    memcpy(thread->limit, pmu->limits.limit, sizeof thread->limit);
    for (unsigned i = 0; i < thread->limits; i++)
        thread->limit[i].counted = pmu_limit_counted(pmu, i);
}

void tasks_read_limits(const struct reader *reader, struct task_view *thread, uint64_t at)
{
    uint64_t depth = at != 0 ? word(reader, at) : 0;

    thread->limits = depth < PROF_LIMITS ? (unsigned)depth : PROF_LIMITS;
    for (unsigned i = 0; i < thread->limits; i++) {
        uint64_t of[PROF_LIMIT_WORDS];

        read_kernel(reader, at + 8 + i * sizeof of, of, sizeof of);
        thread->limit[i] = (struct pmu_limit){
            .function = of[PROF_LIMIT_FUNCTION], .sp = of[PROF_LIMIT_SP],
            .cycles = of[PROF_LIMIT_CYCLES], .counted = of[PROF_LIMIT_COUNTED],
            .began = of[PROF_LIMIT_BEGAN], .state = of[PROF_LIMIT_STATE] & 3,
        };
    }
}

/* A hart that still holds the thread's floating point gives it up: the memory is newer. */
bool tasks_set_register(struct machine *machine, const struct task_view *thread, unsigned number,
                        uint64_t value)
{
    static const uint32_t no_hart = UINT32_MAX;
    bool is_fp = number >= TASKS_FP;

    if (thread->reg_pa == 0 || number >= TASKS_FP + 32)
        return false;
    if (is_fp && !phys_copy_in(&machine->phys, thread->fp_hart_pa, &no_hart, sizeof no_hart))
        return false;
    return phys_copy_in(&machine->phys, is_fp ? thread->fp_pa + 8 * (number - TASKS_FP)
                                              : thread->reg_pa + 8 * number, &value, sizeof value);
}
