/* Interfaces between the pipeline's files: the stages, and the parts they share. */
#ifndef SIM_CORE_PIPE_STAGE_H
#define SIM_CORE_PIPE_STAGE_H

#include "sim/base/cycle.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"

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

/* profile/metadata.c: the data access is on a page where some datum is marked. */
bool metadata_touches_marks(const struct core *core, const struct uop *uop);
/* profile/retire.c: the instruction commits, watched. False: an indicator ends the group. */
bool retire_watched(struct core *core, struct uop *uop);
/* The line of committed store `number`, with store->is_awaited, is written at `cycle`. */
void retire_written(struct core *core, uint64_t number, uint64_t cycle);
/* It is about to trap. True: an interrupt that its marks raised comes first. */
bool retire_trap(struct core *core, struct uop *uop);

/* When it may commit, stages apart: with its result, or a load as soon as it cannot fault. */
static inline uint64_t commit_from(const struct core *core, const struct uop *uop)
{
    return uop->flags & UOP_RETIRES_EARLY ? uop->issue_cycle + core->early_cycles
                                          : uop->complete_cycle;
}

/* The last cycle in which the head has to be complete to commit now. */
static inline uint64_t commit_due(const struct core *core)
{
    return cycles_before(core->now, core_config(core)->commit_stages);
}

/* The instruction does not commit before `cycle`, stages apart. */
static inline void commit_not_before(const struct core *core, struct uop *uop, uint64_t cycle)
{
    uint64_t stages = core_config(core)->commit_stages, from = cycles_before(cycle, stages);
    if (uop->complete_cycle < from)
        uop->complete_cycle = from;
}

/* The run ends before the next cycle. */
static inline void core_end(struct core *core, enum stop stop)
{
    core->stop = stop;
    core->attend_at = 0;
}

static inline uint8_t core_mode(const struct core *core)
{
    return (uint8_t)((privilege_masks_interrupts(core->hart) ? CYCLES_IRQ_OFF : 0) |
                     (core->hart->in_monitor ? CYCLES_MONITOR : 0) |
                     (core->cpu->marks_on ? HAS_MARKS : 0));
}

/* A counter may be near its overflow now. */
static inline void core_note_counters(struct core *core)
{
    if (core->cpu->pmu.armed != 0)
        core->attend_at = 0;
}

/* The hart's privilege, mstatus, monitor state, marks or counters may have changed. */
static inline void core_note_mode(struct core *core)
{
    core->mode = core_mode(core);
    core_note_counters(core);
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
/* The monitor interrupts a wait. STOP_NONE: it is not over, and commit_interrupt will enter it. */
enum stop commit_interrupt_wait(struct core *core);

/* squash.c */
void squash_after(struct core *core, uint64_t keep_seq, uint64_t pc, enum squash_reason reason);
void squash_all(struct core *core, uint64_t pc);
void squash_behind(struct core *core, uint64_t flags);
void squash_give_back_checkpoint(struct core *core, struct uop *uop);
/* Squashes after redirect->keep and repairs the predictor; fetch goes on at redirect->pc. */
void redirect_take(struct core *core, const struct redirect *redirect);

/* redirect.c. Forget: those that a squash after `keep` takes along. Take: the oldest one due. */
void redirect_schedule(struct core *core, uint64_t cycle, uint64_t keep, uint64_t pc,
                       bool violation);
void redirects_forget(struct core *core, uint64_t keep);
struct redirect redirects_take_oldest(struct core *core);

/* idle.c: the last cycle did nothing, and nor will one before this; NEVER: no clock ends it. */
uint64_t idle_until(const struct core *core);

/* control.c: branches and jumps, when they execute and when they commit */
void control_resolve(struct core *core, const struct uop *uop);
void control_commit(struct core *core, const struct uop *uop);

/* trace.c: an instruction left the pipeline */
void trace_leave(struct core *core, const struct uop *uop, bool committed);

/* Marks and PMU filters may have changed: does commit have to build retire records? */
void core_profiling_changed(struct core *core);
/* With cpu->calls: the head commits. cpu_take_interrupt for it, before others are squashed. */
void core_show_transfer(const struct core *core, const struct uop *uop);
bool core_take_interrupt(struct core *core, enum stop *stop);
uint64_t core_committed_sp(const struct core *core);    /* before the head */

#endif
