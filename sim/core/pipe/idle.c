/* The cycle in which an idle pipeline goes on. The cycles until then are skipped in one step. */
#include "sim/core/fetch/ftq.h"
#include "sim/core/inorder/inorder.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"

/* The cycle in which the reorder-buffer entry at the head is complete, or NEVER. */
static uint64_t head_complete(const struct core *core)
{
    uint64_t seq = core->commit_seq, done = 0;
    do {
        done = later(done, commit_from(core, core_uop(core, seq)));
        seq++;
    } while ((core_extras(core) & EXTRA_FOLD) && done != NEVER && seq != core->dispatch_seq &&
             (core_uop(core, seq)->flags & UOP_FOLDED));
    return done;
}

/* The cycle in which the head commits if nothing else happens before; NEVER: it does not. */
static uint64_t commit_next(const struct core *core)
{
    if (core_is_empty(core))
        return NEVER;
    uint64_t done = head_complete(core);
    bool is_refused = (core_extras(core) & EXTRA_COMMIT_ASKS) != 0 &&
                      !port_may_commit(core, core_uop(core, core->commit_seq), 0);
    if (done == NEVER || is_refused)
        return NEVER;
    uint64_t from = core_extras(core) & EXTRA_UNDO ? core->recover_until : 0;
    return later(done + core_config(core)->commit_stages, from);
}

/* The first cycle from now on in which some stage has work, after a cycle that did nothing. known:
 * the cycle of some event. */
static uint64_t next_event(const struct core *core, uint64_t known)
{
    const struct config *settings = core_config(core);
    uint64_t next = earlier(known, core->redirect_next);
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
    return core_is_in_order(core) ? earlier(next, inorder_next(core))
                                  : wheel_next(core, next);
}

/* If the usual end of a wait is due in this cycle, nothing else is checked. */
uint64_t idle_until(const struct core *core)
{
    if (core_is_in_order(core) && core->inorder->wake <= core->now)
        return core->now;
    uint64_t next = commit_next(core);
    return next <= core->now ? core->now : next_event(core, next);
}
