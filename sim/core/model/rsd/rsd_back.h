/* RSD's answers to the questions of back_port.h. Part of rsd.h. */
#ifndef SIM_CORE_MODEL_RSD_RSD_BACK_H
#define SIM_CORE_MODEL_RSD_RSD_BACK_H

#include "sim/base/cycle.h"
#include "sim/core/model/rsd/rsd_answers.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/snapshot.h"

#define PORT_DECODE
static inline bool port_decodes(struct core *core)
{
    if (rsd_in_lock_step(core))
        rsd_front_step(core);
    return rsd_in_lock_step(core);
}
/* The sum of everything freed up to the end of a past cycle. */
static inline uint64_t *rsd_freed_by(const struct core *core, uint64_t cycle)
{
    return &core->model->front.freed_by[cycle % REUSE_CYCLES_MAX];
}
/* One or more cycles have passed; nothing was freed after the first of them. */
static inline void rsd_note_freed(struct core *core, uint64_t cycles)
{
    uint64_t age = earlier(cycles, REUSE_CYCLES_MAX);
    do
        *rsd_freed_by(core, core->now - age) = core->model->front.freed;
    while (--age != 0);
}
static inline void port_passed(struct core *core, uint64_t count)
{
    struct rsd_front *front = &core->model->front;
    rsd_note_freed(core, count);
    if (front->is_held) {
        front->held += count;
        return;
    }
    uint64_t clock = core->now - front->held, age = earlier(count, FRONT_CLOCKS);
    do
        front->fetched[(clock - age) % FRONT_CLOCKS] = core->fetch_seq;
    while (--age != 0);
}
static inline uint64_t port_due(const struct core *core)
{
    uint64_t next = rsd_in_lock_step(core) ? rsd_front_next(core) : NEVER;
    return next > core->now && rsd_replays(core) ? earlier(next, rsd_replay_next(core)) : next;
}

#define PORT_DISPATCH
#define port_is_whole rsd_in_lock_step
static inline uint32_t port_width(struct core *core, uint32_t width, unsigned *cause)
{
    return rsd_in_lock_step(core) ? rsd_front_width(core, width, cause) : width;
}
/* port_width has found room for a group of full width, if the load and store queues can hold
 * one. */
static inline bool port_found_room(const struct core *core)
{
    const struct config *settings = core_config(core);
    return rsd_in_lock_step(core) && settings->lsq_loads >= settings->dispatch_width &&
           settings->lsq_stores >= settings->dispatch_width;
}
static inline void port_dispatched(struct core *core)
{
    if (rsd_in_lock_step(core))
        rsd_front_dispatched(core);
}

#define PORT_LINK
/* A producer that has been issued, even in vain, announces its result as if it had its operands. */
static inline bool port_links(struct core *core, struct uop *uop, unsigned operand,
                              uint64_t writer)
{
    const struct uop *producer = core_uop(core, writer);
    if (!rsd_replays(core))
        return false;
    uop->source[operand] = writer;
    if (producer->state != UOP_ISSUED && (producer->flags & UOP_REPLAYING) == 0)
        return false;
    uop->ready_at = later(uop->ready_at, producer->true_ready);
    return true;
}
static inline bool port_wakes(struct core *core, const struct uop *producer, struct uop *consumer,
                              unsigned operand, uint64_t *ready)
{
    return !rsd_replays(core) || operand != 2 || consumer->kind != KIND_LOAD ||
           rsd_memory_wakes(core, consumer, *ready);
}

#define PORT_REISSUE
#define port_reissues rsd_replays
static inline bool port_issue_step(struct core *core)
{
    return rsd_replays(core) && rsd_replay_step(core);
}
#define port_issue rsd_replay_issue
#define PORT_PLACE
static inline uint64_t port_place_until(const struct core *core, const struct uop *uop)
{
    if (!core_config(core)->rsd_release_with_result)
        return core->now;
    return rsd_replays(core) ? uop->true_ready : core->now + issue_wake_cycles(core, uop);
}

#define PORT_EXECUTED
#define port_completes_early rsd_in_lock_step
static inline bool port_resolves_all(const struct core *core) { return false; }
static inline bool port_is_told_late(struct core *core, const struct uop *uop)
{
    if (rsd_replays(core))
        core_snapshot(core, uop)->port = uop->port;
    return rsd_in_lock_step(core);
}

#define PORT_COMMITTED
static inline void port_committed(struct core *core, uint64_t first)
{
    if (rsd_in_lock_step(core))
        rsd_front_committed(core, first);
}
static inline void port_drained(struct core *core)
{
    if (rsd_in_lock_step(core))
        rsd_front_drained(core);
}

#define PORT_SQUASH
static inline uint64_t port_squash(struct core *core)
{
    return rsd_in_lock_step(core) ? rsd_front_squash(core) : 0;
}
static inline void port_gone(struct core *core, uint64_t keep)
{
    core->model->replay.flushing = core->model->replay.tail - core->model->replay.head;
}
static inline uint64_t port_undo_cycles(const struct core *core)
{
    return rsd_in_lock_step(core) && !core->is_resolving;
}
#define port_undoing rsd_recover_undoing

#define PORT_REDIRECTED
static inline void port_redirected(struct core *core, uint64_t keep, uint64_t end)
{
    if (rsd_in_lock_step(core))
        rsd_front_leak(core, keep, end);
}

#endif
