/* Squashes: undoing everything younger than some instruction, and the redirects that ask for it. */
#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/snapshot.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

static void undo_dispatched(struct core *core, struct uop *uop, uint64_t seq)
{
    if (core_is_in_order(core))
        inorder_undo(core, uop);
    else
        rename_undo(core, uop);
    if (core_extras(core) & EXTRA_FOLD)
        core->rob_used -= (uop->flags & UOP_FOLDED) == 0;
    if (core_extras(core) & EXTRA_CHECKPOINTS)
        core->checkpoints_used -= (uop->flags & UOP_CHECKPOINT) != 0;
    if ((core_extras(core) & EXTRA_FUSION) && (uop->flags & UOP_FUSED))
        fusion_undo(core, uop, seq);
    if (uop->flags & UOP_IS_STORE)
        store_queue_undo(core);
    else if (uop->flags & UOP_IS_LOAD)
        core->loads_used--;
    if (!core_is_in_order(core))
        port_undone(core, uop, seq);
    if ((core_extras(core) & EXTRA_STORE_UOPS) && (uop->flags & UOP_IS_STORE))
        store_data_squash(core, uop);
    if (uop->state == UOP_WAITING) {
        places_leave(core, uop);
        if (uop->pending == 0 && (uop->flags & UOP_REPLAYING) == 0)
            wheel_forget(core, uop, (uint32_t)(seq & core->ring_mask));
    }
}

/* Undoing takes time unless the branch before the squashed instructions kept a checkpoint. */
static void hold_dispatch(struct core *core, uint64_t keep, uint64_t undone)
{
    uint32_t width = core_config(core)->recover_undo_width;
    if (width == 0 || core_is_in_order(core) ||
        (keep >= core->commit_seq && (core_uop(core, keep)->flags & UOP_CHECKPOINT)))
        return;
    uint64_t from = core->now + core->config->part_undo_start + port_undo_cycles(core);
    core->undo_until = from + (undone + width - 1) / width;
    port_undoing(core);
}

static inline void undo_prediction(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (uop->flags & UOP_CONTROL)
        bpred_undo(core->bpred, core_snapshot_at(core, seq));
}

static void undo_younger(struct core *core, uint64_t keep)
{
    const bool is_traced = core->observer != NULL;
    uint64_t seq = core->fetch_seq, dispatched = later(core->dispatch_seq, keep + 1);
    while (seq > dispatched) {
        struct uop *uop = core_uop(core, --seq);
        if (is_traced)
            trace_leave(core, uop, false);
        undo_prediction(core, uop, seq);
    }
    while (seq > keep + 1) {
        struct uop *uop = core_uop(core, --seq);
        if (is_traced)
            trace_leave(core, uop, false);
        undo_dispatched(core, uop, seq);
        undo_prediction(core, uop, seq);
    }
}

/* Fetch begins anew at pc. */
static void restart_fetch(struct core *core, uint64_t pc, enum squash_reason reason)
{
    core->fetch_pc = pc;
    core->fetch_stall_until = core->now + 1;
    core->fetch_blocked = false;
    core->fetch_page_va = NO_FETCH_PAGE;
    core->fetch_events = 0;
    core->active = true;
    port_squashed(core, reason);
    core->fetch_miss.pa = NEVER;
    bpred_squash(core->bpred, core->now);
    core->fetch_line[0].seq = core->fetch_line[1].seq = NEVER;
    if (reason == SQUASH_BRANCH)
        return;
    bpred_flush(core->bpred, core->now);
    bpred_redirected(core->bpred, core->now, pc, false, false);
}

void squash_after(struct core *core, uint64_t keep, uint64_t pc, enum squash_reason reason)
{
    uint64_t undone = core->dispatch_seq > keep + 1 ? core->dispatch_seq - keep - 1 : 0;
    uint64_t slots = undone - core->fused_in_flight, renamed = port_squash(core);
    undo_younger(core, keep);
    port_gone(core, keep);
    if (core_extras(core) & EXTRA_SLOTS) {
        if (core_extras(core) & EXTRA_RELEASE)
            slots_squash_renamed(core, renamed);
        slots_end_of_squash(core);
    }
    slots += core->fused_in_flight;
    hold_dispatch(core, keep, slots + renamed);
    core->events[EVENT_SQUASHED] += undone;
    account_squash(core, reason, slots);
    core->undo_cause = core->refill_cause;
    core->fetch_seq = keep + 1;
    if (core_config(core)->fetch_ftq != 0)
        ftq_squash(core, keep);
    if (core->decode_seq > keep + 1)
        core->decode_seq = keep + 1;
    if (core->dispatch_seq > keep + 1)
        core->dispatch_seq = keep + 1;
    if (core_is_in_order(core))
        core->inorder->stalled_until = 0;
    store_queue_forget_violators(core, keep);
    redirects_forget(core, keep);
    restart_fetch(core, pc, reason);
}

/* An instruction that has just committed was executed wrongly: everything after it is fetched
 * again. */
void squash_refetch(struct core *core, uint64_t flags)
{
    squash_after(core, core->commit_seq - 1, core->commit_pc,
                 flags & UOP_CONTROL ? SQUASH_BRANCH : SQUASH_ORDER);
    if (!port_flushes_after(core))
        return;
    core->fetch_stall_until += port_again_cycles(core);
    core->fetch_events |= EVENT_BIT(ORDER_VIOLATIONS);
}

void squash_all(struct core *core, uint64_t pc)
{
    squash_after(core, core->commit_seq - 1, pc, SQUASH_FLUSH);
    core->serial_in_flight = false;
}

/* True if the stages of fetch stand still. */
static bool fetch_is_held(const struct core *core)
{
    bool is_stalled = core->fetch_stall_until > core->now &&
                      (core->fetch_cause == EVENT_LOST_ICACHE ||
                       core->fetch_cause == EVENT_LOST_ITLB);
    return is_stalled || fetch_buffer_is_full(core) || port_holds_fetch(core);
}

/* Gives back the checkpoint that a mispredicted branch kept when it executed. */
void squash_give_back_checkpoint(struct core *core, struct uop *uop)
{
    core->checkpoints_used -= (uop->flags & UOP_CHECKPOINT) != 0;
    uop->flags &= ~UOP_CHECKPOINT;
}

void redirect_take(struct core *core, const struct redirect *redirect)
{
    uint64_t end = core->fetch_seq;
    bool is_held = fetch_is_held(core);
    core->is_resolving = true;
    squash_after(core, redirect->keep, redirect->pc,
                 redirect->is_violation ? SQUASH_ORDER : SQUASH_BRANCH);
    core->is_resolving = false;
    if (redirect->is_violation) {
        core->fetch_events |= EVENT_BIT(ORDER_VIOLATIONS);
        return;
    }
    struct uop *uop = core_uop(core, redirect->keep);
    squash_give_back_checkpoint(core, uop);
    if (uop->flags & UOP_CONTROL)
        bpred_correct(core->bpred, uop->pc, &uop->insn, uop->kind, core_snapshot(core, uop),
                      (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0, uop->next_pc);
    bpred_redirected(core->bpred, core->now, redirect->pc, is_held, true);
    port_redirected(core, redirect->keep, end);
}

/* A redirect is due. The oldest is taken; the others were on its wrong path, or are requested
 * again. */
void resolve_step(struct core *core)
{
    const struct redirect chosen = redirects_take_oldest(core);
    if (!port_redirect(core, &chosen))
        redirect_take(core, &chosen);
}
