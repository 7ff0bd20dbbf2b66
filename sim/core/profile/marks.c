/* Effects of a mark when its instruction commits: counters, thresholds, toggles, labels and
 * indicator interrupts, for both engines.
 *
 * The following order holds for marks by hints, then for the mark of its own item, then for each
 * marked datum it accessed:
 *   start/stop/toggle act first, so that `start` counts itself and `stop` does not;
 *   the limit of a function begins (pmu/limit.h);
 *   the label is taken, independent of the threshold;
 *   with a threshold, everything else happens only when the latency is more than it; a store's is
 *   known when its line is written, so everything else waits until then (RETIRE_WRITTEN);
 *   count signals the PMU; the own counter goes up, and is cleared when its limit is passed;
 *   interrupt is raised: with a limit when it was passed, without one each time; near the counter's
 *   overflow, where the mark asks for that.
 * Instructions of the resident monitor carry no marks. */
#include "sim/core/profile/marks.h"

#include <stddef.h>

#include "isa/csr.h"
#include "isa/op.h"
#include "pmu/gate.h"
#include "pmu/hint.h"
#include "pmu/limit.h"
#include "shadowcache/shadow.h"
#include "sim/core/profile/profile_window.h"

/* A mark about to be applied: its frame and its measured values. */
struct signal {
    struct shadow *shadow;
    const struct mark *mark;
    uint32_t frame;
    uint32_t cycles;
    bool is_data;
};

static uint64_t threshold_cycles(const struct pmu *pmu, const struct mark *mark)
{
    uint64_t sum = 0;

    if (mark->latency_cycles != 0)
        return mark->latency_cycles;
    for (unsigned bit = 0; bit < 3; bit++)
        if ((mark->latency_bits >> bit & 1) != 0)
            sum += pmu->latency[bit];
    return sum;
}

enum { MARK_GATE = MARK_START | MARK_STOP | MARK_TOGGLE };

static void apply_toggle(struct pmu *pmu, const struct mark *mark, uint64_t sp)
{
    unsigned flags = mark->flags;

    if ((flags & MARK_GATE) == 0)
        return;
    pmu_gate_mark(pmu, flags, mark->label, sp);
    if ((flags & MARK_START) != 0)
        pmu_set_toggle(pmu, true);
    if ((flags & MARK_STOP) != 0)
        pmu_set_toggle(pmu, false);
    if ((flags & MARK_TOGGLE) != 0)
        pmu_set_toggle(pmu, !pmu->toggle);
}

/* A fixed slot may never meet an instruction of a loop whose length has a factor in common with the
 * number of slots; a random slot meets each. */
static unsigned chosen_slot(const struct pmu *pmu, const struct retire *retire)
{
    uint64_t drawn = (retire->turn + 1) * UINT64_C(0x9e3779b97f4a7c15);

    if ((pmu->measure & PROF_MEASURE_ROTATE) == 0 || retire->slots == 0)
        return pmu->measure >> PROF_MEASURE_SLOT_SHIFT & 0xff;
    drawn ^= drawn >> 29;
    drawn *= UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned)((drawn >> 32) % retire->slots);
}

static bool is_measured(const struct pmu *pmu, const struct retire *retire)
{
    if ((pmu->measure & PROF_MEASURE_PEER) != 0 && retire->level != IND_LEVEL_PEER)
        return false;
    return (pmu->measure & PROF_MEASURE_SAMPLE) == 0 ||
           retire->slot == chosen_slot(pmu, retire);
}

/* True if slower than the mark's threshold; removes signals from *flags that occur once for a
 * group. */
static bool exceeds(struct cpu *cpu, struct retire *retire, const struct signal *signal,
                    unsigned *flags)
{
    struct pmu *pmu = &cpu->pmu;

    if (!is_measured(pmu, retire) || signal->cycles <= threshold_cycles(pmu, signal->mark))
        return false;
    retire->events |= EVENT_BIT(LATENCY_EXCEEDED);
    if ((pmu->measure & PROF_MEASURE_GROUP) != 0 && pmu->signalled_group == retire->group)
        *flags &= ~(unsigned)(MARK_COUNT | MARK_INTERRUPT);
    pmu->signalled_group = retire->group;
    return true;
}

/* kind: IND_KIND_*. */
static void raise_signal(struct cpu *cpu, const struct retire *retire, const struct signal *signal,
                         uint64_t count, uint64_t kind)
{
    struct indicator indicator = {
        .iaddr = retire->pc,
        .daddr = retire->access_bytes != 0 ? retire->va : 0,
        .count = count,
        .cycles = signal->cycles,
        .level = retire->level,
        .insns = pmu_program_insns(&cpu->pmu) +     /* the instruction counts when it is complete */
                 ((retire->events & EVENT_BIT(INSNS_RETIRED)) != 0),
        .flags = signal->mark->flags | (signal->is_data ? MARK_DATA : 0) | kind << IND_KIND_SHIFT,
    };

    cpu_raise_indicator(cpu, &indicator);
}

void cpu_merged_near(void *arg, const struct shadow_near *near)
{
    struct cpu *cpu = arg;
    const struct indicator indicator = {
        .iaddr = near->is_data ? near->pc : near->va,
        .daddr = near->is_data ? near->va : 0,
        .count = near->count,
        .insns = pmu_program_insns(&cpu->pmu),
        .flags = near->flags | (near->is_data ? MARK_DATA : 0) |
                 (uint64_t)IND_KIND_NEAR << IND_KIND_SHIFT,
    };

    cpu->pmu.events[EVENT_COUNTER_NEAR]++;
    cpu_raise_indicator(cpu, &indicator);
}

/* Counts in the own counter, if there is one. flags: the mark's active flags. True: an interrupt is
 * due; *kind: its reason. */
static bool apply_counter(struct cpu *cpu, struct retire *retire, const struct signal *signal,
                          unsigned flags, uint64_t *count, uint64_t *kind)
{
    const struct mark *mark = signal->mark;
    enum shadow_passed passed = SHADOW_COUNTED;

    *count = 0;
    *kind = IND_KIND_MARK;
    if ((mark->flags & (MARK_AREA | MARK_NEAR)) != 0)
        shadow_note_place(signal->shadow, signal->frame, retire->pc,
                          signal->is_data ? retire->va - retire->data_pa
                                          : retire->pc - retire->pa);
    if ((mark->flags & (MARK_COUNTER | MARK_AREA)) != 0)
        passed = shadow_count(signal->shadow, signal->frame, mark, count);
    if (passed == SHADOW_LIMIT)
        retire->events |= EVENT_BIT(COUNT_EXCEEDED);
    if (passed == SHADOW_NEAR) {
        cpu->pmu.events[EVENT_COUNTER_NEAR]++;
        *kind = IND_KIND_NEAR;
        return true;
    }
    if ((flags & MARK_INTERRUPT) == 0)
        return false;
    if (mark->limit != 0)
        return passed == SHADOW_LIMIT;
    shadow_note_interrupt(signal->shadow, signal->frame, mark);
    return true;
}

/* False for a mark of a branch whose condition (taken, mispredicted) does not hold. */
static bool is_asked_for(const struct retire *retire, unsigned flags)
{
    if ((flags & MARK_TAKEN) != 0 && (retire->events & EVENT_BIT(BRANCHES_TAKEN)) == 0)
        return false;
    return (flags & MARK_MISPREDICTED) == 0 ||
           (retire->events & EVENT_BIT(BRANCHES_MISPREDICTED)) != 0;
}

/* Begins a limit at the first instruction of its function. */
static void begin_limit(struct cpu *cpu, const struct retire *retire, const struct mark *mark)
{
    uint32_t upper = (mark->flags & MARK_THRESHOLD) == 0 ? mark->latency_cycles : 0;
    const struct pmu_limit limit = {
        .function = retire->pc, .sp = retire->sp, .priv = retire->priv,
        .cycles = (uint64_t)(upper & ~ALARM_ELAPSED) << 32 | mark->limit,
        .state = (upper & ALARM_ELAPSED) != 0 ? PROF_LIMIT_IS_ELAPSED : PROF_LIMIT_IS_COUNTING,
    };

    pmu_limit_begin(&cpu->pmu, &limit);
}

static void apply_state(struct cpu *cpu, struct retire *retire, const struct signal *signal)
{
    const struct mark *mark = signal->mark;

    apply_toggle(&cpu->pmu, mark, retire->sp);
    if ((mark->flags & MARK_ALARM) != 0 && !signal->is_data)
        begin_limit(cpu, retire, mark);
    if ((mark->flags & MARK_LABEL) != 0 && (!signal->is_data || retire->label == 0))
        retire->label = mark->label;
}

/* False: the mark waits until the store is written, or has already acted at commit. */
static bool acts_now(struct retire *retire, const struct mark *mark)
{
    bool has_threshold = (mark->flags & MARK_THRESHOLD) != 0;

    if (retire->phase == RETIRE_COMMITS && has_threshold)
        retire->is_awaited = true;
    return retire->phase == RETIRE_WHOLE || has_threshold == (retire->phase == RETIRE_WRITTEN);
}

static void apply_signal(struct cpu *cpu, struct retire *retire, const struct signal *signal)
{
    const struct mark *mark = signal->mark;
    unsigned flags = mark->flags;
    uint64_t count, kind;

    if (retire->phase != RETIRE_WRITTEN)
        apply_state(cpu, retire, signal);
    if (!is_asked_for(retire, mark->flags) || !acts_now(retire, mark))
        return;
    if ((mark->flags & MARK_THRESHOLD) != 0 && !exceeds(cpu, retire, signal, &flags))
        return;
    if ((flags & MARK_COUNT) != 0) {
        retire->is_marked = true;
        retire->events |= signal->is_data ? EVENT_BIT(MARKED_DATA) : EVENT_BIT(MARKED_INSNS);
    }
    if (apply_counter(cpu, retire, signal, flags, &count, &kind))
        raise_signal(cpu, retire, signal, count, kind);
}

/* Applies every marked item of [mark's item, end), starting with the given one; all in one page. */
static void apply_items(struct cpu *cpu, struct retire *retire, struct mark mark, uint32_t frame,
                        uint64_t end)
{
    struct signal signal = {
        .shadow = cpu->dshadow,
        .mark = &mark,
        .frame = frame,
        .cycles = retire->access_cycles,
        .is_data = true,
    };

    for (;;) {
        uint64_t next = mark.end_pa;
        apply_signal(cpu, retire, &signal);
        if (next >= end || !shadow_access_mark(cpu->dshadow, frame, next, (unsigned)(end - next),
                                               &mark))
            return;
    }
}

/* The access may continue in another page, which may be anywhere. first: NULL: this page has no
 * mark of it. */
static void apply_data(struct cpu *cpu, struct retire *retire, const struct mark *first,
                       uint32_t frame)
{
    unsigned rest = cpu_bytes_past_page(retire->va, retire->access_bytes);
    unsigned bytes = retire->access_bytes - rest;
    struct mark mark;
    uint64_t pa;

    if (first != NULL)
        apply_items(cpu, retire, *first, frame, retire->data_pa + bytes);
    if (rest == 0 ||
        mmu_probe(&cpu->mmu, hart_address(&cpu->hart, retire->va + bytes), MMU_LOAD,
                  hart_data_priv(&cpu->hart), &pa) != TRAP_NONE ||
        !phys_is_ram(cpu->phys, pa, rest))
        return;
    if (shadow_access_mark(cpu->dshadow, SHADOW_NO_FRAME, pa, rest, &mark))
        apply_items(cpu, retire, mark, SHADOW_NO_FRAME, pa + rest);
}

static void apply_insn(struct cpu *cpu, struct retire *retire, const struct mark *mark,
                       uint32_t frame)
{
    struct signal signal = {
        .shadow = cpu->ishadow,
        .mark = mark,
        .frame = frame,
        .cycles = retire->phase == RETIRE_WRITTEN ? retire->access_cycles
                                                  : retire->latency_cycles,
    };

    if (mark != NULL)
        apply_signal(cpu, retire, &signal);
}

static void apply_all(struct cpu *cpu, struct retire *retire, const struct marking *marking)
{
    if (cpu->hints_on)
        apply_insn(cpu, retire, marking->hint, SHADOW_NO_FRAME);
    if (cpu->marks_on) {
        apply_insn(cpu, retire, marking->insn, marking->iframe);
        if (retire->access_bytes != 0 && cpu_marks_data(cpu, retire->priv))
            apply_data(cpu, retire, marking->datum, marking->dframe);
    }
}

bool cpu_apply_marks(struct cpu *cpu, struct retire *retire, const struct marking *marking)
{
    if (cpu->hart.in_monitor)
        return false;
    apply_all(cpu, retire, marking);
    return cpu->pmu.queue_length != 0;
}

static void count_new(struct cpu *cpu, const struct retire *retire, uint64_t known)
{
    for (uint64_t rest = retire->events & ~known; rest != 0; rest &= rest - 1)
        cpu->pmu.events[__builtin_ctzll(rest)]++;
}

/* The monitor may be running now, but the store was the program's. */
void cpu_apply_written_marks(struct cpu *cpu, const struct retire *committed, uint32_t cycles,
                             const struct marking *marking)
{
    struct retire retire = *committed;

    retire.events &= ~EVENT_BIT(INSNS_RETIRED);
    retire.phase = RETIRE_WRITTEN;
    retire.access_cycles = cycles;
    apply_all(cpu, &retire, marking);
    count_new(cpu, &retire, committed->events);
    retire.events |= EVENT_BIT(INSNS_RETIRED);
    if (cpu->pmu.watching != 0)
        pmu_retire_written(&cpu->pmu, &retire, committed);
}

void cpu_merge_counts(const struct cpu *cpu, bool is_data, uint64_t pa)
{
    for (unsigned i = 0; i < cpu->peer_count; i++) {
        const struct cpu *peer = &cpu->peers[i];

        if (peer != cpu)
            shadow_merge(is_data ? peer->dshadow : peer->ishadow, pa);
    }
}

bool cpu_signals_trap(struct cpu *cpu, const struct insn *insn, uint64_t pc)
{
    uint64_t insns = pmu_program_insns(&cpu->pmu) + 1;

    if (!cpu->hints_on || cpu->hart.in_monitor ||
        (insn->op != OP_ecall && insn->op != OP_ebreak) ||
        (cpu->signalled.pc == pc && cpu->signalled.insns == insns))
        return false;
    cpu->signalled.pc = pc;
    cpu->signalled.insns = insns;
    return true;
}

/* An event has occurred: the monitor may be entered again, although nothing has retired. */
bool cpu_apply_trap_marks(struct cpu *cpu, struct retire *retire, const struct marking *marking)
{
    uint64_t known = retire->events, raised = cpu->pmu.events[EVENT_INDICATOR_INTERRUPTS];

    cpu_apply_marks(cpu, retire, marking);
    count_new(cpu, retire, known);
    if (cpu->pmu.events[EVENT_INDICATOR_INTERRUPTS] == raised)
        return false;
    cpu->left_monitor = UINT64_MAX;
    return cpu_is_interrupted(cpu);
}

bool cpu_take_hint(struct cpu *cpu, uint32_t bits, uint64_t address, uint32_t bundle,
                   struct mark *mark, uint64_t *events)
{
    if (!hint_is(bits, address))
        return hint_take(&cpu->pmu, bundle, mark);
    *events |= EVENT_BIT(HINT_MARKS);
    hint_commit(&cpu->pmu, bits);
    return false;
}

/* ---- changes of the profiling registers ------------------------------------------------------ */

/* Pages with marked data take the slow path of the fast engine. An obsolete flag costs only time,
 * and another hart may have set it, so flags are never removed. */
static void flag_data_pages(struct cpu *cpu, const uint64_t segment[4])
{
    uint64_t line = UINT64_C(1) << cpu->pmu.dline_log2;
    uint64_t pa = segment[0] & ~(line - 1), end = segment[0] + segment[1];

    for (; pa < end && phys_is_ram(cpu->phys, pa, 1); pa += line)
        if ((phys_flags(cpu->phys, pa) & PHYS_META_DATA) == 0 &&
            shadow_frame_has(cpu->dshadow, SHADOW_NO_FRAME, pa))
            phys_set_flags(cpu->phys, pa, line, PHYS_META_DATA);
}

void cpu_profiling_changed(struct cpu *cpu)
{
    struct pmu *pmu = &cpu->pmu;
    bool has_segment = false;

    for (unsigned i = 0; i < PROF_SEGMENTS; i++)
        has_segment |= pmu->segment[i][3] == PROF_SEGMENT_TEXT ||
                       pmu->segment[i][3] == PROF_SEGMENT_DATA;
    cpu->hints_on = (pmu->mode & PROF_MODE_ENABLE) != 0;
    cpu->marks_on = cpu->ishadow != NULL && cpu->dshadow != NULL && has_segment &&
                    (pmu->mode & PROF_MODE_ENABLE) != 0;
    if (cpu->ishadow == NULL || cpu->dshadow == NULL)
        return;
    shadow_set_segments(cpu->ishadow, (const uint64_t(*)[4])pmu->segment);
    shadow_set_segments(cpu->dshadow, (const uint64_t(*)[4])pmu->segment);
    shadow_set_areas(cpu->ishadow, (const uint64_t(*)[PROF_AREA_WORDS])pmu->area,
                     pmu->counter_near);
    shadow_set_areas(cpu->dshadow, (const uint64_t(*)[PROF_AREA_WORDS])pmu->area,
                     pmu->counter_near);
    shadow_set_format(cpu->ishadow, pmu->counter_format, pmu->counter_near);
    shadow_set_format(cpu->dshadow, pmu->counter_format, pmu->counter_near);
    for (unsigned i = 0; i < PROF_SEGMENTS && cpu->marks_on; i++)
        if (pmu->segment[i][3] == PROF_SEGMENT_DATA)
            flag_data_pages(cpu, pmu->segment[i]);
}

unsigned cpu_profile_effects(struct cpu *cpu, unsigned changed)
{
    unsigned effects = CPU_EFFECT_SHADOW | CSR_EFFECT_INTERRUPTS;

    if ((changed & (PMU_CHANGED_MODE | PMU_CHANGED_SEGMENTS)) != 0) {
        cpu_profiling_changed(cpu);
        effects |= CPU_EFFECT_MARKS;
    }
    return effects;
}
