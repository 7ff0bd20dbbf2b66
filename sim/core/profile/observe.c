/* Control transfer records and debug triggers, driven by both engines; and the observers of
 * commits. */
#include "sim/core/profile/observe.h"

#include "pmu/abi.h"
#include "pmu/event_rule.h"
#include "pmu/exact/calls.h"
#include "pmu/exact/oracle.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/tally.h"

enum { REG_SP = 2, REG_A7 = 17 };

void cpu_observers_changed(struct cpu *cpu)
{
    const struct triggers *triggers = &cpu->triggers;

    cpu->observers = (ctr_is_on(&cpu->ctr) ? CPU_OBSERVES_TRANSFERS : 0u) |
                     (triggers->looks_at_retired ? CPU_OBSERVES_RETIRED : 0u) |
                     (triggers->looks_before ? CPU_OBSERVES_NEXT : 0u) |
                     (triggers->looks_at_traps ? CPU_OBSERVES_TRAPS : 0u);
}

/* True if a breakpoint cannot destroy state that its own handler has not saved yet. */
static bool may_break(const struct hart *hart)
{
    if (hart->priv == PRIV_M)
        return (hart->mstatus & MSTATUS_MIE) != 0;
    return hart->priv != PRIV_S || (hart->medeleg >> TRAP_BREAKPOINT & 1) == 0 ||
           (hart->mstatus & MSTATUS_SIE) != 0;
}

static struct trigger_access access_of(const struct insn *insn, uint64_t pc, unsigned priv)
{
    unsigned kind = insn_info[insn->op].kind;
    bool is_amo = kind == KIND_AMO;

    return (struct trigger_access){
        .pc = pc, .insn_bytes = insn->length, .priv = (uint8_t)priv,
        .is_load = is_amo || kind == KIND_LOAD || kind == KIND_LR,
        .is_store = is_amo || kind == KIND_STORE || kind == KIND_SC,
    };
}

static void show_space(struct cpu *cpu)
{
    cpu->triggers.asid = (uint16_t)(cpu->hart.satp >> SATP_ASID_SHIFT);
    cpu->triggers.asid_mask = hart_xlen(&cpu->hart) == 32 ? SATP32_ASID : UINT16_MAX;
}

/* These actions have the effect of marks of these names; of several at once the last one acts. */
static void switch_gate(struct cpu *cpu, unsigned fired)
{
    if ((fired & TRIGGER_STARTS) != 0)
        pmu_set_toggle(&cpu->pmu, true);
    if ((fired & TRIGGER_STOPS) != 0)
        pmu_set_toggle(&cpu->pmu, false);
    if ((fired & TRIGGER_TOGGLES) != 0)
        pmu_set_toggle(&cpu->pmu, !cpu->pmu.toggle);
}

/* Signals that belong to no instruction. */
static void count_signals(struct cpu *cpu, unsigned fired)
{
    switch_gate(cpu, fired);
    cpu->pmu.events[EVENT_TRIGGER_8] += (fired & TRIGGER_SIGNAL_8) != 0;
    cpu->pmu.events[EVENT_TRIGGER_9] += (fired & TRIGGER_SIGNAL_9) != 0;
}

bool cpu_breaks(struct cpu *cpu, const struct cpu_next *next, uint64_t *tval)
{
    struct trigger_access access = {.pc = next->pc, .priv = cpu->hart.priv};
    unsigned fired;

    if (cpu->hart.in_monitor)
        return false;
    if (next->is_fetched)
        access = access_of(next->insn, next->pc, cpu->hart.priv);
    if (next->is_fetched && next->has_address) {
        access.access_bytes = insn_info[next->insn->op].mem_bytes;
        access.va = next->va;
    }
    show_space(cpu);
    fired = triggers_before(&cpu->triggers, &access, may_break(&cpu->hart), tval);
    count_signals(cpu, fired);
    return (fired & TRIGGER_BREAKS) != 0;
}

bool cpu_breaks_at_pc(struct cpu *cpu, const struct insn *insn, uint64_t *tval)
{
    const struct hart *hart = &cpu->hart;
    const struct insn_info *info = &insn_info[insn->op];
    bool is_access = info->kind == KIND_LOAD || info->kind == KIND_STORE;
    bool is_atomic = info->kind == KIND_LR || info->kind == KIND_SC || info->kind == KIND_AMO;
    bool is_illegal = (info->flags & INSN_IS_FP) != 0 && hart_fp_is_off(hart);
    uint64_t offset = is_access ? (uint64_t)(int64_t)insn->imm : 0;
    struct cpu_next next = {
        .insn = insn, .pc = hart->pc, .va = hart_address(hart, hart->reg[insn->rs1] + offset),
        .is_fetched = true, .has_address = (is_access || is_atomic) && !is_illegal,
    };

    return cpu_breaks(cpu, &next, tval);
}

static void observe_transfer(struct cpu *cpu, const struct retire *retire,
                             const struct insn *insn)
{
    ctr_transfer(&cpu->ctr, insn, retire->pc, retire->next_pc,
                 (retire->events & EVENT_BIT(BRANCHES_TAKEN)) != 0,
                 (retire->events & EVENT_BIT(BRANCHES_MISPREDICTED)) != 0,
                 cpu->pmu.events[EVENT_CYCLES]);
}

static void observe_retired(struct cpu *cpu, struct retire *retire, const struct insn *insn,
                            unsigned priv)
{
    struct trigger_access access = access_of(insn, retire->pc, priv);
    unsigned fired;

    access.va = retire->va;
    access.access_bytes = retire->access_bytes;
    show_space(cpu);
    fired = triggers_retired(&cpu->triggers, &access);
    switch_gate(cpu, fired);
    if ((fired & TRIGGER_SIGNAL_8) != 0)
        retire->events |= EVENT_BIT(TRIGGER_8);
    if ((fired & TRIGGER_SIGNAL_9) != 0)
        retire->events |= EVENT_BIT(TRIGGER_9);
}

void cpu_observe(struct cpu *cpu, struct retire *retire, const struct insn *insn, unsigned priv)
{
    if ((cpu->observers & CPU_OBSERVES_TRANSFERS) != 0)
        observe_transfer(cpu, retire, insn);
    if ((cpu->observers & CPU_OBSERVES_RETIRED) != 0)
        observe_retired(cpu, retire, insn, priv);
}

bool cpu_observe_trap(struct cpu *cpu, uint64_t cause, uint64_t epc, unsigned from)
{
    const struct hart *hart = &cpu->hart;
    unsigned fired = 0;

    if (cpu->ctr.control != 0)
        ctr_trap(&cpu->ctr, cause, epc, hart->pc, hart->priv, cpu->pmu.events[EVENT_CYCLES]);
    show_space(cpu);
    if ((cpu->observers & CPU_OBSERVES_TRAPS) != 0)
        fired = triggers_trap(&cpu->triggers, cause, from, may_break(hart));
    count_signals(cpu, fired);
    return (fired & TRIGGER_BREAKS) != 0;
}

/* ---- the call tree --------------------------------------------------------------------------- */

/* pc: a key. */
static bool concerns(const struct cpu *cpu, const struct insn *insn, uint64_t pc)
{
    return insn_info[insn->op].kind == KIND_JALR || calls_concern(cpu->calls, insn, pc);
}

void cpu_show_transfer(const struct cpu *cpu, const struct insn *insn, uint64_t pc,
                       uint64_t next_pc, uint64_t sp)
{
    pc = cpu_key(cpu, pc);
    next_pc = cpu_key(cpu, next_pc);
    if (concerns(cpu, insn, pc) || insn->op == OP_mret || insn->op == OP_sret)
        calls_transfer(cpu->calls, insn, pc, next_pc, sp, pmu_program_insns(&cpu->pmu) + 1);
}

void cpu_show_trap(const struct cpu *cpu, uint64_t cause, uint64_t pc, bool is_served)
{
    const struct hart *hart = &cpu->hart;
    bool is_interrupt = (cause & TRAP_INTERRUPT) != 0;
    bool is_call = cause == TRAP_ECALL_U || cause == TRAP_ECALL_S || cause == TRAP_ECALL_M;
    bool has_number = cause == TRAP_ECALL_U || cause == TRAP_ECALL_S;
    unsigned kind = is_interrupt ? IND_KIND_INTERRUPT
                    : is_call ? IND_KIND_SYSCALL : IND_KIND_EXCEPTION;
    const struct calls_trap trap = {
        .routine = calls_trap_routine(kind, (uint32_t)(cause & ~TRAP_INTERRUPT),
                                      has_number ? (uint32_t)hart->reg[REG_A7] : 0),
        .pc = cpu_key(cpu, pc), .handler = is_served ? 0 : cpu_key(cpu, hart->pc),
        .sp = calls_take_sp(cpu->calls, hart->reg[REG_SP]),
        .at = pmu_program_insns(&cpu->pmu),
    };

    calls_take_trap(cpu->calls, &trap);
}

void cpu_show_thread(const struct cpu *cpu)
{
    if (cpu->calls != NULL)
        calls_name_thread(cpu->calls, cpu->pmu.thread.id, pmu_program_insns(&cpu->pmu) + 1);
}

/* ---- by the pipeline ------------------------------------------------------------------------- */

void core_note_overflow(struct core *core)
{
    tally_settle(core);
    if (pmu_overflow(&core->cpu->pmu))
        core->hart->mip_software |= UINT64_C(1) << IRQ_LCOFI;
}

void core_profiling_changed(struct core *core)
{
    const struct cpu *cpu = core->cpu;
    tally_settle(core);
    bool has_breaks = (cpu->observers & CPU_OBSERVES_NEXT) != 0;
    core->hints_on = cpu->hints_on;
    if (core->oracle != NULL)
        core->oracle->calls = cpu->calls;
    bool is_watched = cpu->marks_on || cpu->hints_on || cpu->pmu.watching != 0 ||
                      cpu->observers != 0 || core->observer != NULL || cpu->calls != NULL ||
                      core->stop_pc != NO_STOP_PC || cpu->pauses != NULL || event_has_rules;
    core->extras &= ~(EXTRA_TRIGGERS | EXTRA_WATCHED);
    core->extras |= (has_breaks ? EXTRA_TRIGGERS : 0u) | (is_watched ? EXTRA_WATCHED : 0u);
}

/* The stack pointer before the instruction at `seq`. */
static uint64_t sp_before(const struct core *core, uint64_t seq)
{
    for (; seq < core->dispatch_seq; seq++)
        if (core_uop(core, seq)->insn.rd == REG_SP)
            return core_uop(core, seq)->old_value;
    return core->hart->reg[REG_SP];
}

void core_show_transfer(const struct core *core, const struct uop *uop)
{
    bool is_return = uop->insn.op == OP_mret || uop->insn.op == OP_sret;
    bool is_transfer = (uop->flags & UOP_CONTROL) != 0 &&
                       (uop->kind != KIND_BRANCH ||
                        (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0) &&
                       concerns(core->cpu, &uop->insn, cpu_key(core->cpu, uop->pc));
    if ((is_return || is_transfer) && (uop->flags & UOP_MONITOR) == 0)
        cpu_show_transfer(core->cpu, &uop->insn, uop->pc, uop->next_pc,
                          sp_before(core, core->commit_seq + 1));
}

uint64_t core_committed_sp(const struct core *core)
{
    return hart_address(core->hart, sp_before(core, core->commit_seq));
}

bool core_take_interrupt(struct core *core, enum stop *stop)
{
    struct calls *calls = core->cpu->calls;
    if (calls != NULL)
        calls_set_sp(calls, sp_before(core, core->commit_seq));
    bool is_taken = cpu_take_interrupt(core->cpu, stop);
    if (calls != NULL)
        calls_take_sp(calls, 0);
    return is_taken;
}
