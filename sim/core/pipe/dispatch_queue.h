/* The places that a dispatching instruction takes: its entry in the reorder buffer, its issue
 * queue, and its place in the load or store queue. Part of dispatch.c. */
#ifndef SIM_CORE_PIPE_DISPATCH_QUEUE_H
#define SIM_CORE_PIPE_DISPATCH_QUEUE_H

#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/pipe/wheel.h"

/* ---- reorder-buffer entries of several instructions ------------------------------------------ */

static inline bool can_fold(const struct core *core, const struct uop *uop)
{
    bool is_usual = (uop->flags & UOP_SPECIAL) == 0;    /* it neither traps nor acts alone */
    if (!is_usual && (uop->trap != TRAP_NONE || (uop->flags & UOP_SERIAL)))
        return false;
    return port_folds(core, uop);
}

IN_BOTH bool rob_is_full(const struct core *core, const struct uop *uop, const uint64_t extras)
{
    if (extras & EXTRA_FOLD)
        return core->rob_used >= core_config(core)->rob_entries &&
               (core->fold_room == 0 || !can_fold(core, uop));
    return core->dispatch_seq - core->commit_seq >= core_config(core)->rob_entries;
}

/* `issued`: the instruction itself; for the first of a fused pair, the second. */
static inline void take_entry(struct core *core, struct uop *uop, const struct uop *issued)
{
    bool folds = can_fold(core, issued);
    if (folds && core->fold_room != 0) {
        uop->flags |= UOP_FOLDED;
        core->fold_room--;
    } else {
        core->rob_used++;
        core->fold_room = folds ? core->config->part_fold - 1 : 0;
    }
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* Chooses the queue of an instruction. If several queues take it: the emptiest one, or the model's
 * choice. False: there is no room. */
IN_BOTH bool choose_queue(const struct core *core, struct uop *uop, const uint64_t extras)
{
    const struct issue_queues *iq = &core->iq;
    unsigned queue = iq->class_queue[uop->unit_class];
    uop->queue = (uint8_t)(extras & EXTRA_MODEL ? port_queue(core, uop, queue) : queue);
    bool is_known = (extras & EXTRA_MODEL) == 0 && core_shape(core)->has_one_queue;
    if (!is_known && uop->queue == QUEUE_SEVERAL) {
        uint32_t queues = core_shape(core)->class_queues[uop->unit_class];
        uop->queue = (uint8_t)issue_queue_emptiest(iq, queues);
        if (uop->queue == QUEUE_SEVERAL)
            return false;
    } else if (iq->queue_used[uop->queue] >= iq->queue_size[uop->queue]) {
        return false;
    }
    return (extras & EXTRA_MODEL) == 0 || port_has_place(core, uop);
}

static inline void wait_for(struct core *core, struct uop *uop, uint64_t seq, uint64_t store)
{
    if (store != NEVER)
        rename_link(core, uop, seq, 2, store);
}

/* Enters the load or the store queue, and notes the stores that the instruction waits for. */
static inline void enter_memory_queue(struct core *core, struct uop *uop, uint64_t seq)
{
    if (uop->flags & UOP_IS_STORE) {
        store_queue_push(core, uop, seq);
        if (core_config(core)->lsq_speculation == SPECULATE_STORE_SETS)
            wait_for(core, uop, seq, memdep_store_waits_for(core, uop, seq));
    } else {
        core->loads_used++;
        wait_for(core, uop, seq, memdep_load_waits_for(core, uop));
        uop->ready_at = later(uop->ready_at, port_load_after(core, uop));
    }
}

/* True if its queue was empty when the cycle began. */
static inline bool finds_queue_empty(struct core *core, const struct uop *uop)
{
    const struct issue_queues *iq = &core->iq;
    return port_passes_queue(core, uop,
                             iq->began_used[uop->queue] - iq->began_leaving[uop->queue]);
}

APART void go_past_queue(struct core *core, struct uop *uop, uint32_t index)
{
    wheel_add(core, uop, index, core->now);
    issue_past_queue(core, uop, index);
}

/* The first instruction of a cycle that finds its queue empty need not wait in it if its operands
 * were available in the cycle before; else it is issued in the next cycle at the soonest. */
static inline void pass_queue(struct core *core, struct uop *uop, uint32_t index)
{
    struct issue_queues *iq = &core->iq;
    uint32_t queue = UINT32_C(1) << uop->queue, is_first = iq->unentered & queue;
    iq->unentered &= ~queue;
    if (is_first != 0 && uop->pending == 0 && uop->ready_at < core->now &&
        finds_queue_empty(core, uop)) {
        go_past_queue(core, uop, index);
        return;
    }
    uop->ready_at = later(uop->ready_at, core->now + 1);
    if (uop->pending == 0)
        wheel_add_soon(core, uop, index);
}

/* accesses: it may be a load or a store. */
IN_BOTH void enter_queue(struct core *core, struct uop *uop, uint64_t seq, const bool accesses,
                         const uint64_t extras)
{
    unsigned queue = uop->queue;
    uint32_t index = (uint32_t)(seq & core_ring_mask(core));
    core->iq.queue_used[queue]++;
    if (extras & EXTRA_MODEL)
        port_entered(core, uop, seq);
    if (extras & EXTRA_SLOTS)
        uop->slot = slots_take(core, uop->queue);
    uint32_t bit = core_queue_bit(core, uop, index);
    uop->queue_word = (uint16_t)issue_queue_word(core_shape(core), queue, bit);
    if (core_shape(core)->by_slot)
        core->iq.owner[uop->queue_word * 64u + bit % 64] = (uint16_t)index;
    if ((extras & EXTRA_STORE_UOPS) && (uop->flags & UOP_IS_STORE))
        store_data_enter(core, uop, index);
    if (accesses && (uop->flags & (UOP_IS_STORE | UOP_IS_LOAD)))
        enter_memory_queue(core, uop, seq);
    if (extras & EXTRA_QUEUE_BYPASS)
        pass_queue(core, uop, index);
    else if (uop->pending == 0)
        wheel_add_soon(core, uop, index);
}

#endif
