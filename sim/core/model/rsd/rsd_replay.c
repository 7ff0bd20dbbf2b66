/* Replay from a FIFO (rsd.replay_queue): operations are issued when their producers should be done,
 * and leave the issue queue for good. The validity of the operands is known some stages later; if
 * they were not valid, or if a load missed, the operations of that cycle become one entry of the
 * queue. Entries come back in order and as far apart as they were issued, before anything from the
 * issue queues; the oldest waits for the miss register of its load, and with it all entries after
 * it. Operations that depend on them are issued again until their operands are valid.
 *
 * A miss register belongs to the load that took it until this has its value. A load that hits a
 * line in flight takes no register and goes through the queue.
 *
 * A division, or a root, always goes through the queue: it is issued like a multiplication, keeps
 * the unit from others from then on, passes its operands on when they are available, and comes back
 * for the result when the unit has it. Operations that depend on it are woken as by a
 * multiplication and fail after it, and others that fail meanwhile wait after it too.
 * Source: rsd-devel/rsd, Scheduler/ReplayQueue.sv, MulDivUnit/MulDivUnit.sv, Cache/DCache.sv. */
#include "isa/trap.h"
#include "sim/base/cycle.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"

enum { STEPS_TO_FREE = 4 };     /* cycles from the issue that takes a load's value until its miss
                                 * register is free */

static struct replay_entry *replay_at(struct core *core, uint32_t number)
{
    return &core->model->replay.entry[number % REPLAY_ENTRIES_MAX];
}

static struct uop *alive(const struct core *core, const struct replay_entry *entry, unsigned lane)
{
    struct uop *uop = core_living(core, entry->seq[lane], entry->id[lane]);
    return uop != NULL && (uop->flags & UOP_REPLAYING) != 0 ? uop : NULL;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool has_operands(const struct core *core, const struct uop *uop)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t seq = uop->source[i];
        if (seq < core->commit_seq)
            continue;
        const struct uop *producer = core_uop(core, seq);
        if (producer->state != UOP_ISSUED || producer->complete_cycle > core->now)
            return false;
    }
    return true;
}

/* True if each value in flight arrives when it was announced, so that operations that are ready
 * have their operands. This does not hold where a mispredicted jump completes later than it
 * writes. */
static inline bool all_are_on_time(const struct core *core)
{
    const struct config *settings = core_config(core);
    return core->iq.replaying == 0 && core->model->replay.late_until <= core->now &&
           settings->recover_resolve_cycles <= settings->commit_stages;
}

static inline void note_late(struct core *core, const struct uop *uop)
{
    if (uop->complete_cycle > uop->true_ready)
        core->model->replay.late_until = later(core->model->replay.late_until,
                                               uop->complete_cycle);
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Each of these returns true if the operation is issued, and its cycles are known. */

APART bool fail(struct core *core, struct uop *uop, uint32_t index)
{
    struct replay_entry *entry = &core->model->replay.failed[core->now % REPLAY_DELAYS];
    uop->complete_cycle = NEVER;
    issue_in_vain(core, uop, index);
    if (entry->cycle != core->now) {
        entry->cycle = core->now;
        entry->count = 0;
    }
    entry->seq[entry->count % REPLAY_LANES] = core_seq_at(core, index);
    entry->id[entry->count++ % REPLAY_LANES] = uop->id;
    core->model->replay.last_failed = core->now;
    core->model->replay.is_busy = true;
    core->active = true;
    return false;
}

/* The cycle in which a load is issued again for its line, which the bus may have delayed, or a
 * division for its result. */
static uint64_t comes_from(const struct core *core, const struct uop *uop)
{
    if (uop->unit_class != CLASS_LOAD || uop->miss_register == NO_REGISTER)
        return uop->replay_from;
    uint64_t arrival = memsys_register_arrival(core->mem, uop->miss_register);
    return later(uop->replay_from, cycles_before(arrival, core->latency[LAT_LOAD]));
}

static void free_register(struct core *core, struct uop *uop, uint64_t cycle)
{
    if (uop->miss_register != NO_REGISTER)
        memsys_free_register(core->mem, uop->miss_register, cycle);
    uop->miss_register = NO_REGISTER;
}

/* The latency of a load that hits. */
static uint64_t hit_cycles(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    uint64_t cycles = later(settings->latency_load, settings->lsq_forward_cycles);
    if (uop->events & EVENT_BIT(MISALIGNED))
        cycles += settings->lsq_misaligned_cycles + settings->lsq_unaligned_cycles;
    return cycles;
}

/* The access got no value in time. */
static bool access_fails(struct core *core, struct uop *uop, uint32_t index, bool is_late)
{
    uint8_t taken = is_late ? memsys_keep_register(core->mem) : NO_REGISTER;
    if (taken != NO_REGISTER) {
        free_register(core, uop, core->now);
        uop->miss_register = taken;
        uop->replay_from = uop->complete_cycle - core->latency[LAT_LOAD];
    }
    return fail(core, uop, index);
}

static inline bool issue_access(struct core *core, struct uop *uop, uint32_t index)
{
    uint64_t seq = core_seq_at(core, index);
    bool is_load = (uop->flags & UOP_IS_LOAD) != 0;
    if (is_load && comes_from(core, uop) > core->now)
        return fail(core, uop, index);
    enum issue_result result = lsu_issue(core, uop, seq);
    bool is_late = result == ISSUE_DONE && is_load &&
                   uop->complete_cycle > core->now + hit_cycles(core, uop);
    if (result != ISSUE_DONE || is_late)
        return access_fails(core, uop, index, is_late);
    free_register(core, uop, core->now + STEPS_TO_FREE);
    if (is_load) {
        note_late(core, uop);
        if (uop->trap == TRAP_NONE)
            rsd_memory_passed(core, uop, seq);
    }
    return true;
}

/* The last passage of a division through the pipeline brings the result, and is as long as the
 * first. */
static bool issue_iterative(struct core *core, struct uop *uop, uint32_t index, uint32_t cycles)
{
    if (uop->replay_from != 0) {                /* it was issued again when the unit was done */
        issue_keep_unit(core, uop, uop->port, core->now + cycles);
        issue_on_unit(core, uop, cycles);
        note_late(core, uop);
        return true;
    }
    if (has_operands(core, uop))
        uop->replay_from = core->now + issue_unit_cycles(core, uop) - cycles;
    return fail(core, uop, index);
}

APART bool begin_iterative(struct core *core, struct uop *uop, uint32_t index)
{
    uint32_t cycles = issue_wake_cycles(core, uop);
    uop->true_ready = core->now + cycles;
    issue_keep_unit(core, uop, uop->port, NEVER);
    return issue_iterative(core, uop, index, cycles);
}

static bool is_access(const struct uop *uop)
{
    return (uop->flags & UOP_ACCESSES) != 0;
}

/* Issues an operation of the replay queue. */
APART void issue_again(struct core *core, struct uop *uop, uint32_t index)
{
    uint32_t cycles = issue_wake_cycles(core, uop);
    bool is_issued;
    if (issue_is_iterative(uop)) {
        is_issued = issue_iterative(core, uop, index, cycles);
    } else if (!has_operands(core, uop)) {
        is_issued = fail(core, uop, index);
    } else if (is_access(uop)) {
        is_issued = issue_access(core, uop, index);
    } else {
        is_issued = true;
        issue_on_unit(core, uop, cycles);
        note_late(core, uop);
    }
    if (is_issued)
        issue_done(core, uop, index);
}

/* Selection is held a cycle longer than issue: the operations selected wait in between. */
IN_INSTANCE bool rsd_replay_issue(struct core *core, struct uop *uop, uint32_t index, int port)
{
    if (uop->ready_at > core->model->replay.ready_by)
        return false;
    uop->replay_from = 0;
    uop->port = (uint8_t)port;
    if (issue_is_iterative(uop))
        return begin_iterative(core, uop, index);
    uint32_t cycles = core->latency[is_access(uop) ? LAT_LOAD : uop->latency];
    uop->true_ready = core->now + cycles;
    if (is_access(uop))
        uop->miss_register = NO_REGISTER;
    if (!all_are_on_time(core) && !has_operands(core, uop))
        return fail(core, uop, index);
    if (is_access(uop))
        return issue_access(core, uop, index);
    issue_on_unit(core, uop, cycles);
    return true;
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* Enters the operations issued replay_cycles ago without valid operands. */
static void push_failed(struct core *core)
{
    struct rsd_replay *fifo = &core->model->replay;
    uint64_t delay = core_config(core)->rsd_replay_cycles;
    const struct replay_entry *failed = &fifo->failed[(core->now - delay) % REPLAY_DELAYS];
    if (failed->cycle + delay != core->now)
        return;
    struct replay_entry *entry = replay_at(core, fifo->tail);
    uint8_t count = 0;
    for (unsigned lane = 0; lane < failed->count; lane++)
        if (alive(core, failed, lane) != NULL) {
            entry->seq[count] = failed->seq[lane];
            entry->id[count++] = failed->id[lane];
        }
    if (count == 0)
        return;
    entry->cycle = core->now;
    entry->count = count;
    entry->gap = (uint32_t)earlier(core->now - fifo->last_push,
                                   core_config(core)->rsd_replay_gap);
    fifo->last_push = core->now;
    fifo->tail++;
}

/* The cycle in which the oldest entry may be issued again; NEVER: there is none. */
static uint64_t pops_at(const struct core *core)
{
    const struct rsd_replay *fifo = &core->model->replay;
    if (fifo->head == fifo->tail)
        return NEVER;
    const struct replay_entry *entry = &fifo->entry[fifo->head % REPLAY_ENTRIES_MAX];
    uint64_t at = later(fifo->last_pop + entry->gap, entry->cycle + 1);
    for (unsigned lane = 0; lane < entry->count; lane++) {
        const struct uop *uop = alive(core, entry, lane);
        if (uop != NULL)
            at = later(at, comes_from(core, uop));
    }
    return at;
}

static void pop(struct core *core)
{
    struct rsd_replay *fifo = &core->model->replay;
    const struct replay_entry *entry = replay_at(core, fifo->head++);
    fifo->last_pop = core->now;
    fifo->flushing -= fifo->flushing != 0;
    core->active = true;
    for (unsigned lane = 0; lane < entry->count; lane++) {
        struct uop *uop = alive(core, entry, lane);
        if (uop != NULL)
            issue_again(core, uop, (uint32_t)(entry->seq[lane] & core->ring_mask));
    }
}

/* True if nothing is in the queue or on its way there. */
static inline bool is_idle(const struct core *core)
{
    const struct rsd_replay *fifo = &core->model->replay;
    return fifo->head == fifo->tail &&
           fifo->last_failed + core_config(core)->rsd_replay_cycles < core->now;
}

/* The issue queues select again. */
static inline void let_select(struct rsd_replay *fifo)
{
    fifo->ready_by = fifo->held_from != 0 ? fifo->held_from : NEVER;
    fifo->held_from = 0;
}

/* A cycle of the queue; true: the issue queues stand still. */
static bool move_queue(struct core *core)
{
    struct rsd_replay *fifo = &core->model->replay;
    bool pops = pops_at(core) <= core->now;
    if (pops)
        pop(core);
    push_failed(core);      /* entries in flight to the queue must find room */
    if (pops || fifo->tail - fifo->head + core->latency[LAT_LOAD] >=
                    core_config(core)->rsd_replay_queue) {
        if (fifo->held_from == 0)
            fifo->held_from = core->now;
        return true;
    }
    let_select(fifo);
    return false;
}

APART bool step_busy(struct core *core)
{
    struct rsd_replay *fifo = &core->model->replay;
    bool has_room = core->latency[LAT_LOAD] < core_config(core)->rsd_replay_queue;
    if (!is_idle(core) || !has_room)
        return move_queue(core);
    let_select(fifo);
    fifo->is_busy = fifo->ready_by != NEVER;
    return false;
}

bool rsd_replay_step(struct core *core)
{
    return core->model->replay.is_busy && step_busy(core);
}

void rsd_replay_undone(struct core *core, const struct uop *uop)
{
    if ((uop->flags & UOP_REPLAYING) == 0)
        return;
    if (issue_is_iterative(uop)) {
        issue_count(core, uop);
        issue_keep_unit(core, uop, uop->port, core->now);
    } else if ((uop->flags & UOP_IS_LOAD) && uop->miss_register != NO_REGISTER) {
        memsys_free_register(core->mem, uop->miss_register,
                             later(core->now, comes_from(core, uop)));
    }
}

uint64_t rsd_replay_next(const struct core *core)
{
    const struct rsd_replay *fifo = &core->model->replay;
    if (is_idle(core))
        return NEVER;
    uint64_t next = later(pops_at(core), core->now);
    uint64_t delay = core_config(core)->rsd_replay_cycles;
    for (uint64_t age = delay; age != 0; age--) {       /* the oldest is the next to be pushed */
        const struct replay_entry *failed = &fifo->failed[(core->now - age) % REPLAY_DELAYS];
        if (failed->cycle == core->now - age && failed->count != 0)
            return earlier(next, failed->cycle + delay);
    }
    return next;
}
