/* Dispatch: renamed instructions enter, in program order, the reorder buffer and one issue queue,
 * and execute functionally on the way. Dispatch stops at the first one without a place; every slot
 * lost in the cycle has exactly one cause. */
#include "sim/core/cpu.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/dispatch_queue.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/rename.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

/* True if an instruction that acts at the head may dispatch. A pending interrupt comes first. */
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

/* ---- checkpoints ----------------------------------------------------------------------------- */

static bool needs_checkpoint(const struct core *core, const struct uop *uop)
{
    return (core_extras(core) & EXTRA_CHECKPOINTS) != 0 &&
           (uop->kind == KIND_BRANCH || uop->kind == KIND_JALR);
}

static void take_extras(struct core *core, struct uop *uop, struct uop *issued)
{
    if (core_extras(core) & EXTRA_BYPASS)
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

/* True if a whole group has room in the reorder buffer (even if each instruction needs an entry),
 * the rename buffers, and the load and store queues: its instructions need not be checked. */
static inline bool has_room_for_group(const struct core *core, const uint64_t extras)
{
    const struct config *settings = core_config(core);
    uint32_t width = settings->dispatch_width;
    uint64_t entries = extras & EXTRA_FOLD ? core->rob_used : core->dispatch_seq - core->commit_seq;
    return entries + width <= settings->rob_entries &&
           core->buffers_free[POOL_INT] >= width && core->buffers_free[POOL_FP] >= width &&
           core->loads_used + width <= settings->lsq_loads &&
           core->sq.tail - port_stores_from(core, core->sq.head) + width <= settings->lsq_stores;
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

/* An eliminated instruction needs nothing further: its destination stands for another's result. */
static void dispatch_eliminated(struct core *core, struct uop *uop)
{
    rename_eliminate(core, uop);
    execute_uop(core, uop);
    uop->state = UOP_ISSUED;
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + 1;
    core->events[EVENT_ELIMINATED]++;
}

IN_BOTH void begin_waiting(struct core *core, struct uop *uop, uint64_t seq, const bool simple,
                           const uint64_t extras)
{
    rename_with(core, uop, seq, simple, extras);
    uop->state = UOP_WAITING;
    uop->complete_cycle = NEVER;
}

IN_BOTH void dispatch_ordinary(struct core *core, struct uop *uop, uint64_t seq,
                               const uint64_t extras)
{
    if (extras != 0) {
        if (rename_eliminates(core, uop)) {
            dispatch_eliminated(core, uop);
            return;
        }
        if ((extras & EXTRA_DIVIDER) && issue_is_iterative(uop))
            uop->iterations = divider_cycles(core, uop);
    }
    bool is_simple = execute_is_simple(uop);
    begin_waiting(core, uop, seq, false, extras);
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

/* A fused pair is one operation, that of the second instruction; the first is done when it is. */
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

static inline void find_address(struct core *core, struct uop *uop)
{
    if (uop->trap == TRAP_NONE && (uop->flags & UOP_ADDRESSED) == 0)
        execute_address(core, uop);
}

/* False: these parts need more checks before a usual instruction dispatches. */
static inline bool has_usual(const uint64_t extras)
{
    const uint64_t asking = EXTRA_SHARED | EXTRA_FUSION;
    const uint64_t asking_models = EXTRA_CHECKPOINTS | EXTRA_STORE_UOPS;
    return (extras & (extras & EXTRA_MODEL ? asking | asking_models : asking)) == 0;
}

enum usual { UNUSUAL, USUAL, WITHOUT_PLACE };

/* Gives the instruction an entry and a queue. False: its queue has no place. */
IN_BOTH bool enters(struct core *core, struct uop *uop, const uint64_t extras)
{
    if (!choose_queue(core, uop, extras))
        return false;
    enter(core, uop, extras);
    if (extras & EXTRA_BYPASS)
        uop->bypass_cycle = 0;
    if (extras & EXTRA_FOLD)
        take_entry(core, uop, uop);
    return true;
}

IN_BOTH enum usual simple_goes(struct core *core, struct uop *uop, uint64_t seq,
                               const uint64_t extras)
{
    if ((extras & EXTRA_DIVIDER) && issue_is_iterative(uop))
        return UNUSUAL;
    if (!enters(core, uop, extras))
        return WITHOUT_PLACE;
    begin_waiting(core, uop, seq, true, extras);
    execute_simple(core, uop);
    enter_queue(core, uop, seq, false, extras);
    return USUAL;
}

IN_BOTH enum usual transfer_goes(struct core *core, struct uop *uop, uint64_t seq,
                                 const uint64_t extras)
{
    bool has_checkpoint = (extras & EXTRA_CHECKPOINTS) && needs_checkpoint(core, uop);
    if (has_checkpoint && core->checkpoints_used >= core_config(core)->recover_checkpoints)
        return UNUSUAL;
    if (!enters(core, uop, extras))
        return WITHOUT_PLACE;
    if (has_checkpoint) {
        uop->flags |= UOP_CHECKPOINT;
        core->checkpoints_used++;
    }
    begin_waiting(core, uop, seq, true, extras);
    execute_transfer(core, uop);
    enter_queue(core, uop, seq, false, extras);
    return USUAL;
}

IN_BOTH enum usual access_goes(struct core *core, struct uop *uop, uint64_t seq,
                               const uint64_t extras)
{
    if ((extras & EXTRA_STORE_UOPS) && uop->kind == KIND_STORE)
        return UNUSUAL;
    find_address(core, uop);
    if ((uop->flags & UOP_SERIAL) || uop->trap != TRAP_NONE)
        return UNUSUAL;
    if (!enters(core, uop, extras))
        return WITHOUT_PLACE;
    core->dispatch_seq = seq;
    uop->store_number = NEVER;
    begin_waiting(core, uop, seq, (extras & EXTRA_STORE_DATA) == 0, extras);
    uop->flags |= uop->kind == KIND_LOAD ? UOP_IS_LOAD : UOP_IS_STORE;
    execute_access(core, uop);
    enter_queue(core, uop, seq, true, extras);
    return USUAL;
}

/* True if an instruction that is not simple acts alone, traps, or is of none of the kinds above. */
static inline bool is_unusual(struct core *core, struct uop *uop)
{
    if (uop->flags & UOP_ACCESSES) {
        find_address(core, uop);
        return (uop->flags & UOP_SERIAL) || uop->trap != TRAP_NONE;
    }
    return (uop->flags & UOP_CONTROL) == 0;
}

/* The same for a model: one path, as its answers would make three paths long. */
IN_BOTH enum usual modelled_goes(struct core *core, struct uop *uop, uint64_t seq,
                                 const uint64_t extras)
{
    const uint64_t not_simple = UOP_SPECIAL | (extras & EXTRA_DIVIDER ? UOP_ITERATIVE : 0u);
    bool is_simple = (uop->flags & not_simple) == 0;
    if (!is_simple && is_unusual(core, uop))
        return UNUSUAL;
    if (!enters(core, uop, extras))
        return WITHOUT_PLACE;
    uop->store_number = NEVER;
    begin_waiting(core, uop, seq, false, extras);
    if (is_simple) {
        execute_simple(core, uop);
    } else if (uop->flags & UOP_CONTROL) {
        execute_transfer(core, uop);
    } else {
        uop->flags |= uop->kind == KIND_LOAD ? UOP_IS_LOAD : UOP_IS_STORE;
        execute_access(core, uop);
    }
    enter_queue(core, uop, seq, true, extras);
    return USUAL;
}

/* Dispatches an instruction for which everything but its queue is known to have room, if it is of
 * the usual kinds and needs nothing else. */
IN_BOTH enum usual dispatch_usual(struct core *core, struct uop *uop, uint64_t seq,
                                  const uint64_t extras)
{
    if (extras & EXTRA_MODEL)
        return modelled_goes(core, uop, seq, extras);
    if (execute_is_simple(uop))
        return simple_goes(core, uop, seq, extras);
    if (uop->flags & UOP_CONTROL)
        return transfer_goes(core, uop, seq, extras);
    if (uop->flags & UOP_ACCESSES)
        return access_goes(core, uop, seq, extras);
    return UNUSUAL;
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

/* The reason why the next instruction cannot dispatch now, or 0. The addresses of loads and stores
 * are computed here, since they decide whether the instruction has to act at the head. */
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

/* Dispatches the instruction unless something blocks it; returns the reason, or 0. */
IN_BOTH unsigned dispatch_any(struct core *core, struct uop *uop, bool has_room,
                              const uint64_t extras)
{
    unsigned cause = next_blocked_by(core, uop, has_room, extras);
    if (cause == 0)
        dispatch_one(core, uop, extras);
    return cause;
}

/* Out of line, for machines in which most instructions are usual. */
APART unsigned dispatch_unusual(struct core *core, struct uop *uop, bool has_room)
{
    return dispatch_any(core, uop, has_room, core_extras(core));
}

/* Dispatches arrived instructions while they find places; *used: their number. Returns the reason
 * for stopping. */
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
    bool is_usual = has_room && has_usual(extras) && !core->serial_in_flight;
    for (; n < width; n++) {
        struct uop *uop = core_uop(core, core->dispatch_seq);
        if (!port_is_whole(core) && (core->dispatch_seq == core->decode_seq ||
                                     !cycle_has_come(uop->decode_cycle, now, stages))) {
            cause = account_starved(core);
            break;
        }
        enum usual usual = is_usual ? dispatch_usual(core, uop, core->dispatch_seq, extras)
                                    : UNUSUAL;
        if (usual == USUAL) {
            core->dispatch_seq++;
            continue;
        }
        cause = usual == WITHOUT_PLACE ? EVENT_SLOTS_QUEUE_FULL
                : has_usual(extras) ? dispatch_unusual(core, uop, has_room)
                                    : dispatch_any(core, uop, has_room, extras);
        if (cause != 0)
            break;
        is_usual = is_usual && !core->serial_in_flight;
    }
    *used = n;
    return cause;
}

/* The same for machines without extra parts. */
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
        enum usual usual = has_room ? dispatch_usual(core, uop, seq, 0) : UNUSUAL;
        if (usual == USUAL)
            continue;
        if (usual == WITHOUT_PLACE) {
            blocked = EVENT_SLOTS_QUEUE_FULL;
            break;
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
