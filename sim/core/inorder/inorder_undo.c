/* Taking the youngest instruction that has issued back. */
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage.h"

void inorder_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    late_forget(core, uop);
    csr_forget(core, uop);
    port_undone(core, core->dispatch_seq);
    if (rd == REG_SINK)
        return;
    core->hart->reg[rd] = uop->old_value;
    core->last_writer[rd] = uop->previous_writer;
    bool is_old = uop->ready_at != NEVER && uop->previous_writer < core->commit_seq;
    core->inorder->ready[rd] = is_old ? uop->ready_at : late_ready(core, uop->previous_writer);
}
