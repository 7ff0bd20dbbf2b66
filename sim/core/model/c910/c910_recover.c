/* Dispatch after a misprediction: rename waits until the branch has committed, and then takes
 * c910.rename_cycles. */
#include "sim/base/cycle.h"
#include "sim/core/port.h"

/* The branch was squashed: dispatch does not wait for it. */
void c910_recover_forget(struct core *core)
{
    core->model->front.recover_seq = NEVER;
    core->undo_until = core->model->front.jumps_until = 0;
}

/* Rename is the stage before dispatch. While it stands still, jumps stay in the last stage of
 * fetch; they leave it in the cycle in which the branch is known to have committed. */
static void go_on(struct core *core)
{
    core->model->front.recover_seq = NEVER;
    core->undo_until =
        later(core->now, core->late_value) + core_config(core)->c910_rename_cycles;
    if (core->model->front.jumps_until != 0)
        core->model->front.jumps_until = core->undo_until - core_config(core)->fetch_stages - 1;
}

/* The rename state is rebuilt from committed instructions, so dispatch waits until the branch has
 * committed and all older instructions have their results. */
void c910_recover_begin(struct core *core, uint64_t keep)
{
    core->model->front.recover_seq = keep;
    core->undo_until = NEVER;
    core->model->front.jumps_until = core_config(core)->c910_jumps_wait != 0 ? NEVER : 0;
    if (keep < core->commit_seq)
        go_on(core);
}

void c910_recover_committed(struct core *core)
{
    go_on(core);
}
