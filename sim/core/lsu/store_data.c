/* Stores as two micro-operations: one for the address, one for the data (lsq.store_data =
 * micro_op). Only with EXTRA_STORE_UOPS, except for data of a store of one operation.
 *
 * The address is the instruction's own operation, of class store. Its data are of class int_data or
 * fp_data, and issue when their operand is ready, to the store queue, where they arrive a cycle
 * later. A queue with both classes has one entry for both. It issues the ready parts, both at once
 * if the port takes both, and is freed by the last (BOOM: uopSTA, uopSTD,
 * v3/exu/issue-units/issue-slot.scala). Otherwise the data have a place in a queue of their own
 * (C910: SDIQ). A store completes when both have been issued.
 *
 * Left out: data that issue in vain after a load that missed: here they wait for its value. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

static unsigned data_class(const struct uop *uop)
{
    return uop->insn.rs2 >= REG_F0 ? CLASS_FP_DATA : CLASS_INT_DATA;
}

static bool is_shared(const struct uop *uop)
{
    return uop->data_word == uop->queue_word;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* The address's queue if it holds data too; else the emptiest one. */
bool store_data_has_place(const struct core *core, struct uop *uop)
{
    uint32_t queues = core_shape(core)->class_queues[data_class(uop)];
    uop->data_queue = uop->queue;
    if (queues >> uop->queue & 1)
        return true;
    uop->data_queue = (uint8_t)issue_queue_emptiest(&core->iq, queues);
    return uop->data_queue != QUEUE_SEVERAL;
}

void store_data_enter(struct core *core, struct uop *uop, uint32_t index)
{
    uop->data_state = DATA_WAITING;
    uop->data_word = (uint16_t)issue_queue_word(core_shape(core), uop->data_queue, index);
    if (is_shared(uop)) {
        uop->data_slot = uop->slot;
    } else {
        core->iq.queue_used[uop->data_queue]++;
        if (core_extras(core) & EXTRA_SLOTS)
            uop->data_slot = slots_take(core, uop->data_queue);
    }
    if (uop->data_ready != NEVER)
        wheel_schedule_data(core, index, later(uop->data_ready, core->now + 1));
}

/* Their operand can be used from `cycle` on. */
void store_data_operand(struct core *core, struct uop *uop, uint64_t cycle)
{
    wheel_schedule_data(core, (uint32_t)(uop - core->ring), later(cycle, uop->dispatch_cycle + 1));
}

/* ---- issue ----------------------------------------------------------------------------------- */

void store_data_come(struct core *core, struct uop *uop, uint64_t cycle)
{
    uop->data_at = cycle;
    if (uop->state != UOP_ISSUED)
        return;
    if (port_searches(core)) {
        port_data_comes(core, uop);
        return;
    }
    uop->complete_cycle = cycle > uop->issue_cycle ? cycle : uop->issue_cycle + 1;
    uint64_t ready = uop->complete_cycle - 1;
    if (core_extras(core) & EXTRA_STORE_UOPS) /* loads that wait are issued after the data */
        ready = uop->complete_cycle;
    store_queue_at(core, uop->store_number)->data_ready = uop->complete_cycle;
    uop->complete_cycle += core_config(core)->latency_store - 1;
    if (store_queue_at(core, uop->store_number)->violator != NEVER)
        violation_keep_store(core, uop, uop->issue_cycle);
    if (uop->dependents != NO_LINK)
        wake_publish(core, uop, ready, ready);
}

bool store_data_is_ready(const struct core *core, const struct uop *uop)
{
    return uop->data_state == DATA_WAITING && uop->data_ready <= core->now;
}

bool store_data_has_address(const struct core *core, const struct uop *uop)
{
    return uop->state == UOP_WAITING && uop->pending == 0 && uop->ready_at <= core->now;
}

unsigned store_data_class(const struct core *core, const struct uop *uop, unsigned queue)
{
    bool is_address = queue == uop->queue && store_data_has_address(core, uop);
    return is_address ? CLASS_STORE : data_class(uop);
}

void store_data_issue(struct core *core, struct uop *uop, unsigned queue, unsigned port)
{
    if (queue != uop->data_queue || !store_data_is_ready(core, uop) ||
        (core->iq.class_ports[queue][data_class(uop)] >> port & 1) == 0)
        return;
    uop->data_state = DATA_ISSUED;
    if (!is_shared(uop) || uop->state == UOP_ISSUED)
        places_leave_at(core, uop, uop->data_queue, uop->data_slot);
    if (!issue_is_at_once(core_extras(core)))        /* else the bit belongs to the address now */
        wheel_leave_ready_word(core, uop->data_word, (uint32_t)(uop - core->ring));
    store_data_come(core, uop, core->now + 1);
}

bool store_data_stays(const struct core *core, const struct uop *uop)
{
    return is_shared(uop) && store_data_is_ready(core, uop);
}

/* The address was issued, or must wait, on a port that does not take the data. */
void store_data_stay(struct core *core, const struct uop *uop, uint32_t index)
{
    if (store_data_stays(core, uop))
        wheel_schedule_data(core, index, uop->data_ready);
}

/* ---- squash ---------------------------------------------------------------------------------- */

/* The store is squashed. The caller frees the place of its address, if it has one. */
void store_data_squash(struct core *core, struct uop *uop)
{
    if (uop->data_state != DATA_WAITING)
        return;
    uop->data_state = DATA_NONE;
    if (uop->data_ready != NEVER)
        wheel_forget_data(core, uop, (uint32_t)(uop - core->ring));
    if (!is_shared(uop) || uop->state == UOP_ISSUED)
        places_leave_at(core, uop, uop->data_queue, uop->data_slot);
}
