/* Fetch: jumps that wait for rename, and groups with a limited number of branches. */
#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/history.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/port.h"


/* ---- jumps that wait ------------------------------------------------------------------------- */

/* With c910.jumps_wait: true for transfers that use the return-address stack or the targets of
 * indirect jumps. */
static bool must_wait(const struct predecode_slot *slot)
{
    return slot->kind == KIND_JALR || (slot->kind == KIND_JAL && insn_is_call(&slot->insn));
}

static void note_jump(struct c910_front *hold, uint64_t now)
{
    uint64_t passed = now - hold->jump_cycle;
    hold->jumps = (passed < 64 ? hold->jumps << passed : 0) | 1;
    hold->jump_cycle = now;
}

/* For a transfer that must_wait. Returns false if it waits. */
SELDOM static bool may_jump(struct core *core, const struct predecode_slot *slot)
{
    bool waits = core->model->front.jumps_until > core->now;
    if (!waits || !core->model->front.jump_waits)
        note_jump(&core->model->front, core->now);
    if (waits && (slot->kind == KIND_JALR || !core->model->front.jump_waits))
        bpred_waits(core->bpred, core->now, core->model->front.jump_cycle,
                    core->fetch_pc + slot->insn.length - 2,
                    slot->kind == KIND_JALR && insn_is_return(&slot->insn));
    core->model->front.jump_waits = waits;
    return !waits;
}

/* True if the last stage of fetch has a transfer that must not pass a misprediction
 * (c910.jumps_wait), also one found now. */
static bool jump_is_held(const struct core *core)
{
    const struct c910_front *hold = &core->model->front;
    uint64_t last = hold->jump_cycle + core_config(core)->fetch_stages - 1;
    if (core_config(core)->c910_jumps_wait == 0)
        return false;
    if (hold->jump_waits && last <= core->now)
        return true;
    return last >= core->now && last - core->now < 64 && hold->jumps >> (last - core->now) & 1;
}

/* ---- one branch a cycle ---------------------------------------------------------------------- */

/* True if, after the last branch allowed in the cycle, the rest of the block (up to `end`) has
 * another whole branch, perhaps after a jump. The instructions before that branch come together
 * with it. */
static bool is_cut(struct core *core, uint64_t end)
{
    if (core->model->loop.is_active)
        return false;
    for (uint64_t pc = core->fetch_pc; pc < end;) {
        const struct predecode_slot *slot = fetch_slot_at(core, pc);
        pc += slot->insn.length;
        if (!slot->is_valid)
            return false;
        if (slot->kind == KIND_BRANCH && pc <= end) {
            core->model->front.cut_cycle = core->now;
            return true;
        }
    }
    return false;
}

/* True if the branch is one more than c910.branches. */
static bool has_branched(struct core *core)
{
    struct c910_front *front = &core->model->front;
    if (front->branches++ != core_config(core)->c910_branches)
        return false;
    front->cut_cycle = core->now;
    return true;
}

/* ---- the stage ------------------------------------------------------------------------------- */

bool c910_front_may_join(struct core *core, const struct predecode_slot *slot)
{
    if (core_config(core)->c910_jumps_wait && must_wait(slot) && !may_jump(core, slot))
        return false;
    return core_config(core)->c910_branches == 0 || slot->kind != KIND_BRANCH ||
           !has_branched(core);
}

bool c910_front_ends_group(struct core *core, const struct predecode_slot *slot, uint64_t end)
{
    uint32_t most = core_config(core)->c910_branches;
    return most != 0 && slot->kind == KIND_BRANCH && core->model->front.branches == most &&
           is_cut(core, end);
}

bool c910_front_is_held(const struct core *core)
{
    const struct c910_front *front = &core->model->front;
    bool was_cut = core_config(core)->c910_branches != 0 && front->cut_cycle + 1 == core->now;
    return front->still_since != 0 || was_cut || jump_is_held(core);
}

void c910_front_squashed(struct core *core, enum squash_reason reason)
{
    struct c910_front *front = &core->model->front;
    if (c910_takes_lines(core))
        c910_refill_squash(core, reason != SQUASH_BRANCH);
    front->jump_waits = false;
    front->still_since = 0;
    front->buffered = (struct c910_buffered){0};
    front->jumps = 0;
    front->rest_pc = NEVER;
    c910_loop_squash(&core->model->loop);
    if (core_config(core)->c910_loop_bytes != 0)
        c910_loop_undo(&core->model->loop, core->now);
    if (reason != SQUASH_BRANCH)
        c910_loop_flush(&core->model->loop);
}
