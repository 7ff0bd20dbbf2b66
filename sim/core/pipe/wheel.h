/* Adding to the event wheel (wheel.c), inline for callers in each cycle. */
#ifndef SIM_CORE_PIPE_WHEEL_H
#define SIM_CORE_PIPE_WHEEL_H

#include "sim/core/pipe/core_state.h"

/* A slot is as long as this ring and its queues need, so that neighbours in time are neighbours in
 * memory. */
static inline uint64_t *wheel_slot(struct core *core, unsigned slot)
{
    return &core->iq.wheel[slot * core_shape(core)->slot_words];
}

static inline uint64_t wheel_group_bit(const struct core *core, unsigned word)
{
    return UINT64_C(1) << (word >> core_shape(core)->group_log2);
}

/* The word of the bitmaps is 0 now, and its group may be. */
void wheel_leave_words(struct core *core, unsigned word);
static inline void wheel_leave_group(struct core *core, unsigned word)
{
    if (core_shape(core)->group_log2 == 0)
        core->iq.ready_groups &= ~(UINT64_C(1) << word);
    else
        wheel_leave_words(core, word);
}

/* index: core_queue_bit(). */
static inline uint64_t wheel_ring_bit(uint32_t index)
{
    return UINT64_C(1) << (index % 64);
}

/* For a later cycle; returns the slot. */
static inline uint8_t wheel_set_word(struct core *core, unsigned word, uint32_t index,
                                     uint64_t cycle)
{
    unsigned slot = (unsigned)(cycle % WHEEL_SLOTS);
    if (cycle - core->now >= WHEEL_SLOTS) {
        slot = (unsigned)((core->now + WHEEL_SLOTS - 1) % WHEEL_SLOTS);
        core->iq.wheel_parked |= UINT64_C(1) << slot;
    }
    wheel_slot(core, slot)[word] |= wheel_ring_bit(index);
    core->iq.wheel_groups[slot] |= wheel_group_bit(core, word);
    return (uint8_t)slot;
}

static inline void wheel_set(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    uint32_t bit = core_queue_bit(core, uop, index);
    uop->wheel_slot = wheel_set_word(core, uop->queue_word, bit, cycle);
}

static inline void wheel_set_ready(struct core *core, const struct uop *uop, uint32_t index)
{
    core->iq.ready[uop->queue_word] |= wheel_ring_bit(core_queue_bit(core, uop, index));
    core->iq.ready_groups |= wheel_group_bit(core, uop->queue_word);
}

static inline void wheel_add(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    uop->ready_at = cycle;
    if (cycle > core->now)
        wheel_set(core, uop, index, cycle);
    else
        wheel_set_ready(core, uop, index);
}

/* The same for its ready_at, when issue does not look at the ready instructions again in this
 * cycle: an instruction that becomes ready in the next cycle joins them at once. */
static inline void wheel_add_soon(struct core *core, struct uop *uop, uint32_t index)
{
    if (uop->ready_at > core->now + 1)
        wheel_set(core, uop, index, uop->ready_at);
    else
        wheel_set_ready(core, uop, index);
}

#endif
