/* An operation starts, or is issued in vain: what it wakes, and its further effects. Part of
 * issue.c. */
#ifndef SIM_CORE_PIPE_ISSUE_START_H
#define SIM_CORE_PIPE_ISSUE_START_H

#include "sim/core/lsu/lsu_port.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/wake.h"

/* Two dependent operations fit in one cycle, not three. */
static inline bool can_be_bypassed(const struct core *core, const struct uop *uop)
{
    return uop->unit_class <= CLASS_SHIFT && uop->complete_cycle == core->now + 1 &&
           uop->bypass_cycle != core->now;
}

/* cycle: from which the result can be used. */
IN_BOTH void publish(struct core *core, struct uop *uop, uint64_t cycle, const uint64_t extras)
{
    if (uop->flags & UOP_IS_STORE)
        cycle = core->now + port_store_wake_cycles(core);   /* loads that wait for it */
    wake_list(core, uop, cycle, cycle - ((extras & EXTRA_BYPASS) && can_be_bypassed(core, uop)),
              extras);
}

/* A load missed: everything issued in the cycles in which its dependents would have followed a hit
 * is issued again. */
static inline void lose_issue(struct core *core, const struct uop *load)
{
    uint64_t hit = core->now + core->latency[LAT_LOAD];
    if (core_config(core)->issue_replay != REPLAY_ALL || load->complete_cycle <= hit)
        return;
    for (uint64_t cycle = hit; cycle < hit + core_config(core)->issue_replay_cycles; cycle++)
        core->iq.lost_issue[cycle % REPLAY_WINDOW] = cycle;
}

/* ---- issues in vain -------------------------------------------------------------------------- */

/* The operation got a port, but an operand is not there. */
static inline void replay(struct core *core, struct uop *uop, uint32_t index)
{
    uint64_t ready = core->now + 1;
    if (uop->true_ready > core->now)
        ready = uop->true_ready + core_config(core)->issue_replay_cycles;
    core->events[EVENT_REPLAYS]++;
    wheel_leave_ready(core, uop, index);
    uop->true_ready = 0;
    wheel_schedule(core, index, ready);
}

static inline bool is_in_vain(const struct core *core, const struct uop *uop)
{
    return uop->true_ready > core->now ||
           core->iq.lost_issue[core->now % REPLAY_WINDOW] == core->now;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Rare further effects of an issue, for instructions with one of the flags iq.acts_at_issue. */
static inline void issued_act(struct core *core, struct uop *uop, uint32_t index)
{
    uint64_t seq = core_seq_at(core, index);
    uop->flags &= ~UOP_REPLAYING;
    if (uop->flags & UOP_MISPREDICTED) {
        uint64_t resolved = uop->complete_cycle + core_config(core)->recover_resolve_cycles;
        if (port_completes_early(core))
            commit_not_before(core, uop, resolved);
        else
            uop->complete_cycle = resolved;
        redirect_schedule(core, resolved, seq, uop->next_pc, false);
    } else if (uop->flags & UOP_CHECKPOINT) {
        uop->flags &= ~UOP_CHECKPOINT;
        core->checkpoints_used--;
    }
    if (uop->flags & UOP_FUSED)
        fusion_follow(core, uop, seq);
    if (core->learns_at_issue && (uop->flags & UOP_CONTROL))
        control_resolve(core, uop);
    bool was_right = (uop->flags & (UOP_CONTROL | UOP_MISPREDICTED)) == UOP_CONTROL;
    if (was_right && port_resolves_all(core))
        commit_not_before(core, uop,
                          uop->complete_cycle + core_config(core)->recover_resolve_cycles);
}

/* The operation starts in its unit, and its cycles are known. */
IN_BOTH void start(struct core *core, struct uop *uop, uint32_t index, uint64_t done,
                   const uint64_t extras)
{
    uop->state = UOP_ISSUED;
    issue_count(core, uop);
    if (uop->dependents != NO_LINK)
        publish(core, uop, done, extras);
    if ((extras & EXTRA_REPLAY) && uop->kind == KIND_LOAD)
        lose_issue(core, uop);
    if (uop->flags & (core->iq.acts_at_issue | (port_resolves_all(core) ? UOP_CONTROL : 0)))
        issued_act(core, uop, index);
}

#endif
