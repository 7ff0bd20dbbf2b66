/* Taking instructions back. The youngest that has issued is undone by a squash; others are taken
 * out of the middle of the instruction buffer: nothing of them has happened but their prediction,
 * and instructions behind them keep theirs. */
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/stage.h"

void inorder_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    late_forget(core, uop);
    csr_forget(core, uop);
    if (core->inorder->has_rules) {
        inorder_fp_forget(core, core->dispatch_seq);
        inorder_ports_forget(core, core->dispatch_seq);
    }
    if (rd == REG_SINK)
        return;
    core->hart->reg[rd] = uop->old_value;
    core->last_writer[rd] = uop->previous_writer;
    bool is_old = uop->ready_at != NEVER &&
                  (!core->inorder->has_rules || uop->previous_writer < core->commit_seq);
    core->inorder->ready[rd] = is_old ? uop->ready_at : late_ready(core, uop->previous_writer);
}

static void move_up(struct core *core, uint64_t to, uint64_t from)
{
    *core_uop(core, to) = *core_uop(core, from);
    core->imark[to & core->ring_mask] = core->imark[from & core->ring_mask];
    core->snapshot[to & core->ring_mask] = core->snapshot[from & core->ring_mask];
}

/* Those in [from, to), which have not issued, leave; those behind move up. */
static void drop(struct core *core, uint64_t from, uint64_t to)
{
    uint64_t dropped = to - from;
    if (core->observer != NULL)
        for (uint64_t seq = from; seq < to; seq++)
            trace_leave(core, core_uop(core, seq), false);
    for (uint64_t seq = to; seq < core->fetch_seq; seq++)
        move_up(core, seq - dropped, seq);
    if (core->decode_seq >= to)
        core->decode_seq -= dropped;
    else if (core->decode_seq > from)
        core->decode_seq = from;
    core->fetch_seq -= dropped;
    if (core->inorder->row_end > from)
        core->inorder->row_end = core->inorder->row_end < to ? from
                                                             : core->inorder->row_end - dropped;
}

void inorder_skip(struct core *core, struct uop *branch, uint64_t seq)
{
    uint64_t bytes = core_config(core)->fetch_bytes, target = seq + 1;
    uint64_t next_block = (branch->pc & ~(bytes - 1)) + bytes;
    bool ends_row = target >= core->fetch_seq ||
                    core_uop(core, target)->fetch_cycle != branch->fetch_cycle;
    if (core->ftq.size != 0 || branch->next_pc - next_block >= bytes ||
        (core_config(core)->fetch_rows != 0 && !ends_row))
        return;
    while (target < core->fetch_seq && core_uop(core, target)->pc < branch->next_pc &&
           core_uop(core, target)->pc > branch->pc)
        target++;
    if (target >= core->fetch_seq || core_uop(core, target)->pc != branch->next_pc)
        return;
    drop(core, seq + 1, target);
    branch->predicted_pc = branch->next_pc;
    core_snapshot(core, branch)->stays_out = true;
    branch->flags &= ~UOP_MISPREDICTED;
    branch->events &= ~EVENT_BIT(BRANCHES_MISPREDICTED);
}
