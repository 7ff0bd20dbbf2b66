/* The cycle in which an idle pipeline goes on: cycles until then are passed in one step. */
#include "sim/core/fetch/ftq.h"
#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"

/* The first cycle from now on in which some stage can do something; the last cycle did nothing. */
static uint64_t next_event(const struct core *core)
{
    const struct config *settings = core_config(core);
    uint64_t next = earlier(core->redirect_next,
                            core_is_in_order(core) ? inorder_next(core) : wheel_next(core));
    if (!core_is_empty(core)) {
        uint64_t done = commit_from(core, core_uop(core, core->commit_seq));
        if (done != NEVER)
            next = earlier(next, done + settings->commit_stages);
    }
    next = earlier(next, places_next(core));
    if (core->undo_until >= core->now)
        next = earlier(next, core->undo_until);
    if (core->recover_until >= core->now)
        next = earlier(next, core->recover_until);
    next = earlier(next, port_due(core));
    if (!port_is_whole(core) && core->dispatch_seq != core->decode_seq) {
        uint64_t at = core_uop(core, core->dispatch_seq)->decode_cycle + settings->decode_stages +
                      settings->rename_stages;
        if (at >= core->now)
            next = earlier(next, at);
    }
    if (!port_is_whole(core) && core->decode_seq != core->fetch_seq) {
        uint64_t at = core_uop(core, core->decode_seq)->fetch_cycle + settings->fetch_stages;
        if (at >= core->now && at < NOT_YET)
            next = earlier(next, at);
    }
    if (core->sq.head != core->sq.commit) {
        const struct store *oldest = &core->sq.store[core->sq.head & core->sq.mask];
        uint64_t at = later(oldest->drains_at, core->sq.drain_from);
        if (at >= core->now)
            next = earlier(next, at);
    }
    if (core->ftq->head != core->ftq->tail && core->ftq->stall_until >= core->now)
        next = earlier(next, core->ftq->stall_until);
    if (!core->fetch_blocked && core->fetch_stall_until >= core->now)
        next = earlier(next, core->fetch_stall_until);
    return next;
}

/* True if the usual end of a wait is due in this cycle, so that next_event need not be computed. */
static bool acts_at_once(const struct core *core)
{
    return (core_is_in_order(core) && core->inorder->wake <= core->now) || commit_is_due(core);
}

uint64_t idle_until(const struct core *core)
{
    return acts_at_once(core) ? core->now : next_event(core);
}
