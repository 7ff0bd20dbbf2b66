/* The processor beyond single instructions: construction, traps, interrupts, changes of privilege.
 *
 * Owns the shadow metadata of both caches. The receiver of a profiling interrupt is chosen here:
 * the host, the resident monitor, or the program itself through mip. */
#include "sim/core/profile/observe.h"

#include <string.h>

#include "isa/csr.h"
#include "pmu/hint.h"
#include "shadowcache/shadow.h"
#include "sim/base/latencies.h"
#include "sim/core/profile/marks.h"
#include "sim/core/wait.h"

enum { ECALL_BYTES = 4 };

#define LCOFI_BIT (UINT64_C(1) << IRQ_LCOFI)
#define INDICATOR_BIT (UINT64_C(1) << IRQ_INDICATOR)

/* ---- construction ---------------------------------------------------------------------------- */

/* frames: the number of the shadow's own frames, in sets of `ways`; 0: the shadow is beside a cache
 * of that many KiB. */
static struct shadow *make_shadow(const struct phys *phys, uint32_t kib, uint32_t line_bytes,
                                  unsigned kind, uint32_t frames, uint32_t ways)
{
    struct shadow *shadow;
    struct shadow_memory memory = {
        .ram = phys->ram, .base = PHYS_RAM_BASE, .bytes = phys->ram_bytes,
    };
    shadow = shadow_new(memory, frames != 0 ? frames : kib * 1024 / line_bytes, line_bytes, kind);
    if (shadow != NULL && frames != 0)
        shadow_set_ways(shadow, ways);
    return shadow;
}

bool cpu_init(struct cpu *cpu, const struct config *config, struct phys *phys, uint64_t hart_id)
{
    memset(cpu, 0, sizeof *cpu);
    cpu->config = config;
    cpu->phys = phys;
    cpu->left_monitor = cpu->sleeps_until = UINT64_MAX;
    hart_reset(&cpu->hart, hart_id, 0, 0);
    mmu_init(&cpu->mmu, &cpu->hart, phys);
    pmu_init(&cpu->pmu, config->pmu_counters, config->l1i_line_bytes, config->l1d_line_bytes);
    (void)latencies_read(config->pmu_latency, cpu->pmu.latency);    /* config_check looked */
    cpu->pmu.measure = config->pmu_measure;
    cpu->pmu.transfers = config->pmu_transfers;
    cpu->pmu.counter_format = (config->pmu_counter_bits & 63) |
                              (config->pmu_counter_saturates ? PROF_COUNTER_SATURATES : 0);
    cpu->pmu.counter_near = config->pmu_near;
    triggers_init(&cpu->triggers);
    ctr_init(&cpu->ctr, config->pmu_ctr_depth);
    cpu->ishadow = make_shadow(phys, config->l1i_kib, config->l1i_line_bytes, PROF_SEGMENT_TEXT,
                               config->shadow_iframes, config->shadow_ways);
    cpu->dshadow = make_shadow(phys, config->l1d_kib, config->l1d_line_bytes, PROF_SEGMENT_DATA,
                               config->shadow_dframes, config->shadow_ways);
    if (cpu->ishadow == NULL || cpu->dshadow == NULL) {
        cpu_free(cpu);
        return false;
    }
    shadow_on_near(cpu->ishadow, cpu_merged_near, cpu);
    shadow_on_near(cpu->dshadow, cpu_merged_near, cpu);
    cpu_privilege_changed(cpu);
    return true;
}

void cpu_free(struct cpu *cpu)
{
    mmu_free(&cpu->mmu);
    shadow_free(cpu->ishadow);
    shadow_free(cpu->dshadow);
    cpu->ishadow = cpu->dshadow = NULL;
}

void cpu_privilege_changed(struct cpu *cpu)
{
    mmu_switch(&cpu->mmu);
    pmu_set_privilege(&cpu->pmu, cpu_sleep_left(cpu) != UINT64_MAX ? PRIV_S : cpu->hart.priv,
                      cpu->hart.in_monitor);
    ctr_set_privilege(&cpu->ctr, cpu->hart.priv, cpu->hart.in_monitor,
                      cpu->pmu.events[EVENT_CYCLES]);
}

void cpu_privilege_left(struct cpu *cpu)
{
    cpu->pmu.events[EVENT_INSNS_RETIRED]++;
    cpu->pmu.events[EVENT_CYCLES] += cpu->own_cycles;
    cpu_privilege_changed(cpu);
    cpu->pmu.events[EVENT_INSNS_RETIRED]--;
    cpu->pmu.events[EVENT_CYCLES] -= cpu->own_cycles;
}

static void tell(const struct cpu *cpu, enum cpu_trap_kind kind, uint64_t cause, uint64_t pc,
                 uint64_t tval)
{
    if (cpu->watch != NULL)
        cpu->watch->trap(cpu->watch->arg, kind, cause, pc, tval);
}

/* ---- indicators ------------------------------------------------------------------------------ */

void cpu_raise_indicator(struct cpu *cpu, const struct indicator *indicator)
{
    pmu_raise_indicator(&cpu->pmu, indicator);
    cpu->pmu.events[EVENT_INDICATOR_INTERRUPTS]++;
    cpu->hart.irq_lines |= INDICATOR_BIT;
}

/* count: of the trap, as CSR_IND_COUNT has it. itself: 1 when the instruction at pc commits, after
 * this. */
static void raise_transfer(struct cpu *cpu, uint64_t kind, uint64_t pc, uint64_t daddr,
                           uint64_t count, unsigned itself)
{
    static const uint8_t bit[] = {
        [IND_KIND_EXCEPTION] = PROF_TRANSFER_EXCEPTION,
        [IND_KIND_INTERRUPT] = PROF_TRANSFER_INTERRUPT,
        [IND_KIND_SYSCALL] = PROF_TRANSFER_SYSCALL,
        [IND_KIND_XRET] = PROF_TRANSFER_XRET,
        [IND_KIND_THREAD] = PROF_TRANSFER_THREAD,
    };
    const struct indicator indicator = {
        .iaddr = pc, .daddr = daddr, .count = count, .flags = kind << IND_KIND_SHIFT,
        .insns = pmu_program_insns(&cpu->pmu) + itself,
    };

    if ((cpu->pmu.transfers & bit[kind]) != 0 && cpu->hints_on)
        cpu_raise_indicator(cpu, &indicator);
}

static bool is_of_profiling(uint64_t cause)
{
    return cause == (TRAP_INTERRUPT | IRQ_INDICATOR) || cause == (TRAP_INTERRUPT | IRQ_LCOFI);
}

enum { REG_A7 = 17 };

static bool is_call(uint64_t cause)
{
    return cause == TRAP_ECALL_U || cause == TRAP_ECALL_S || cause == TRAP_ECALL_M;
}

/* The count that an indicator of the trap, or of the return from it, carries. */
static uint64_t trap_count(const struct cpu *cpu, uint64_t cause)
{
    uint64_t count = IND_CAUSE(cause & ~TRAP_INTERRUPT);

    if (cause == TRAP_ECALL_U || cause == TRAP_ECALL_S)
        count |= (cpu->hart.reg[REG_A7] & UINT32_MAX) << IND_NUMBER_SHIFT;
    return count;
}

/* A trap was taken, or the host is about to serve it. */
static void watch_trap(struct cpu *cpu, uint64_t cause, uint64_t pc, uint64_t tval)
{
    if (cpu->pmu.transfers == 0 || is_of_profiling(cause))
        return;
    raise_transfer(cpu, is_call(cause) ? IND_KIND_SYSCALL
                        : (cause & TRAP_INTERRUPT) != 0 ? IND_KIND_INTERRUPT : IND_KIND_EXCEPTION,
                   pc, tval, trap_count(cpu, cause), 0);
}

/* The return commits after this; until then registers are the handler's. */
static void watch_return(struct cpu *cpu, unsigned place, uint64_t pc)
{
    const struct hart *hart = &cpu->hart;
    uint64_t cause = trap_cause_of(hart, place == HINT_AT_MACHINE ? hart->mcause : hart->scause);
    uint64_t count = trap_count(cpu, cause);

    if ((cause & TRAP_INTERRUPT) != 0)
        count |= IND_COUNT_INTERRUPT;
    raise_transfer(cpu, IND_KIND_XRET, pc, hart->pc, count, 1);
}

void cpu_watch_thread(struct cpu *cpu, unsigned number)
{
    if (number != CSR_PROF_THREAD)
        return;
    cpu_show_thread(cpu);
    if (cpu->pmu.transfers != 0)
        raise_transfer(cpu, IND_KIND_THREAD, cpu->hart.pc, cpu->pmu.thread.id, 1, 1);
}

void cpu_leave_handler(struct cpu *cpu, unsigned place, uint64_t pc)
{
    bool was_handler = (cpu->in_handler >> place & 1) != 0;

    cpu->in_handler &= (uint8_t)~(1u << place);
    if (was_handler)
        cpu->left_monitor = cpu->pmu.events[EVENT_INSNS_RETIRED] + 1;
    else if (cpu->pmu.transfers != 0)
        watch_return(cpu, place, pc);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static enum stop stop_with(struct cpu *cpu, enum stop stop, uint64_t cause, uint64_t pc,
                           uint64_t tval)
{
    cpu->stop_cause = cause;
    cpu->stop_pc = pc;
    cpu->stop_tval = tval;
    return stop;
}

/* The first instruction of the handler trapped into the handler, and will do so for ever. The trap
 * registers still hold the first trap, unless the handler was entered by other means. */
static enum stop stop_unhandled(struct cpu *cpu, const struct hart *before, uint64_t cause,
                                uint64_t tval)
{
    bool is_machine = cpu->hart.priv == PRIV_M;
    uint64_t first_cause = is_machine ? before->mcause : before->scause;
    uint64_t first_pc = is_machine ? before->mepc : before->sepc;
    uint64_t first_tval = is_machine ? before->mtval : before->stval;
    uint64_t pc = before->pc;

    cpu->hart = *before;
    if (first_pc == 0 && first_cause == 0)
        return stop_with(cpu, STOP_TRAP, cause, pc, tval);
    return stop_with(cpu, STOP_TRAP, trap_cause_of(before, first_cause), first_pc, first_tval);
}

/* Handles a trigger on the trap that was just taken. Its own trap is another, which can have a
 * trigger too. */
static enum stop break_in_handler(struct cpu *cpu)
{
    cpu->pmu.events[EVENT_TRAPS]++;
    return cpu_trap(cpu, TRAP_BREAKPOINT, cpu->hart.pc, 0);
}

enum stop cpu_trap(struct cpu *cpu, uint64_t cause, uint64_t pc, uint64_t tval)
{
    struct hart *hart = &cpu->hart;
    bool is_exception = (cause & TRAP_INTERRUPT) == 0;
    struct hart before;

    hart->pc = pc;
    if (is_exception && hart->in_monitor)
        return stop_with(cpu, STOP_MONITOR_FAULT, cause, pc, tval);
    if (is_exception && cpu->host_serves_traps && hart->priv == PRIV_U) {
        watch_trap(cpu, cause, pc, tval);
        raise_transfer(cpu, IND_KIND_XRET, pc, cause == TRAP_ECALL_U ? pc + ECALL_BYTES : pc,
                       trap_count(cpu, cause), 0);
        if (cpu->calls != NULL)
            cpu_show_trap(cpu, cause, pc, true);
        tell(cpu, CPU_TRAP_SERVED, cause, pc, tval);
        return stop_with(cpu, STOP_HOST_CALL, cause, pc, tval);
    }
    before = *hart;
    trap_enter(hart, cause, pc, tval);
    if (is_exception && hart->pc == pc && hart->priv == before.priv)
        return stop_unhandled(cpu, &before, cause, tval);
    cpu->pmu.events[EVENT_INTERRUPTS] += !is_exception;
    unsigned place = hart->priv == PRIV_M ? HINT_AT_MACHINE : HINT_AT_SUPERVISOR;
    hint_trap(&cpu->pmu, place);
    cpu->in_handler &= (uint8_t)~(1u << place);
    cpu->in_handler |= (uint8_t)((unsigned)is_of_profiling(cause) << place);
    watch_trap(cpu, cause, pc, tval);
    if (cpu->calls != NULL && !before.in_monitor)
        cpu_show_trap(cpu, cause, pc, false);
    bool breaks = cpu_observe_trap(cpu, cause, pc, before.priv);
    cpu_privilege_changed(cpu);
    tell(cpu, is_exception ? CPU_TRAP_EXCEPTION : CPU_TRAP_INTERRUPT, cause, pc, tval);
    return breaks ? break_in_handler(cpu) : STOP_NONE;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Counter overflow is the monitor's unless the program enabled it for itself. */
static uint64_t profiling_cause(const struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;

    if (cpu->pmu.queue_length != 0)
        return PROF_CAUSE_INDICATOR;
    if ((trap_mip(hart) & ~hart->mie & LCOFI_BIT) != 0)
        return PROF_CAUSE_LCOFI;
    return 0;
}

static void drive_indicator_line(struct cpu *cpu)
{
    if (cpu->pmu.queue_length != 0 && !cpu_holds_back(cpu))
        cpu->hart.irq_lines |= INDICATOR_BIT;
    else
        cpu->hart.irq_lines &= ~INDICATOR_BIT;
}

/* As an ordinary interrupt that whoever is running may have shut out. */
static bool is_shut_out(const struct hart *hart)
{
    if (hart->priv == PRIV_M)
        return (hart->mstatus & MSTATUS_MIE) == 0;
    return hart->priv == PRIV_S && (hart->mstatus & MSTATUS_SIE) == 0;
}

static bool overflow_may_enter(const struct cpu *cpu)
{
    return (cpu->pmu.mode & PROF_MODE_MASKABLE) == 0 || !is_shut_out(&cpu->hart);
}

/* True if there is a monitor, and it is neither entered nor shut out. */
static bool monitor_may_enter(const struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;
    bool is_present = cpu->host_monitor || hart->monitor_vector != 0;

    return is_present && !hart->in_monitor && cpu->sleeps_until != CPU_PARKED &&
           (cpu->pmu.mode & PROF_MODE_CLAIM) == 0;
}

static bool overflow_is_due(const struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;

    return (trap_mip(hart) & ~hart->mie & LCOFI_BIT) != 0 && overflow_may_enter(cpu);
}

/* Why the monitor is to be entered, or 0. */
static uint64_t monitor_cause(const struct cpu *cpu)
{
    const struct hart *hart = &cpu->hart;
    uint64_t cause = profiling_cause(cpu);
    bool is_held = cpu_holds_back(cpu) && !(hart->waiting && cause == PROF_CAUSE_LCOFI);

    if (!monitor_may_enter(cpu) || is_held)
        return 0;
    return cause == PROF_CAUSE_LCOFI && !overflow_may_enter(cpu) ? 0 : cause;
}

unsigned cpu_monitor_entries(const struct cpu *cpu)
{
    if (!monitor_may_enter(cpu))
        return 0;
    return (cpu->pmu.queue_length != 0 ? 1u : 0u) + (overflow_is_due(cpu) ? 1u : 0u);
}

/* True when the monitor was entered. A counter-overflow interrupt is acknowledged by that. */
static bool interrupt_for_monitor(struct cpu *cpu, enum stop *stop)
{
    struct hart *hart = &cpu->hart;
    uint64_t cause = monitor_cause(cpu);

    if (cause == 0)
        return false;
    if (cause == PROF_CAUSE_LCOFI) {
        hart->mip_software &= ~LCOFI_BIT;
        hart->irq_lines &= ~LCOFI_BIT;
    }
    cpu->pmu.events[EVENT_INTERRUPTS]++;
    uint64_t pc = trap_interrupted_pc(hart);
    if (cpu->host_monitor) {
        cpu->left_monitor = cpu->pmu.events[EVENT_INSNS_RETIRED];
        *stop = stop_with(cpu, STOP_HOST_CALL, TRAP_INTERRUPT | cause, pc, 0);
        return false;
    }
    trap_enter_monitor(hart, cause, pc);
    hint_trap(&cpu->pmu, HINT_AT_MONITOR);
    cpu->in_handler |= 1u << HINT_AT_MONITOR;
    cpu_privilege_changed(cpu);
    tell(cpu, CPU_TRAP_MONITOR, cause, pc, 0);
    return true;
}

bool cpu_is_interrupted(struct cpu *cpu)
{
    if ((trap_mip(&cpu->hart) | cpu->pmu.queue_length) == 0)
        return false;
    drive_indicator_line(cpu);
    return monitor_cause(cpu) != 0 || trap_pending_interrupt(&cpu->hart) >= 0;
}

bool cpu_take_interrupt(struct cpu *cpu, enum stop *stop)
{
    int number;

    *stop = STOP_NONE;
    drive_indicator_line(cpu);
    if (interrupt_for_monitor(cpu, stop))
        return true;
    if (*stop != STOP_NONE)
        return false;
    number = trap_pending_interrupt(&cpu->hart);
    if (number < 0)
        return false;
    cpu_trap(cpu, TRAP_INTERRUPT | (uint64_t)number, cpu->hart.pc, 0);
    return true;
}
