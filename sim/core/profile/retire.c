/* The profiling hardware at commit: its record of a committing instruction.
 *
 * It is passed to rules, marks, hints, filtered counters, ranges, observers and the call tree, in
 * this order. Commit calls retire_watched while one of these is on (EXTRA_WATCHED). Thresholds of
 * stores are tested when their line is written, after commit: the store queue calls
 * retire_written. */
#include "pmu/event_rule.h"
#include "pmu/hint.h"
#include "pmu/limit.h"
#include "shadowcache/shadow.h"
#include "sim/core/fetch/predecode.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/profile/awaited.h"
#include "sim/core/profile/metadata.h"
#include "sim/core/profile/observe.h"

static unsigned accessed_bytes(const struct uop *uop)
{
    return cpu_accessed_bytes(uop->kind, uop->access_bytes, uop->value);
}

/* The marks of the instruction by hints. */
static bool take_hint(struct core *core, struct uop *uop, struct mark *mark)
{
    struct cpu *cpu = core->cpu;
    uint32_t bundle = 0;
    if (!core->hints_on || !cpu->hints_on || (uop->flags & UOP_MONITOR) ||
        ((uop->flags & (UOP_HINT | UOP_BUNDLED)) == 0 && !hint_is_pending(&cpu->pmu)))
        return false;
    if (uop->flags & UOP_BUNDLED)
        bundle = predecode_bundle(cpu->phys, uop->insn_pa);
    return cpu_take_hint(cpu, uop->insn.bits, uop->insn_pa, bundle, mark, &uop->events);
}

/* An access across pages, of which the first may have no mark. */
static bool goes_on_in_marked_page(const struct core *core, const struct uop *uop)
{
    return cpu_marks_data(core->cpu, uop->priv) &&
           (uop->flags & (UOP_MONITOR | UOP_SERIAL)) == UOP_SERIAL &&
           cpu_bytes_past_page(uop->va, uop->access_bytes) != 0;
}

/* As PROF_REG_MEASURE numbers them. */
static uint32_t issue_slots(const struct core *core, const struct uop *uop)
{
    return core_is_in_order(core) ? core_config(core)->dispatch_width
                                 : core->iq.queue_size[uop->queue];
}

static uint8_t issue_slot(const struct core *core, const struct uop *uop, uint32_t slots)
{
    if (core->inorder == NULL && (uop->flags & UOP_SERIAL))
        return 0;
    return (uint8_t)(core->inorder == NULL && (core_extras(core) & EXTRA_SLOTS)
                         ? uop->slot : core->commit_seq % slots);
}

/* For a store: the level that has its line when it commits. */
static uint8_t level_of(const struct core *core, const struct uop *uop)
{
    if (accessed_bytes(uop) == 0 || !phys_is_ram(core->cpu->phys, uop->pa, 1))
        return IND_LEVEL_NONE;
    return lsu_indicator_level(uop->flags & UOP_IS_STORE ? memsys_probe(core->mem, uop->pa)
                                                         : uop->level);
}

/* True if an indicator is pending, and instructions committing with this one do not go before
 * it. */
static bool ends_group(const struct pmu *pmu)
{
    return pmu->queue_length != 0 && (pmu->measure & PROF_MEASURE_GROUP) == 0;
}

/* Only the instruction's own mark applies, and it only counts; the count is already done. */
static inline bool counts_only(struct core *core, const struct uop *uop)
{
    const uint64_t flags = UOP_MARKED | UOP_SERIAL | UOP_MONITOR | UOP_HINT | UOP_BUNDLED;
    const struct cpu *cpu = core->cpu;
    return (uop->flags & flags) == UOP_MARKED && uop->counter_pa != 0 && cpu->marks_on &&
           !event_has_rules &&
           cpu->pmu.watching == 0 && !cpu->hart.in_monitor && !hint_is_pending(&cpu->pmu) &&
           (uop->access_bytes == 0 || !metadata_touches_marks(core, uop)) &&
           (shadow_tick(cpu->ishadow, uop->counter_frame, uop->counter_pa) ||
            shadow_tick(cpu->ishadow, metadata_iframe(core, uop->insn_pa), uop->counter_pa));
}

static void note_counts(struct core *core, const struct marking *marking)
{
    if (marking->insn != NULL)
        metadata_counted(core, marking->insn, false);
    if (marking->datum != NULL)
        metadata_counted(core, marking->datum, true);
}

/* The marks of one instruction, and their storage. */
struct found { struct marking marking; struct mark hint, counter, datum; };

static bool find_marks(struct core *core, struct uop *uop, struct found *found)
{
    struct marking *marking = &found->marking;
    *marking = (struct marking){.iframe = SHADOW_NO_FRAME, .dframe = SHADOW_NO_FRAME};
    if (take_hint(core, uop, &found->hint))
        marking->hint = &found->hint;
    if (uop->flags & UOP_MARKED) {
        found->counter = (struct mark){
            .flags = MARK_COUNTER, .only_counts = true, .item_pa = uop->counter_pa,
        };
        marking->insn = uop->counter_pa != 0 ? &found->counter : &core->imark[uop - core->ring];
        marking->iframe = metadata_iframe(core, uop->insn_pa);
    }
    if (metadata_touches_marks(core, uop)) {
        marking->dframe = metadata_dframe(core, uop->pa);
        if (shadow_access_mark(core->cpu->dshadow, marking->dframe, uop->pa, uop->access_bytes,
                               &found->datum))
            marking->datum = &found->datum;
    }
    return marking->hint != NULL || marking->insn != NULL || marking->datum != NULL ||
           goes_on_in_marked_page(core, uop);
}

/* The record for the profiling hardware; the instruction has not retired yet. */
static struct retire describe(const struct core *core, const struct uop *uop)
{
    uint32_t slots = issue_slots(core, uop);
    return (struct retire){
        .slot = issue_slot(core, uop, slots),
        .slots = (uint8_t)(slots < UINT8_MAX ? slots : UINT8_MAX),
        .turn = core->commit_seq / slots, .group = core->now + 1,
        .pc = uop->pc, .pa = uop->insn_pa, .next_pc = uop->next_pc,
        .va = uop_has_address(uop) ? uop->va : 0, .data_pa = uop_has_address(uop) ? uop->pa : 0,
        .events = uop->events,
        .latency_cycles = (uint32_t)(uop->complete_cycle - uop->issue_cycle),
        .access_cycles = accessed_bytes(uop) != 0 ? uop->access_cycles : 0,
        .access_bytes = (uint8_t)accessed_bytes(uop),
        .level = level_of(core, uop), .priv = uop->priv,
    };
}

/* A store that the store queue writes after commit. */
static bool is_written_later(const struct uop *uop)
{
    return (uop->flags & (UOP_IS_STORE | UOP_SERIAL)) == UOP_IS_STORE && uop->access_bytes != 0;
}

/* A copy of the mark, in `place`. */
static const struct mark *keep_mark(struct mark *place, const struct mark *mark)
{
    if (mark == NULL)
        return NULL;
    *place = *mark;
    return place;
}

static void await_line(struct core *core, const struct uop *uop, const struct retire *retire,
                       const struct marking *marking)
{
    struct awaited *awaited = &core->awaited[uop->store_number & core->sq.mask];
    awaited->retire = *retire;
    awaited->committed = core->now;
    awaited->marking = (struct marking){
        .hint = keep_mark(&awaited->hint, marking->hint),
        .insn = keep_mark(&awaited->insn, marking->insn),
        .datum = keep_mark(&awaited->datum, marking->datum),
    };
    store_queue_at(core, uop->store_number)->is_awaited = true;
}

/* The frames in which the marks were found at commit may have other lines now. */
void retire_written(struct core *core, uint64_t number, uint64_t cycle)
{
    struct awaited *awaited = &core->awaited[number & core->sq.mask];
    awaited->marking.iframe = metadata_iframe(core, awaited->retire.pa);
    awaited->marking.dframe = metadata_dframe(core, awaited->retire.data_pa);
    cpu_apply_written_marks(core->cpu, &awaited->retire, (uint32_t)(cycle - awaited->committed),
                            &awaited->marking);
    core_note_counters(core);
}

/* Applies marks, filtered counters, ranges. True: an indicator is pending now. */
static bool marks_need_sp(const struct marking *marking)
{
    const struct mark *const mark[] = {marking->insn, marking->hint, marking->datum};
    unsigned flags = 0;

    for (unsigned i = 0; i < sizeof mark / sizeof mark[0]; i++)
        flags |= mark[i] != NULL ? mark[i]->flags : 0;
    return (flags & (MARK_ALARM | MARK_START | MARK_STOP | MARK_TOGGLE)) != 0;
}

static bool profile_insn(struct core *core, struct uop *uop)
{
    struct cpu *cpu = core->cpu;
    struct found found;
    bool is_marked = find_marks(core, uop, &found), pending = false;
    if (!is_marked && (cpu->pmu.watching | cpu->observers) == 0 && !event_has_rules)
        return false;
    struct retire retire = describe(core, uop);
    retire.events |= EVENT_BIT(INSNS_RETIRED);
    if (event_has_rules)
        retire.events |= event_rules_of(&retire);
    if (is_marked && marks_need_sp(&found.marking))
        retire.sp = core_committed_sp(core);
    if (is_marked && is_written_later(uop))
        retire.phase = RETIRE_COMMITS;
    if (is_marked)
        pending = cpu_apply_marks(cpu, &retire, &found.marking);
    if (is_marked && (core_extras(core) & EXTRA_METADATA))
        note_counts(core, &found.marking);
    if (cpu->observers != 0 && (uop->flags & UOP_MONITOR) == 0)
        cpu_observe(cpu, &retire, &uop->insn, uop->priv);
    if (cpu->pmu.watching != 0 && (uop->flags & UOP_MONITOR) == 0)
        pmu_retire(&cpu->pmu, &retire);
    if (retire.is_awaited)
        await_line(core, uop, &retire, &found.marking);
    uop->events = retire.events & ~EVENT_BIT(INSNS_RETIRED);
    return pending && ends_group(&cpu->pmu);
}

bool retire_trap(struct core *core, struct uop *uop)
{
    struct found found;
    if ((uop->insn.op == OP_ecall) == (uop->trap == TRAP_BREAKPOINT) ||     /* another's trap */
        !cpu_signals_trap(core->cpu, &uop->insn, uop->pc) || !find_marks(core, uop, &found))
        return false;
    struct retire retire = describe(core, uop);
    bool is_due = cpu_apply_trap_marks(core->cpu, &retire, &found.marking);
    if (core_extras(core) & EXTRA_METADATA)
        note_counts(core, &found.marking);
    core_note_counters(core);
    return is_due;
}

bool retire_watched(struct core *core, struct uop *uop)
{
    tally_settle_mode(core);
    if (core->cpu->calls != NULL)
        core_show_transfer(core, uop);
    if (core->cpu->pmu.limits.depth != 0 && cpu_is_return(&uop->insn) &&
        (uop->flags & UOP_MONITOR) == 0)
        pmu_limit_return(&core->cpu->pmu, core_committed_sp(core), uop->priv);
    if (counts_only(core, uop))
        return !ends_group(&core->cpu->pmu);
    bool goes_on = !profile_insn(core, uop);
    core_note_counters(core);
    return goes_on;
}
