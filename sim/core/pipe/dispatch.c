/* Dispatch: renamed instructions go, in program order, into the reorder buffer and one issue
 * queue, and execute functionally on the way. Stops at the first one without a place; every slot
 * of the cycle that is lost has exactly one cause. */
#include "sim/core/cpu.h"
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/rename.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/pipe/wheel.h"

/* A due interrupt comes before an instruction that executes here and now. */
static bool serial_may_go(const struct core *core, const struct uop *uop)
{
    if (!core_is_empty(core) || cpu_is_interrupted(core->cpu))
        return false;
    if (port_alone_cycles(core) != 0 && core->commit_seq != 0) {
        uint64_t committed = core_uop(core, core->commit_seq - 1)->complete_cycle +
                             core_config(core)->commit_stages;
        if (core->now < committed + port_alone_cycles(core))
            return false;
    }
    return uop->kind == KIND_CSR || core->sq.head == core->sq.tail;
}

/* The queue of an instruction that several hold: the emptiest, or as the model says. False: no
 * room there. */
IN_BOTH bool choose_queue(const struct core *core, struct uop *uop, const uint64_t extras)
{
    const struct issue_queues *iq = &core->iq;
    unsigned queue = iq->class_queue[uop->unit_class];
    uop->queue = (uint8_t)(extras & EXTRA_MODEL ? port_queue(core, uop, queue) : queue);
    bool is_known = (extras & EXTRA_MODEL) == 0 && core_shape(core)->has_one_queue;
    if (!is_known && uop->queue == QUEUE_SEVERAL) {
        uop->queue = (uint8_t)issue_queue_emptiest(iq, iq->class_queues[uop->unit_class]);
        if (uop->queue == QUEUE_SEVERAL)
            return false;
    } else if (iq->queue_used[uop->queue] >= iq->queue_size[uop->queue]) {
        return false;
    }
    return (extras & EXTRA_MODEL) == 0 || port_has_place(core, uop);
}

/* ---- reorder-buffer entries of several instructions ------------------------------------------ */

static bool can_fold(const struct core *core, const struct uop *uop)
{
    if (uop->trap != TRAP_NONE || (uop->flags & UOP_SERIAL))
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

/* `issued`: the instruction itself, or the second of a fused pair that it is the first of. */
static void take_entry(struct core *core, struct uop *uop, const struct uop *issued)
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

/* ---- checkpoints ----------------------------------------------------------------------------- */

static bool needs_checkpoint(const struct core *core, const struct uop *uop)
{
    return (core_extras(core) & EXTRA_CHECKPOINTS) != 0 &&
           (uop->kind == KIND_BRANCH || uop->kind == KIND_JALR);
}

static void take_extras(struct core *core, struct uop *uop, struct uop *issued)
{
    issued->bypass_cycle = 0;
    if (core_extras(core) & EXTRA_FOLD)
        take_entry(core, uop, issued);
    if (needs_checkpoint(core, issued)) {
        issued->flags |= UOP_CHECKPOINT;
        core->checkpoints_used++;
    }
}

/* ---- causes that hold dispatch --------------------------------------------------------------- */

static inline bool has_buffer(const struct core *core, const struct uop *uop)
{
    return core->buffers_free[uop->insn.rd / REG_F0] != 0;
}

/* A whole group finds room in the reorder buffer, even if each instruction needs an entry, the
 * rename buffers and the queues of loads and stores: its instructions need not ask. */
static inline bool has_room_for_group(const struct core *core, const uint64_t extras)
{
    const struct config *settings = core_config(core);
    uint32_t width = settings->dispatch_width;
    uint64_t entries = extras & EXTRA_FOLD ? core->rob_used : core->dispatch_seq - core->commit_seq;
    return entries + width <= settings->rob_entries &&
           core->buffers_free[POOL_INT] >= width && core->buffers_free[POOL_FP] >= width &&
           core->loads_used + width <= settings->lsq_loads &&
           core->sq.tail - core->sq.head + width <= settings->lsq_stores;
}

/* The event that counts the slots lost to the resource missing for `uop`, or 0 if it can go. */
IN_BOTH unsigned blocked_by(const struct core *core, struct uop *uop, bool has_room,
                            const uint64_t extras)
{
    if (uop->flags & UOP_SERIAL)
        return serial_may_go(core, uop) ? 0 : EVENT_SLOTS_SERIAL;
    if (!has_room && rob_is_full(core, uop, extras))
        return EVENT_SLOTS_ROB_FULL;
    bool is_eliminated = extras != 0 && rename_eliminates(core, uop);
    if (!has_room && !has_buffer(core, uop) && !is_eliminated)
        return EVENT_SLOTS_RENAME_FULL;
    if (extras != 0) {
        if (needs_checkpoint(core, uop) &&
            core->checkpoints_used >= core_config(core)->recover_checkpoints)
            return EVENT_SLOTS_RENAME_FULL;
        if (is_eliminated)
            return 0;
    }
    if (!choose_queue(core, uop, extras) ||
        ((extras & EXTRA_STORE_UOPS) && uop->kind == KIND_STORE &&
         !store_data_has_place(core, uop)))
        return EVENT_SLOTS_QUEUE_FULL;
    bool is_full = !has_room &&
                   ((uop->kind == KIND_LOAD && core->loads_used >= core_config(core)->lsq_loads) ||
                    (uop->kind == KIND_STORE && store_queue_is_full(core)));
    return is_full ? EVENT_SLOTS_LSQ_FULL : 0;
}

static uint64_t serial_cycles(struct core *core, struct uop *uop)
{
    switch (uop->kind) {
    case KIND_LOAD:
    case KIND_STORE:
    case KIND_LR:
    case KIND_SC:
    case KIND_AMO:
        return lsu_serial_cycles(core, uop);
    case KIND_FENCE:
        return port_fence_cycles(core);
    default:
        return core->latency[LAT_CSR];
    }
}

RARELY static void dispatch_serial(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_uop(core, uop, seq);
    if (core_extras(core) & EXTRA_SLOTS)
        slots_pass(core, uop);
    execute_serial(core, uop);
    uop->state = UOP_ISSUED;
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + serial_cycles(core, uop);
    core->serial_in_flight = true;
    core->events[EVENT_ISSUED]++;
}

static void wait_for(struct core *core, struct uop *uop, uint64_t seq, uint64_t store)
{
    if (store != NEVER)
        rename_link(core, uop, seq, 2, store);
}

/* Its place in the load or the store queue, and the stores that it waits for. */
static void enter_memory_queue(struct core *core, struct uop *uop, uint64_t seq)
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

/* Nothing was in its queue when the cycle began. */
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

/* Nothing is left to do for it: its name stands for another's result. */
static void dispatch_eliminated(struct core *core, struct uop *uop)
{
    rename_eliminate(core, uop);
    execute_uop(core, uop);
    uop->state = UOP_ISSUED;
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + 1;
    core->events[EVENT_ELIMINATED]++;
}

IN_BOTH void dispatch_simple(struct core *core, struct uop *uop, uint64_t seq,
                             const uint64_t extras)
{
    rename_with(core, uop, seq, true, extras);
    uop->state = UOP_WAITING;
    uop->complete_cycle = NEVER;
    execute_simple(core, uop);
    enter_queue(core, uop, seq, false, extras);
}

IN_BOTH void dispatch_ordinary(struct core *core, struct uop *uop, uint64_t seq,
                               const uint64_t extras)
{
    if (extras != 0) {
        if (rename_eliminates(core, uop)) {
            dispatch_eliminated(core, uop);
            return;
        }
        if ((extras & EXTRA_DIVIDER) && issue_is_iterative(uop->latency))
            uop->iterations = divider_cycles(core, uop);
    }
    bool is_simple = execute_is_simple(uop);
    if (extras == 0 && is_simple) {
        dispatch_simple(core, uop, seq, extras);
        return;
    }
    rename_with(core, uop, seq, false, extras);
    uop->state = UOP_WAITING;
    uop->complete_cycle = NEVER;
    if (is_simple) {
        execute_simple(core, uop);
    } else {
        if (uop->kind == KIND_LOAD)
            uop->flags |= UOP_IS_LOAD;
        else if (uop->kind == KIND_STORE)
            uop->flags |= UOP_IS_STORE;
        execute_the_others(core, uop);
    }
    enter_queue(core, uop, seq, !is_simple, extras);
}

IN_BOTH void enter(const struct core *core, struct uop *uop, const uint64_t extras)
{
    uop->dispatch_cycle = core->now;
    uop->ready_at = extras & EXTRA_QUEUE_BYPASS ? 0 : core->now + 1;
}

/* One operation, the second's; the first is done with it. */
SELDOM static void dispatch_pair(struct core *core, struct uop *first)
{
    uint64_t seq = core->dispatch_seq;
    struct uop *second = core_uop(core, seq + 1);
    enter(core, first, core_extras(core));
    enter(core, second, core_extras(core));
    first->store_number = second->store_number = NEVER;
    take_extras(core, first, second);
    second->flags |= UOP_FOLDED | (second->kind == KIND_LOAD ? UOP_IS_LOAD : 0u);
    rename_pair(core, first, second, seq);
    execute_uop(core, first);
    execute_uop(core, second);
    first->state = UOP_ISSUED;
    second->state = UOP_WAITING;
    first->issue_cycle = first->complete_cycle = second->complete_cycle = NEVER;
    enter_queue(core, second, seq + 1, true, core_extras(core));
    core->dispatch_seq += 2;
    core->fused_in_flight++;
    core->events[EVENT_FUSED]++;
}

IN_BOTH void dispatch_one(struct core *core, struct uop *uop, const uint64_t extras)
{
    uint64_t seq = core->dispatch_seq;
    if ((extras & EXTRA_FUSION) && (uop->flags & UOP_PAIRED)) {
        dispatch_pair(core, uop);
        return;
    }
    enter(core, uop, extras);
    uop->store_number = NEVER;
    if (extras != 0)
        take_extras(core, uop, uop);
    if (uop->flags & UOP_SERIAL)
        dispatch_serial(core, uop, seq);
    else
        dispatch_ordinary(core, uop, seq, extras);
    core->dispatch_seq++;
}

static inline void find_address(struct core *core, struct uop *uop)
{
    if (uop->trap == TRAP_NONE && (uop->flags & UOP_ADDRESSED) == 0)
        execute_address(core, uop);
}

/* The reason why the next instruction cannot dispatch now, or 0. Addresses of loads and stores are
 * computed here, since they decide whether the instruction has to act at the head. */
IN_BOTH unsigned next_blocked_by(struct core *core, struct uop *uop, bool has_room,
                                 const uint64_t extras)
{
    if (core->serial_in_flight)
        return EVENT_SLOTS_SERIAL;
    if (uop->flags & UOP_ACCESSES)
        find_address(core, uop);
    if (extras & EXTRA_FUSION) {
        if (uop->flags & UOP_PAIRED)
            fusion_settle(core, uop, core->dispatch_seq);
        if (uop->flags & UOP_PAIRED)
            uop = fusion_issued(core, core->dispatch_seq);
    }
    return blocked_by(core, uop, has_room, extras);
}

/* Dispatches instructions that have arrived, while they find places; *used: their number. Returns
 * the reason for the end. */
IN_BOTH unsigned dispatch_group(struct core *core, uint32_t *used, const uint64_t extras)
{
    uint32_t width = core_config(core)->dispatch_width, n = 0;
    unsigned cause = 0;
    const uint64_t stages = core_config(core)->decode_stages + core_config(core)->rename_stages;
    const uint64_t now = core->now;
    if (extras & EXTRA_MODEL)
        width = port_width(core, width, &cause);
    bool has_room = (extras & EXTRA_FUSION) == 0 && width != 0 &&
                    (((extras & EXTRA_MODEL) && port_found_room(core)) ||
                     has_room_for_group(core, extras));
    for (; n < width; n++) {
        struct uop *uop = core_uop(core, core->dispatch_seq);
        if (core->dispatch_seq == core->decode_seq ||
            !cycle_has_come(uop->decode_cycle, now, stages)) {
            cause = account_starved(core);
            break;
        }
        unsigned blocked = next_blocked_by(core, uop, has_room, extras);
        if (blocked != 0) {
            cause = blocked;
            break;
        }
        dispatch_one(core, uop, extras);
    }
    *used = n;
    return cause;
}

/* The same for machines without such parts, which ask once whether a group finds room. */
static inline unsigned dispatch_plain(struct core *core, uint32_t *used)
{
    const struct config *settings = core_config(core);
    const uint64_t now = core->now, stages = settings->decode_stages + settings->rename_stages;
    uint64_t first = core->dispatch_seq;
    uint64_t seq = first, end = first + earlier(settings->dispatch_width, core->decode_seq - first);
    bool has_room = seq != end && !core->serial_in_flight && has_room_for_group(core, 0);
    unsigned blocked = 0;
    for (; seq != end; seq++) {
        struct uop *uop = core_uop(core, seq);
        if (!cycle_has_come(uop->decode_cycle, now, stages))
            break;
        if (has_room && execute_is_simple(uop)) {
            if (!choose_queue(core, uop, 0)) {
                blocked = EVENT_SLOTS_QUEUE_FULL;
                break;
            }
            enter(core, uop, 0);
            dispatch_simple(core, uop, seq, 0);
            continue;
        }
        core->dispatch_seq = seq;
        blocked = next_blocked_by(core, uop, has_room, 0);
        has_room = has_room && (uop->flags & UOP_SERIAL) == 0;
        if (blocked != 0)
            break;
        dispatch_one(core, uop, 0);
    }
    core->dispatch_seq = seq;
    *used = (uint32_t)(seq - first);
    return blocked == 0 && *used < settings->dispatch_width ? account_starved(core) : blocked;
}

IN_BOTH unsigned dispatch_by_extras(struct core *core, uint32_t *used)
{
    unsigned cause = dispatch_group(core, used, core_extras(core));
    port_dispatched(core);
    bool is_full = *used == core_config(core)->dispatch_width;
    return cause != 0 || is_full ? cause : account_starved(core);
}

APART unsigned dispatch_with_extras(struct core *core, uint32_t *used)
{
    return dispatch_by_extras(core, used);
}

void dispatch_step(struct core *core)
{
    uint32_t used = 0;
    uint64_t first = core->dispatch_seq;
    unsigned cause = core->undo_cause;
    core->fold_room = 0;
    port_dispatch_begins(core);
    bool is_open = core->undo_until <= core->now || port_is_whole(core);
    if (is_open && core_always_has(core, ~EXTRAS_ELSEWHERE))
        cause = dispatch_by_extras(core, &used);
    else if (is_open)
        cause = core_is_plain(core) ? dispatch_plain(core, &used)
                                    : dispatch_with_extras(core, &used);
    port_dispatch_ends(core, is_open && used == 0, cause);
    if (used != 0) {
        core->active = true;
        core->events[EVENT_DISPATCHED] += core->dispatch_seq - first;
    }
    if (used < core_config(core)->dispatch_width)
        account_slots(core, cause, core_config(core)->dispatch_width - used);
    if (cause == EVENT_SLOTS_SERIAL && port_alone_cycles(core) != 0)
        core->active = true;                    /* tried again in the next cycle */
}
