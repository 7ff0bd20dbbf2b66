/* Undoes the youngest issued instruction. */
#include "isa/hart.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage_back.h"

/* The cycle of the result of the instruction at seq, which may have committed. */
static uint64_t result_at(const struct core *core, uint64_t seq)
{
    return seq >= core->commit_seq ? core_uop(core, seq)->complete_cycle : 0;
}

void inorder_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    port_undone(core, uop, core->dispatch_seq);
    if (rd == REG_SINK)
        return;
    core->hart->reg[rd] = uop->old_value;
    core->last_writer[rd] = uop->previous_writer;
    bool is_old = uop->ready_at != NEVER && uop->previous_writer < core->commit_seq;
    core->inorder->ready[rd] = is_old ? uop->ready_at : result_at(core, uop->previous_writer);
}
