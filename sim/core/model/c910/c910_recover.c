/* Dispatch after a misprediction: rename waits until the branch has committed, and takes a
 * while. */
#include "sim/base/cycle.h"
#include "sim/core/port.h"

/* Dispatch continues after the wait it was given. */
void c910_recover_forget(struct core *core)
{
    core->model->front.recover_seq = NEVER;
    core->undo_until = core->model->front.jumps_until = 0;
}

/* Rename is a stage in front of dispatch, and as long as it stands still, so does the last stage of
 * fetch for jumps: they leave it in the cycle in which the branch is known to have committed. */
static void go_on(struct core *core)
{
    core->model->front.recover_seq = NEVER;
    core->undo_until =
        later(core->now, core->late_value) + core_config(core)->c910_rename_cycles;
    if (core->model->front.jumps_until != 0)
        core->model->front.jumps_until = core->undo_until - core_config(core)->fetch_stages - 1;
}

/* The rename state is rebuilt from committed instructions: not before the branch has committed, and
 * all before it have their results. */
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
