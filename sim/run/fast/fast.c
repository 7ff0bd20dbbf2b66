/* The fast engine's outer loop: quota, timers, interrupts, counters, and instructions that change
 * state on which blocks and views depend. */
#include "pmu/hint.h"
#include "pmu/limit.h"
#include "sim/base/cycle.h"
#include "sim/core/profile/marks.h"
#include "sim/core/pause.h"
#include "sim/core/profile/profile_window.h"
#include "sim/core/wait.h"
#include "sim/run/fast/fast_count.h"
#include "sim/run/fast/fast_internal.h"

#include <stdlib.h>

#define LCOFI_BIT (UINT64_C(1) << IRQ_LCOFI)

/* ---- life ------------------------------------------------------------------------------------ */

struct fast *fast_new(struct cpu *cpu)
{
    struct fast *fast = calloc(1, sizeof *fast);

    if (fast == NULL)
        return NULL;
    fast->cpu = cpu;
    fast->self = fast;
    fast->stop_pc = NO_PC;
    fast->stopped_at = UINT64_MAX;
    fast_set_peers(fast, &fast->self, 1);
    fast->run = fast_execute(NULL);
    if (!fast_blocks_init(fast)) {
        fast_free(fast);
        return NULL;
    }
    return fast;
}

void fast_free(struct fast *fast)
{
    if (fast == NULL)
        return;
    fast_blocks_free(fast);
    free(fast);
}

void fast_set_peers(struct fast *fast, struct fast *const *peer, unsigned peers)
{
    fast->peer = peer;
    fast->peers = peers;
}

void fast_leave_stale(struct fast *fast, bool leave)
{
    fast->leaves_stale = leave;
}

void fast_set_observer(struct fast *fast, const struct fast_observer *observer)
{
    fast->observer = observer;
}

void fast_set_warming(struct fast *fast, struct core *core)
{
    fast->warming = core;
}

void fast_stop_at(struct fast *fast, uint64_t pc)
{
    if (fast->stop_pc == pc)
        return;
    fast->stop_pc = pc;
    fast->stopped_at = UINT64_MAX;
    fast_flush(fast);
}

/* ---- forgetting ------------------------------------------------------------------------------ */

void fast_flush(struct fast *fast)
{
    fast_blocks_flush(fast);
    fast_forget_all(fast);
}

void fast_translation_changed(struct fast *fast)
{
    fast_forget_all(fast);
}

static void drop_page(void *arg, uint64_t page_pa)
{
    struct fast *fast = arg;

    for (unsigned i = 0; i < fast->peers; i++)
        if (fast->peer[i] != NULL)
            fast_blocks_drop_page(fast->peer[i], page_pa);
}

static void drop_stale(struct fast *fast)
{
    struct phys *phys = fast->cpu->phys;

    if (phys->stale_pages == 0)
        return;
    if (!fast->leaves_stale) {
        phys_take_stale(phys, drop_page, fast);
        return;
    }
    for (uint64_t i = 0; i < phys->stale_pages; i++)
        drop_page(fast, PHYS_RAM_BASE + ((uint64_t)phys->stale[i] << PHYS_PAGE_BITS));
}

void fast_code_changed(struct fast *fast)
{
    drop_stale(fast);
}

static void follow_effects(struct fast *fast, unsigned effects)
{
    if ((effects & CPU_EFFECT_FENCE_I) != 0)
        drop_stale(fast);
    if ((effects & CPU_EFFECT_REMAP) != 0)
        fast_forget_all(fast);
    if ((effects & CPU_EFFECT_MARKS) != 0)
        fast_flush(fast);
}

/* ---- counting -------------------------------------------------------------------------------- */

void fast_count(struct fast *fast, uint64_t insns)
{
    struct cpu *cpu = fast->cpu;
    uint64_t *events = cpu->pmu.events;

    events[EVENT_INSNS_RETIRED] += insns;
    events[EVENT_CYCLES] += insns;
    if (cpu->hart.in_monitor) {
        events[EVENT_INSNS_MONITOR] += insns;
        events[EVENT_CYCLES_MONITOR] += insns;
    }
    if (pmu_overflow(&cpu->pmu))
        cpu->hart.mip_software |= LCOFI_BIT;
}

/* Instructions until the next counter can overflow or a limit expires, if every instruction counted
 * in each. */
static uint64_t insns_to_overflow(const struct pmu *pmu)
{
    uint64_t distance = (pmu->armed & PMU_LIMITED) != 0 ? pmu_limits_left(pmu) : UINT64_MAX;
    uint32_t armed = pmu->armed & ~(uint32_t)PMU_ARMED_BESIDE;

    distance -= distance != UINT64_MAX;
    for (; armed != 0; armed &= armed - 1) {
        const struct pmu_counter *counter = &pmu->counter[__builtin_ctz(armed)];
        uint64_t value = counter->value + pmu->events[counter->select & 0xff] - counter->snapshot;
        distance = earlier(distance, UINT64_MAX - value);
    }
    return distance == UINT64_MAX ? distance : distance + 1;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* True: the run ends with *stop. */
static bool take_interrupts(struct fast *fast, enum stop *stop)
{
    struct cpu *cpu = fast->cpu;
    struct hart *hart = &cpu->hart;

    if (hart->waiting && !cpu_sleeps(cpu))
        cpu_wake(cpu);
    if (cpu->pmu.queue_length != 0 || trap_mip(hart) != 0)
        cpu_take_interrupt(cpu, stop);
    if (*stop == STOP_NONE && hart->waiting)
        *stop = STOP_WAITING;
    return *stop != STOP_NONE;
}

/* Runs whole blocks, as long as they do not exceed `insns`; returns the number of instructions
 * executed. */
static uint64_t run_blocks(struct fast *fast, uint64_t insns)
{
    if (fast_blocks_are_full(fast))
        fast_flush(fast);
    fast_select_view(fast);
    fast->budget = (int64_t)insns;
    fast_execute(fast);
    fast_fold_tallies(fast);
    insns -= (uint64_t)fast->budget;
    fast_count(fast, insns);
    return insns;
}

/* True if each instruction must be executed singly, to be observed. */
static bool watches_all(const struct fast *fast)
{
    return fast->observer != NULL || fast->warming != NULL || fast->cpu->pmu.watching != 0 ||
           fast->cpu->observers != 0 || pause_is_every(fast->cpu);
}

/* True in front of the instruction at which to stop, once each time the hart reaches it. */
static bool stops_here(struct fast *fast)
{
    uint64_t insns = fast->cpu->pmu.events[EVENT_INSNS_RETIRED];

    if (fast->cpu->pauses != NULL && !pause_passes(fast->cpu, fast->cpu->hart.pc))
        return true;
    if (fast->cpu->hart.pc != fast->stop_pc || fast->stopped_at == insns)
        return false;
    fast->stopped_at = insns;
    return true;
}

/* Runs up to `count` single instructions where blocks cannot run; after a hint, only while the hint
 * is pending. */
static enum stop run_steps(struct fast *fast, uint64_t count, uint64_t *insns)
{
    const struct cpu *cpu = fast->cpu;
    struct fast_result result;
    enum stop stop = STOP_NONE;
    bool follows_hint = !watches_all(fast) && hint_is_pending(&cpu->pmu);

    while (count-- != 0 && stop == STOP_NONE) {
        if (stops_here(fast))
            return STOP_MARKER;
        stop = fast_step(fast, &result);
        *insns -= result.retired;
        if (result.effects != 0)
            follow_effects(fast, result.effects);
        if (!result.retired || result.effects != 0 || cpu->pmu.queue_length != 0 ||
            trap_mip(&cpu->hart) != 0 || (follows_hint && !hint_is_pending(&cpu->pmu)))
            break;
    }
    return stop;
}

/* The number of instructions that may run without a look at timers and counters. */
static uint64_t stretch_of(struct fast *fast, uint64_t insns)
{
    struct cpu *cpu = fast->cpu;
    uint64_t stretch = earlier(insns, INT64_MAX);

    if (cpu->next_alarm != NULL)
        stretch = earlier(stretch, cpu->next_alarm(cpu->time_arg));
    if (cpu->pmu.armed != 0)
        stretch = earlier(stretch, insns_to_overflow(&cpu->pmu));
    if (cpu->pauses != NULL)
        stretch = earlier(stretch, pause_left(cpu));
    return stretch;
}

/* Runs one stretch of at most *insns instructions. */
static enum stop run_stretch(struct fast *fast, uint64_t *insns)
{
    const struct cpu *cpu = fast->cpu;
    uint64_t stretch = stretch_of(fast, *insns), done;

    if (cpu_holds_back(cpu))
        return run_steps(fast, 1, insns);
    if (watches_all(fast) || hint_is_pending(&cpu->pmu))
        return run_steps(fast, stretch, insns);
    done = run_blocks(fast, stretch);
    *insns -= done;
    if (cpu->phys->event)
        return STOP_EVENT;
    if (done == stretch)
        return STOP_NONE;
    return run_steps(fast, fast->is_short ? stretch - done : 1, insns);
}

enum stop fast_run(struct fast *fast, uint64_t insns)
{
    enum stop stop = STOP_NONE;

    if (fast->cpu->late_effects != 0)       /* by another hart */
        follow_effects(fast, cpu_take_late_effects(fast->cpu));
    for (;;) {
        cpu_sync_time(fast->cpu);
        if (take_interrupts(fast, &stop))
            return stop;
        if (insns == 0)
            return STOP_QUOTA;
        if (stops_here(fast))
            return STOP_MARKER;
        stop = run_stretch(fast, &insns);
        if (stop == STOP_NONE && fast->cpu->ending.is_on && !fast->cpu->hart.in_monitor)
            stop = STOP_QUOTA;
        if (stop != STOP_NONE)
            return stop;
    }
}

enum stop fast_single(struct fast *fast, bool *retired)
{
    struct fast_result result;
    enum stop stop = fast_step(fast, &result);

    if (result.effects != 0)
        follow_effects(fast, result.effects);
    *retired = result.retired;
    return stop;
}
