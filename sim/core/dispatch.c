/* Dispatch: renamed instructions go, in program order, into the reorder buffer and one issue
 * queue, and execute functionally on the way. Stops at the first one without a place; every slot
 * of the cycle that is lost has exactly one cause. */
#include "sim/core/stage.h"

static bool serial_may_go(const struct core *core, const struct uop *uop)
{
    if (!core_is_empty(core))
        return false;
    return uop->kind == KIND_CSR || core->store_head == core->store_tail;
}

/* The least filled of the queues that hold the class; false when none has room. */
static bool choose_queue(const struct core *core, struct uop *uop)
{
    uint32_t queues = core->class_queues[uop->unit_class], used = UINT32_MAX;
    if ((queues & (queues - 1)) == 0) {
        uop->queue = (uint8_t)__builtin_ctz(queues);
        return core->queue_used[uop->queue] < core->queue_size[uop->queue];
    }
    for (; queues != 0; queues &= queues - 1) {
        unsigned queue = (unsigned)__builtin_ctz(queues);
        if (core->queue_used[queue] < core->queue_size[queue] && core->queue_used[queue] < used) {
            used = core->queue_used[queue];
            uop->queue = (uint8_t)queue;
        }
    }
    return used != UINT32_MAX;
}

/* The event that counts the slots lost to what `uop` lacks, or 0 when it can go. */
static unsigned blocked_by(const struct core *core, struct uop *uop)
{
    if (core->serial_in_flight)
        return EVENT_SLOTS_SERIAL;
    if (uop->flags & UOP_SERIAL)
        return serial_may_go(core, uop) ? 0 : EVENT_SLOTS_SERIAL;
    if (core->dispatch_seq - core->commit_seq >= core->config->rob_entries)
        return EVENT_SLOTS_ROB_FULL;
    if (!rename_has_buffer(core, uop))
        return EVENT_SLOTS_RENAME_FULL;
    if (!choose_queue(core, uop))
        return EVENT_SLOTS_QUEUE_FULL;
    if ((uop->kind == KIND_LOAD && core->loads_used >= core->config->lsq_loads) ||
        (uop->kind == KIND_STORE && store_queue_is_full(core)))
        return EVENT_SLOTS_LSQ_FULL;
    return 0;
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
    default:
        return core->latency[LAT_CSR];
    }
}

static void dispatch_serial(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_uop(core, uop, seq);
    execute_serial(core, uop);
    uop->state = UOP_ISSUED;
    uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + serial_cycles(core, uop);
    core->serial_in_flight = true;
    core->events[EVENT_ISSUED]++;
}

static void enter_queue(struct core *core, struct uop *uop, uint64_t seq)
{
    core->queue_used[uop->queue]++;
    if (uop->flags & UOP_IS_STORE) {
        store_queue_push(core, uop, seq);
    } else if (uop->flags & UOP_IS_LOAD) {
        core->loads_used++;
        if (lsu_must_wait_for_store(core, uop))
            rename_link(core, uop, seq, 2, store_queue_at(core, uop->store_number)->seq);
    }
    if (uop->pending == 0)
        wheel_schedule(core, seq, uop->ready_at);
}

static void dispatch_ordinary(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_uop(core, uop, seq);
    if (uop->kind == KIND_LOAD)
        uop->flags |= UOP_IS_LOAD;
    else if (uop->kind == KIND_STORE)
        uop->flags |= UOP_IS_STORE;
    execute_uop(core, uop);
    uop->state = UOP_WAITING;
    uop->complete_cycle = NEVER;
    enter_queue(core, uop, seq);
}

static void dispatch_one(struct core *core, struct uop *uop)
{
    uint64_t seq = core->dispatch_seq;
    uop->dispatch_cycle = core->now;
    uop->ready_at = core->now + 1;
    uop->store_number = NEVER;
    if (uop->flags & UOP_SERIAL)
        dispatch_serial(core, uop, seq);
    else
        dispatch_ordinary(core, uop, seq);
    core->dispatch_seq++;
}

/* Why the next instruction cannot dispatch now, or 0. Addresses of loads and stores are worked out
 * here, since they decide whether the instruction has to act at the head. */
static unsigned next_blocked_by(struct core *core)
{
    const struct config *config = core->config;
    if (core->dispatch_seq == core->decode_seq)
        return account_starved(core);
    struct uop *uop = core_uop(core, core->dispatch_seq);
    if (uop->decode_cycle + config->decode_stages + config->rename_stages > core->now)
        return account_starved(core);
    if ((uop->kind == KIND_LOAD || uop->kind == KIND_STORE) && uop->trap == TRAP_NONE &&
        (uop->flags & UOP_ADDRESSED) == 0 && !core->serial_in_flight)
        execute_address(core, uop);
    return blocked_by(core, uop);
}

void dispatch_step(struct core *core)
{
    uint32_t width = core->config->dispatch_width, used = 0;
    unsigned cause = 0;
    while (used < width && (cause = next_blocked_by(core)) == 0) {
        dispatch_one(core, core_uop(core, core->dispatch_seq));
        used++;
    }
    if (used != 0) {
        core->active = true;
        core->events[EVENT_DISPATCHED] += used;
    }
    if (used < width)
        account_slots(core, cause, width - used);
}
