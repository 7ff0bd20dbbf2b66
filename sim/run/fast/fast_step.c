/* One instruction at a time: the fast engine's slow and complete path.
 *
 * Fetch, decode, execute through the functions of isa/ and sim/core, with marks, filtered counters
 * and an observer. Blocks leave all rare cases to it. */
#include "isa/csr.h"
#include "pmu/event.h"
#include "pmu/limit.h"
#include "shadowcache/shadow.h"
#include "sim/core/core.h"
#include "sim/core/profile/marks.h"
#include "sim/core/profile/observe.h"
#include "sim/core/profile/profile_window.h"
#include "sim/run/fast/fast_count.h"
#include "sim/run/fast/fast_internal.h"

enum { INSN_CYCLES = 1, RM_DYNAMIC = 7, RM_LAST = 4, REG_SP = 2 };

/* One instruction under execution. */
struct step {
    const struct predecode_slot *slot;
    uint64_t pc;
    uint64_t va, data_pa, store_value;
    uint64_t tval;
    uint64_t events;
    unsigned effects;
    unsigned access_bytes;      /* 0: no data access */
    uint8_t fflags;             /* raised */
};

static enum trap_cause illegal(struct step *step)
{
    step->tval = step->slot->insn.bits;
    return TRAP_ILLEGAL;
}

/* ---- kinds of instructions ------------------------------------------------------------------- */

/* Devices read the clock, and change it and the interrupt lines. */
static void prepare_access(struct fast *fast, struct step *step, enum mmu_access access)
{
    struct cpu *cpu = fast->cpu;

    step->data_pa = 0;
    if (mmu_translate(&cpu->mmu, step->va, 1, access, &step->data_pa) == TRAP_NONE &&
        !phys_is_ram(cpu->phys, step->data_pa, 1)) {
        cpu_sync_time(cpu);
        step->effects |= CSR_EFFECT_INTERRUPTS;
    }
}

static void end_access(struct step *step)
{
    step->access_bytes = step->slot->mem_bytes;
    if ((step->va & (step->access_bytes - 1u)) != 0)
        step->events |= EVENT_BIT(MISALIGNED);
}

static enum trap_cause step_load(struct fast *fast, struct step *step)
{
    struct hart *hart = &fast->cpu->hart;
    const struct insn *insn = &step->slot->insn;
    uint64_t raw = 0;
    enum trap_cause cause;

    step->va = hart_address(hart, hart->reg[insn->rs1] + (uint64_t)(int64_t)insn->imm);
    prepare_access(fast, step, MMU_LOAD);
    cause = mmu_load(&fast->cpu->mmu, step->va, step->slot->mem_bytes, &raw);
    if (cause != TRAP_NONE) {
        step->tval = fast->cpu->mmu.fault_va;
        return cause;
    }
    end_access(step);
    hart->reg[insn->rd] = insn_extend(insn, raw);
    if ((step->slot->flags & INSN_IS_FP) != 0)
        hart_fp_dirty(hart);
    return TRAP_NONE;
}

static enum trap_cause step_store(struct fast *fast, struct step *step)
{
    struct hart *hart = &fast->cpu->hart;
    const struct insn *insn = &step->slot->insn;
    enum trap_cause cause;

    step->va = hart_address(hart, hart->reg[insn->rs1] + (uint64_t)(int64_t)insn->imm);
    step->store_value = hart->reg[insn->rs2];
    prepare_access(fast, step, MMU_STORE);
    cause = mmu_store(&fast->cpu->mmu, step->va, step->slot->mem_bytes, step->store_value);
    if (cause != TRAP_NONE)
        step->tval = fast->cpu->mmu.fault_va;
    else
        end_access(step);
    return cause;
}

static enum trap_cause step_fp(struct fast *fast, struct step *step)
{
    struct hart *hart = &fast->cpu->hart;
    const struct insn *insn = &step->slot->insn;
    const uint64_t *reg = hart->reg;
    unsigned rm = insn->rm == RM_DYNAMIC ? hart->frm : insn->rm, fflags = 0;

    if ((step->slot->flags & INSN_HAS_RM) != 0 && rm > RM_LAST)
        return illegal(step);
    hart->reg[insn->rd] =
        insn_fp(insn, reg[insn->rs1], reg[insn->rs2], reg[insn->rs3], rm, &fflags);
    step->fflags = (uint8_t)fflags;
    hart->fflags |= (uint8_t)fflags;
    hart_fp_dirty(hart);
    return TRAP_NONE;
}

static void step_control(struct hart *hart, struct step *step)
{
    const struct insn *insn = &step->slot->insn;
    uint64_t offset = (uint64_t)(int64_t)insn->imm, next = step->pc + insn->length;

    if (step->slot->kind == KIND_BRANCH) {
        if (insn_is_taken(insn, hart->reg[insn->rs1], hart->reg[insn->rs2])) {
            step->events |= EVENT_BIT(BRANCHES_TAKEN);
            next = hart_address(hart, step->pc + offset);
        }
        hart->pc = next;
    } else if (step->slot->kind == KIND_JAL) {
        hart->reg[insn->rd] = hart_value(hart, next);
        hart->pc = hart_address(hart, step->pc + offset);
    } else {
        hart->pc = hart_address(hart, (hart->reg[insn->rs1] + offset) & ~UINT64_C(1));
        hart->reg[insn->rd] = hart_value(hart, next);
    }
}

static enum trap_cause execute(struct fast *fast, struct step *step)
{
    struct cpu *cpu = fast->cpu;
    struct hart *hart = &cpu->hart;
    const struct insn *insn = &step->slot->insn;
    enum trap_cause cause;

    if ((step->slot->flags & INSN_IS_FP) != 0 && hart_fp_is_off(hart))
        return illegal(step);
    switch (step->slot->kind) {
    case KIND_ALU:
        hart->reg[insn->rd] =
            insn_alu(insn, hart->reg[insn->rs1], hart->reg[insn->rs2], step->pc);
        cause = TRAP_NONE;
        break;
    case KIND_BRANCH:
    case KIND_JAL:
    case KIND_JALR:
        step_control(hart, step);
        return TRAP_NONE;
    case KIND_LOAD:
        cause = step_load(fast, step);
        break;
    case KIND_STORE:
        cause = step_store(fast, step);
        break;
    case KIND_FP:
        cause = step_fp(fast, step);
        break;
    case KIND_LR:
    case KIND_SC:
    case KIND_AMO:
        step->store_value = hart->reg[insn->rs2];
        cause = cpu_atomic(cpu, insn, &step->tval, &step->va, &step->data_pa);
        step->access_bytes = step->slot->mem_bytes;
        return cause;
    case KIND_ILLEGAL:
        return illegal(step);
    default:
        cpu->own_cycles = INSN_CYCLES;
        cause = cpu_system(cpu, insn, step->pc, &step->tval, &step->effects);
        cpu->own_cycles = 0;
        return cause;
    }
    if (cause == TRAP_NONE)
        hart->pc += insn->length;
    return cause;
}

/* ---- profiling ------------------------------------------------------------------------------- */

static void count_events(uint64_t *events, uint64_t mask)
{
    for (; mask != 0; mask &= mask - 1)
        events[__builtin_ctzll(mask)]++;
}

/* Marks found before the instruction ran, because it may have changed them. */
struct found { struct mark imark; bool has_imark; uint32_t bundle; uint64_t pa, sp; };

static void find_marks(struct cpu *cpu, uint64_t pc, struct found *found)
{
    found->has_imark = false;
    found->pa = found->bundle = 0;
    found->sp = hart_address(&cpu->hart, cpu->hart.reg[REG_SP]);
    if (!cpu->hints_on && cpu->pmu.watching == 0)
        return;
    mmu_translate(&cpu->mmu, pc, 2, MMU_FETCH, &found->pa);
    if (cpu->hart.in_monitor || !cpu->hints_on)
        return;
    found->bundle = predecode_bundle(cpu->phys, found->pa);
    if (cpu->marks_on)
        found->has_imark = shadow_mark(cpu->ishadow, SHADOW_NO_FRAME, found->pa, &found->imark);
}

static bool find_dmark(struct cpu *cpu, const struct step *step, struct mark *dmark)
{
    return step->access_bytes != 0 && phys_is_ram(cpu->phys, step->data_pa, 1) &&
           (phys_flags(cpu->phys, step->data_pa) & PHYS_META_DATA) != 0 &&
           shadow_access_mark(cpu->dshadow, SHADOW_NO_FRAME, step->data_pa, step->access_bytes,
                              dmark);
}

/* The marks of an executed instruction; mark: storage for them. */
static struct marking marking_of(struct cpu *cpu, const struct step *step,
                                 const struct found *found, struct retire *retire,
                                 struct mark mark[2])
{
    struct marking marking = {.iframe = SHADOW_NO_FRAME, .dframe = SHADOW_NO_FRAME};

    if (cpu_take_hint(cpu, step->slot->insn.bits, found->pa, found->bundle, &mark[0],
                      &retire->events))
        marking.hint = &mark[0];
    if (found->has_imark)
        marking.insn = &found->imark;
    if (cpu_marks_data(cpu, retire->priv) && retire->access_bytes != 0 &&
        find_dmark(cpu, step, &mark[1]))
        marking.datum = &mark[1];
    return marking;
}

/* The record of the instruction for the profiling hardware; it has not retired yet. */
static struct retire describe(const struct cpu *cpu, const struct step *step,
                              const struct found *found)
{
    const struct predecode_slot *slot = step->slot;
    unsigned accessed =
        cpu_accessed_bytes(slot->kind, step->access_bytes, cpu->hart.reg[slot->insn.rd]);

    return (struct retire){
        .pc = step->pc,
        .pa = found->pa,
        .next_pc = cpu->hart.pc,
        .va = step->va,
        .sp = found->sp,
        .priv = cpu->hart.priv,
        .data_pa = step->data_pa,
        .events = slot->events | step->events,
        .latency_cycles = INSN_CYCLES,
        .access_cycles = accessed != 0 ? INSN_CYCLES : 0,
        .access_bytes = (uint8_t)accessed,
        .group = cpu->pmu.events[EVENT_CYCLES] + 1,
    };
}

/* was_marking: the toggle state in which the instruction began. */
static void observe(struct cpu *cpu, const struct step *step, const struct found *found,
                    bool was_marking, uint8_t priv)
{
    struct retire retire = describe(cpu, step, found);
    struct mark mark[2];
    uint64_t known;

    retire.priv = priv;
    retire.events |= EVENT_BIT(INSNS_RETIRED);
    known = retire.events;
    if (was_marking && cpu->hints_on) {
        struct marking marking = marking_of(cpu, step, found, &retire, mark);
        cpu_apply_marks(cpu, &retire, &marking);
    }
    if (cpu->observers != 0)
        cpu_observe(cpu, &retire, &step->slot->insn, priv);
    if (cpu->pmu.watching != 0)
        pmu_retire(&cpu->pmu, &retire);
    count_events(cpu->pmu.events, retire.events & ~known);
}

/* The instruction is about to trap. True: an interrupt raised by its marks comes first. */
static bool signal_trap(struct cpu *cpu, const struct step *step, const struct found *found)
{
    struct retire retire;
    struct mark mark[2];
    struct marking marking;

    if (!cpu_signals_trap(cpu, &step->slot->insn, step->pc))
        return false;
    retire = describe(cpu, step, found);
    marking = marking_of(cpu, step, found, &retire, mark);
    return cpu_apply_trap_marks(cpu, &retire, &marking);
}

/* ---- the step -------------------------------------------------------------------------------- */

/* An encoding always has the same meaning, as an engine has one XLEN. */
static const struct predecode_slot *decode(struct fast *fast, uint32_t bits)
{
    uint32_t hash = bits * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS);
    struct predecode_slot *slot = &fast->slot[hash];

    if (!slot->is_valid || slot->insn.bits != bits)
        predecode_fill(slot, bits, hart_xlen(&fast->cpu->hart));
    return slot;
}

static enum stop take_trap(struct fast *fast, enum trap_cause cause, uint64_t pc, uint64_t tval)
{
    fast->cpu->pmu.events[EVENT_TRAPS]++;
    return cpu_trap(fast->cpu, cause, pc, tval);
}

/* The cycle of a return from a trap belongs, like the instruction, to the mode it leaves. */
static void count_step(struct fast *fast, bool was_in_monitor)
{
    bool is_in_monitor = fast->cpu->hart.in_monitor;

    fast->cpu->hart.in_monitor = was_in_monitor;
    fast_count(fast, 1);
    fast->cpu->hart.in_monitor = is_in_monitor;
}

/* Reports the completed instruction to the observer. priv: the mode it began in. */
static void tell(struct fast *fast, const struct step *step, uint8_t priv)
{
    const struct insn *insn = &step->slot->insn;

    if (fast->warming != NULL)
        core_warm(fast->warming, &(struct core_warm){
                                     .pc = step->pc, .next_pc = fast->cpu->hart.pc, .va = step->va,
                                     .pa = step->data_pa, .insn = insn, .priv = priv,
                                     .mem_bytes = (uint8_t)step->access_bytes,
                                 });
    if (fast->observer != NULL)
        fast->observer->step(fast->observer->arg,
                             &(struct fast_record){
                                 .pc = step->pc, .insn = insn, .va = step->va,
                                 .pa = step->data_pa, .store_value = step->store_value,
                                 .priv = priv, .fflags = step->fflags,
                                 .mem_bytes = (uint8_t)step->access_bytes,
                             });
}

/* Tests debug triggers; of an instruction that could not be fetched only the address is known. */
static bool breaks(struct cpu *cpu, struct step *step)
{
    uint64_t tval;
    struct cpu_next unfetched = {.pc = step->pc};

    if (!(step->slot != NULL ? cpu_breaks_at_pc(cpu, &step->slot->insn, &tval)
                             : cpu_breaks(cpu, &unfetched, &tval)))
        return false;
    step->tval = tval;
    return true;
}

static void show_transfer(const struct cpu *cpu, const struct step *step)
{
    unsigned kind = step->slot->kind;

    if (kind == KIND_JAL || kind == KIND_JALR || kind == KIND_SYSTEM ||
        (step->events & EVENT_BIT(BRANCHES_TAKEN)) != 0)
        cpu_show_transfer(cpu, &step->slot->insn, step->pc, cpu->hart.pc, cpu->hart.reg[REG_SP]);
}

enum stop fast_step(struct fast *fast, struct fast_result *result)
{
    struct cpu *cpu = fast->cpu;
    bool was_in_monitor = cpu->hart.in_monitor, was_marking = cpu->hints_on && !was_in_monitor;
    uint8_t priv = cpu->hart.priv;
    struct step step = {.pc = cpu->hart.pc};
    struct found found;
    uint32_t bits;
    enum trap_cause cause;

    *result = (struct fast_result){.retired = false};
    cause = mmu_fetch(&cpu->mmu, step.pc, &bits, &step.tval);
    if (cause == TRAP_NONE)
        step.slot = decode(fast, bits);
    if ((cpu->observers & CPU_OBSERVES_NEXT) != 0 && breaks(cpu, &step))
        return take_trap(fast, TRAP_BREAKPOINT, step.pc, step.tval);
    if (cause != TRAP_NONE)
        return take_trap(fast, cause, step.pc, step.tval);
    find_marks(cpu, step.pc, &found);
    cause = execute(fast, &step);
    if (cause != TRAP_NONE && signal_trap(cpu, &step, &found))
        return STOP_NONE;
    if (cause != TRAP_NONE)
        return take_trap(fast, cause, step.pc, step.tval);
    if (cpu->late_effects != 0) {
        cpu->pmu.is_writer = true;
        step.effects |= cpu_take_late_effects(cpu);
    }
    *result = (struct fast_result){.retired = true, .effects = step.effects};
    bool had_limits = cpu->pmu.limits.is_used;
    if (was_marking || (!was_in_monitor && (cpu->pmu.watching | cpu->observers) != 0))
        observe(cpu, &step, &found, was_marking, priv);
    if (cpu->calls != NULL && !was_in_monitor)
        show_transfer(cpu, &step);
    if (cpu->pmu.limits.depth != 0 && !was_in_monitor && cpu_is_return(&step.slot->insn))
        pmu_limit_return(&cpu->pmu, found.sp, priv);
    if (cpu->pmu.limits.is_used && !had_limits)     /* from now on returns are checked */
        result->effects |= CPU_EFFECT_MARKS;
    cpu->pmu.is_writer = false;
    if (fast_is_counting(fast))
        count_events(cpu->pmu.events, (step.slot->events | step.events) & event_bits_architectural);
    count_step(fast, was_in_monitor);
    if (fast->observer != NULL || fast->warming != NULL)
        tell(fast, &step, priv);
    if ((step.effects & CPU_EFFECT_WAIT) != 0)
        return STOP_WAITING;
    return cpu->phys->event ? STOP_EVENT : STOP_NONE;
}
