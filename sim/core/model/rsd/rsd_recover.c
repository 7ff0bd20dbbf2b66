/* RSD while a squash is undone: nothing commits, and no other squash begins. Also the model's
 * state. Source: rsd-devel/rsd, CommitStage.sv and RecoveryManager.sv. */
#include <stdlib.h>

#include "pmu/event.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/lsu/late_loads.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"

/* Arranges the free slots of each queue as boot code left them. */
static void shift_slots(struct core *core)
{
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
        struct slot_list *list = &core->iq.free_slots[queue];
        for (uint32_t i = 0; i < list->size; i++)
            list->slot[i] = (uint16_t)((i + core_config(core)->rsd_first_slot) % list->size);
    }
}

/* With the replay queue late_loads.c is not used: a load in that queue finds out by itself when its
 * line arrives. */
struct model *rsd_new(struct core *core)
{
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return NULL;
    model->replay.is_busy = true;
    shift_slots(core);
    if (core_config(core)->rsd_words)
        predecode_take_words(core->predecode);
    if (rsd_replays(core)) {
        late_loads_free(core->late);
        core->late = NULL;
    }
    return model;
}

void rsd_free(struct model *model)
{
    free(model);
}

void rsd_recover_undoing(struct core *core)
{
    const struct config *settings = core_config(core);
    if (settings->rsd_undo_holds_commit)
        core->recover_until = core->undo_until;
    if (core->is_resolving)
        core->recover_until = later(core->recover_until, core->now + settings->rsd_commit_least);
}

/* While a squash is being undone, the redirect is left to commit. Only the history is corrected
 * now. */
bool rsd_recover_redirect(struct core *core, const struct redirect *redirect)
{
    struct uop *uop = core_uop(core, redirect->keep);
    if ((core->now > core->recover_until && core->model->replay.flushing == 0) ||
        redirect->keep < core->commit_seq)
        return false;
    uop->flags |= UOP_SQUASHES;
    if (!redirect->is_violation)
        squash_give_back_checkpoint(core, uop);
    core->redirect_next = NEVER;
    for (unsigned i = 0; i < core->redirect_count; i++)
        core->redirect_next = earlier(core->redirect_next, core->redirects[i].cycle);
    core->active = true;
    if (rsd_in_lock_step(core) && !redirect->is_violation && (uop->flags & UOP_CONTROL))
        bpred_correct_history(core->bpred, uop->kind, core_snapshot(core, uop),
                              (uop->events & EVENT_BIT(BRANCHES_TAKEN)) != 0);
    return true;
}
