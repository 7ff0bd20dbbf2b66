/* Interfaces of the stages: one cycle of each, commit, squashes, redirects. Their parts have
 * headers of their own. */
#ifndef SIM_CORE_PIPE_STAGE_H
#define SIM_CORE_PIPE_STAGE_H

#include "sim/base/cycle.h"
#include "sim/core/pipe/core_state.h"

/* One cycle of each stage, in this order. */
void resolve_step(struct core *core);
void commit_step(struct core *core);
void drain_step(struct core *core);
void issue_step(struct core *core);
void dispatch_step(struct core *core);
void decode_step(struct core *core);
void fetch_step(struct core *core);

/* profile/retire.c: the instruction commits, watched. False: an indicator ends the group. */
bool retire_watched(struct core *core, struct uop *uop);
/* The line of committed store `number`, with store->is_awaited, is written at `cycle`. */
void retire_written(struct core *core, uint64_t number, uint64_t cycle);
/* The instruction is about to trap. True: an interrupt raised by its marks comes first. */
bool retire_trap(struct core *core, struct uop *uop);

/* The cycle in which the instruction may commit, apart from the stages of commit: with its result
 * or, for a load that retires early, as soon as it cannot fault. */
static inline uint64_t commit_from(const struct core *core, const struct uop *uop)
{
    bool retires_early = (core_extras(core) & EXTRA_EARLY_LOADS) != 0 &&
                         (uop->flags & UOP_RETIRES_EARLY) != 0;
    return retires_early ? uop->issue_cycle + core->early_cycles : uop->complete_cycle;
}

/* The last cycle in which the head has to be complete to commit now. There is no cycle 0. */
static inline uint64_t commit_due(const struct core *core)
{
    uint32_t stages = core_config(core)->commit_stages;
    return stages <= 1 ? core->now - stages : cycles_before(core->now, stages);
}

/* The instruction does not commit before `cycle`, commit stages apart. */
static inline void commit_not_before(const struct core *core, struct uop *uop, uint64_t cycle)
{
    uint64_t stages = core_config(core)->commit_stages, from = cycles_before(cycle, stages);
    if (uop->complete_cycle < from)
        uop->complete_cycle = from;
}

/* False: commit_step would do nothing. */
static inline bool commit_is_due(const struct core *core)
{
    return !core_is_empty(core) &&
           commit_from(core, core_uop(core, core->commit_seq)) <= commit_due(core);
}

/* squash.c */
void squash_after(struct core *core, uint64_t keep_seq, uint64_t pc, enum squash_reason reason);
void squash_all(struct core *core, uint64_t pc);
void squash_refetch(struct core *core, uint64_t flags);
void squash_give_back_checkpoint(struct core *core, struct uop *uop);
/* Squashes after redirect->keep and repairs the predictor; fetch goes on at redirect->pc. */
void redirect_take(struct core *core, const struct redirect *redirect);

/* redirect.c. redirects_forget: removes the redirects that a squash after `keep` cancels.
 * redirects_take_oldest: removes the oldest redirect that is due, and returns it. */
void redirect_schedule(struct core *core, uint64_t cycle, uint64_t keep, uint64_t pc,
                       bool violation);
void redirects_forget(struct core *core, uint64_t keep);
struct redirect redirects_take_oldest(struct core *core);

/* idle.c: the first cycle with work, after a cycle that did nothing; NEVER: no clock ends the
 * wait. */
uint64_t idle_until(const struct core *core);

/* control.c: branches and jumps, when they execute and when they commit */
void control_resolve(struct core *core, const struct uop *uop);
void control_commit(struct core *core, const struct uop *uop);

/* trace.c: an instruction left the pipeline */
void trace_leave(struct core *core, const struct uop *uop, bool committed);

#endif
