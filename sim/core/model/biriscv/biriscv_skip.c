/* Mispredictions that cost nothing (biriscv.skip_to_target): a branch predicted not taken has its
 * target in the next row, and that row has been fetched. The instructions between the two are
 * removed from the instruction buffer, and fetch continues undisturbed. Of the removed instructions
 * only the prediction was done; instructions after them keep theirs.
 * Source: biRISC-V, biriscv_issue.v: the row is right when it holds the expected pc. */
#include "pmu/event.h"
#include "pmu/retire.h"
#include "sim/core/pipe/snapshot.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/port.h"

static void move_up(struct core *core, uint64_t to, uint64_t from)
{
    *core_uop(core, to) = *core_uop(core, from);
    core->imark[to & core->ring_mask] = core->imark[from & core->ring_mask];
    core->snapshot[to & core->ring_mask] = core->snapshot[from & core->ring_mask];
}

/* Removes the instructions in [from, to), which have not issued; those after move up. */
static void drop(struct core *core, uint64_t from, uint64_t to)
{
    struct model *model = core->model;
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
    if (model->row_end > from)
        model->row_end = model->row_end < to ? from : model->row_end - dropped;
}

void biriscv_mispredicted(struct core *core, struct uop *branch, uint64_t seq)
{
    uint64_t bytes = core_config(core)->fetch_bytes, target = seq + 1;
    uint64_t next_block = (branch->pc & ~(bytes - 1)) + bytes;
    bool ends_row = target >= core->fetch_seq ||
                    core_uop(core, target)->fetch_cycle != branch->fetch_cycle;
    if (core_config(core)->fetch_ftq != 0 || branch->next_pc - next_block >= bytes ||
        (core_config(core)->biriscv_rows != 0 && !ends_row))
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
