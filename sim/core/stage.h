/* What the pipeline's files offer each other: the stages, and the parts they share. */
#ifndef SIM_CORE_STAGE_H
#define SIM_CORE_STAGE_H

#include "sim/base/cycle.h"
#include "sim/core/stage_back.h"
#include "sim/core/stage_front.h"
#include "sim/core/stage_lsu.h"

/* Functions that take `extras` are compiled twice within a stage: with the constant 0, for machines
 * without any of the parts that the stage asks for, and for the others. */
#define IN_BOTH static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))

/* One cycle of each stage, in this order. */
void resolve_step(struct core *core);
void commit_step(struct core *core);
void drain_step(struct core *core);
void issue_step(struct core *core);
void dispatch_step(struct core *core);
void decode_step(struct core *core);
void fetch_step(struct core *core);

/* commit.c: the data access is on a page where some datum is marked */
bool commit_touches_marks(const struct core *core, const struct uop *uop);

/* When it may commit, stages apart: with its result, or a load as soon as it cannot fault. */
static inline uint64_t commit_from(const struct core *core, const struct uop *uop)
{
    return uop->flags & UOP_RETIRES_EARLY ? uop->issue_cycle + core->latency[LAT_LOAD]
                                          : uop->complete_cycle;
}

/* The last cycle in which the head has to be complete to commit now. */
static inline uint64_t commit_due(const struct core *core)
{
    return cycles_before(core->now, core->config->commit_stages);
}

/* The instruction does not commit before `cycle`, stages apart. */
static inline void commit_not_before(const struct core *core, struct uop *uop, uint64_t cycle)
{
    uint64_t stages = core->config->commit_stages, from = cycles_before(cycle, stages);
    if (uop->complete_cycle < from)
        uop->complete_cycle = from;
}

/* The run ends before the next cycle. */
static inline void core_end(struct core *core, enum stop stop)
{
    core->stop = stop;
    core->attend_at = 0;
}

/* The next timer interrupt may have moved, or the hart waits for one. */
static inline void core_touch_clock(struct core *core)
{
    core->clock_touched = true;
    core->attend_at = 0;
}

/* False: commit_step would do nothing. */
static inline bool commit_is_due(const struct core *core)
{
    return !core_is_empty(core) &&
           commit_from(core, core_uop(core, core->commit_seq)) <= commit_due(core);
}

/* Something may want to be taken instead of the next instruction. Interrupt: true when it was, so
 * that nothing commits in this cycle. */
static inline bool commit_is_interrupted(const struct core *core)
{
    const struct cpu *cpu = core->cpu;
    return (trap_mip(&cpu->hart) | cpu->pmu.queue_length) != 0 && !core->serial_in_flight &&
           (cpu_interrupts(cpu) != 0 || cpu->pmu.queue_length != 0);
}
bool commit_interrupt(struct core *core);

/* squash.c */
void squash_after(struct core *core, uint64_t keep_seq, uint64_t pc, enum squash_reason reason);
void squash_all(struct core *core, uint64_t pc);
/* The branch that recover_seq names has committed. */
void squash_recovered(struct core *core);
void redirect_schedule(struct core *core, uint64_t cycle, uint64_t keep, uint64_t pc,
                       bool violation);
/* Squashes behind redirect->keep and repairs the predictor; fetch goes on at redirect->pc. */
void redirect_take(struct core *core, const struct redirect *redirect);

/* account.c: what slots and cycles went to.
 * `cause`: the SLOTS_* event of what the next instruction lacks, or the LOST_* event of why there
 * is none (account_starved). */
void account_slots(struct core *core, unsigned cause, uint64_t slots);
/* LOST_* and CPI_* events of waiting for a load that enum mem_level serves. */
static inline unsigned account_lost_to_level(unsigned level)
{
    static const uint8_t lost[] = {
        [MEM_L1] = EVENT_LOST_L1, [MEM_FORWARD] = EVENT_LOST_L1, [MEM_L2] = EVENT_LOST_L2,
        [MEM_L3] = EVENT_LOST_L3, [MEM_DRAM] = EVENT_LOST_DRAM,
    };
    return lost[level & ~(unsigned)MEM_PEER];
}
static inline unsigned account_cpi_of_level(unsigned level)
{
    static const uint8_t cpi[] = {
        [MEM_L1] = EVENT_CPI_L1, [MEM_FORWARD] = EVENT_CPI_L1, [MEM_L2] = EVENT_CPI_L2,
        [MEM_L3] = EVENT_CPI_L3, [MEM_DRAM] = EVENT_CPI_DRAM,
    };
    return cpi[level & ~(unsigned)MEM_PEER];
}
/* Slots lost whose events are both known. */
void account_lost(struct core *core, struct lost lost, uint64_t slots);
unsigned account_starved(const struct core *core);
/* The CPI_* event that a cycle without commit goes to, as things are. */
unsigned account_waiting(const struct core *core);
void account_skipped(struct core *core, uint64_t cycles);
void account_squash(struct core *core, enum squash_reason reason, uint64_t slots);
/* Instructions from `first` to commit_seq committed in this cycle. waited: nothing did in the cycle
 * before; charge: for the oracle, if there is one. */
void account_waited(struct core *core, uint64_t first);
void account_charge(struct core *core, uint64_t first);
static inline void account_commit(struct core *core, uint64_t first)
{
    if (core->counted_cycle + 1 != core->now)
        account_waited(core, first);
    core->events[EVENT_CPI_BASE]++;
    core->counted_cycle = core->now;
}
/* Cycles up to `cycle` went by and what is in flight will not commit. `culprit`: the instruction
 * that trapped, or NULL. */
void account_flush(struct core *core, uint64_t cycle, const struct uop *culprit);
void account_idle(struct core *core, uint64_t cycles);

/* sampling.c: the profiling schemes (pmu/scheme.h) look on; only with core->sampling.
 * step: behind the back end, before decode. skip: that many cycles from `now` on in which nothing
 * happens. flush: everything in flight will go, as with account_flush. */
struct sampling *sampling_new(const struct config *config);
void sampling_free(struct sampling *sampling);
void sampling_step(struct core *core);
void sampling_skip(struct core *core, uint64_t cycles);
void sampling_flush(struct core *core, uint64_t cycle, const struct uop *culprit);

/* control.c: branches and jumps, when they execute and when they commit */
void control_resolve(struct core *core, const struct uop *uop);
void control_commit(struct core *core, const struct uop *uop);

/* isolate.c: the monitor's own structures, if it has any. Follow: the monitor may have been entered
 * or left, and nothing is in flight. Apart: it runs now on caches of its own, beside which there
 * are no shadow frames. */
bool isolation_init(struct core *core);
void isolation_free(struct isolation *isolation);
void isolation_follow(struct core *core);
bool isolation_is_apart(const struct core *core);

/* trace.c: an instruction left the pipeline */
void trace_leave(struct core *core, const struct uop *uop, bool committed);

/* Marks and PMU filters may have changed: does commit have to build retire records? */
void core_profiling_changed(struct core *core);

bool core_is_sane(const struct core *core);

#endif
