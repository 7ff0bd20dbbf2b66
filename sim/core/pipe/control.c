/* Branches and jumps: training of the predictor when one has executed and when it commits. */
#include "pmu/event.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/snapshot.h"
#include "sim/core/pipe/stage.h"

static bool is_taken(const struct uop *uop)
{
    return uop->kind != KIND_BRANCH || (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0;
}

/* The target of a jump, or of a branch if it is taken. */
static uint64_t target_of(const struct uop *uop)
{
    return uop->kind == KIND_BRANCH ? uop->pc + (uint64_t)(int64_t)uop->insn.imm : uop->next_pc;
}

void control_resolve(struct core *core, const struct uop *uop)
{
    uint64_t cycle = uop->complete_cycle;
    if (port_is_told_late(core, uop))
        cycle += core_config(core)->recover_resolve_cycles;
    struct bpred_snapshot *snapshot = core_snapshot(core, uop);
    bpred_resolve(core->bpred, cycle, uop->pc, &uop->insn, uop->kind, snapshot, is_taken(uop),
                  target_of(uop));
}

void control_commit(struct core *core, const struct uop *uop)
{
    const struct bpred_snapshot *snapshot =     /* of the oldest instruction */
        core_snapshot_at(core, core->commit_seq);
    uint64_t target = target_of(uop);
    bpred_train(core->bpred, uop->pc, &uop->insn, uop->kind, snapshot, is_taken(uop), target);
    if (uop->flags & UOP_MISPREDICTED)
        bpred_mispredicted(core->bpred, core->now, &uop->insn, uop->kind, snapshot, target);
}
