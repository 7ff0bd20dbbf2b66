/* The event wheel: the cycle in which a waiting instruction has all its operands.
 *
 * Each slot of the wheel stands for one of the next WHEEL_SLOTS cycles, modulo. It has, for each
 * issue queue, a bitmap of the instructions that become ready in that cycle (struct ring_shape).
 * When the cycle comes, the bitmaps are merged into those of the ready instructions, a word at a
 * time. An instruction whose cycle is further away is parked in the last slot and moved on from
 * there. Squashed instructions leave the wheel. */
#include "sim/core/pipe/wheel.h"

#include "sim/core/pipe/stage_queue.h"

void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle)
{
    uint32_t index = (uint32_t)(seq & core_ring_mask(core));
    wheel_add(core, core_at(core, index), index, cycle);
}

void wheel_schedule_data(struct core *core, uint32_t index, uint64_t cycle)
{
    struct uop *uop = core_at(core, index);
    uop->data_ready = cycle;
    if (cycle > core->now) {
        uop->data_wheel_slot = wheel_set_word(core, uop->data_word, index, cycle);
    } else {
        core->iq.ready[uop->data_word] |= wheel_ring_bit(index);
        core->iq.ready_groups |= wheel_group_bit(core, uop->data_word);
    }
}

void wheel_leave_words(struct core *core, unsigned word)
{
    unsigned log2 = core_shape(core)->group_log2, first = word >> log2 << log2;
    for (unsigned i = 0; i < 1u << log2; i++)
        if (core->iq.ready[first + i] != 0)
            return;
    core->iq.ready_groups &= ~wheel_group_bit(core, word);
}

void wheel_leave_ready_word(struct core *core, unsigned word, uint32_t index)
{
    uint64_t *ready = &core->iq.ready[word];
    *ready &= ~wheel_ring_bit(index);
    if (*ready == 0)
        wheel_leave_group(core, word);
}

void wheel_leave_ready(struct core *core, const struct uop *uop, uint32_t index)
{
    wheel_leave_ready_word(core, uop->queue_word, core_queue_bit(core, uop, index));
}

void wheel_forget_data(struct core *core, const struct uop *uop, uint32_t index)
{
    wheel_slot(core, uop->data_wheel_slot)[uop->data_word] &= ~wheel_ring_bit(index);
    wheel_leave_ready_word(core, uop->data_word, index);
}

void wheel_forget(struct core *core, const struct uop *uop, uint32_t index)
{
    uint32_t bit = core_queue_bit(core, uop, index);
    wheel_slot(core, uop->wheel_slot)[uop->queue_word] &= ~wheel_ring_bit(bit);
    wheel_leave_ready(core, uop, index);
}

/* Handles a store of two micro-operations, one or both of which were parked in this word of the
 * slot whose cycle has come; the other may be parked elsewhere. True: one is due. */
static bool move_parts(struct core *core, struct uop *uop, unsigned word, uint32_t index)
{
    unsigned slot = (unsigned)(core->now % WHEEL_SLOTS);
    bool is_due = false;
    if (word == uop->queue_word && slot == uop->wheel_slot && uop->state == UOP_WAITING &&
        uop->pending == 0) {
        is_due = uop->ready_at <= core->now;
        if (!is_due)
            wheel_set(core, uop, index, uop->ready_at);
    }
    if (word == uop->data_word && slot == uop->data_wheel_slot &&
        uop->data_state == DATA_WAITING && uop->data_ready != NEVER) {
        if (uop->data_ready > core->now)
            uop->data_wheel_slot = wheel_set_word(core, word, index, uop->data_ready);
        else
            is_due = true;
    }
    return is_due;
}

/* Moves on the instructions of one word of the slot that were parked there; returns the others. */
SELDOM static uint64_t move_on(struct core *core, unsigned word, uint64_t bits)
{
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(rest);
        uint32_t index = core_ring_place(core, word, bit);
        struct uop *uop = core_at(core, index);
        if ((core_extras(core) & EXTRA_STORE_UOPS) && uop->unit_class == CLASS_STORE) {
            bits &= move_parts(core, uop, word, index) ? UINT64_MAX : ~wheel_ring_bit(index);
            continue;
        }
        if (uop->ready_at <= core->now)
            continue;
        bits &= ~wheel_ring_bit(bit);
        wheel_set(core, uop, index, uop->ready_at);
    }
    return bits;
}

void wheel_step(struct core *core)
{
    unsigned slot = (unsigned)(core->now % WHEEL_SLOTS), group_log2 = core_shape(core)->group_log2;
    uint64_t bit = UINT64_C(1) << slot, groups = core->iq.wheel_groups[slot];
    uint64_t *words = wheel_slot(core, slot);
    bool has_parked = (core->iq.wheel_parked & bit) != 0;
    core->iq.wheel_parked &= ~bit;
    core->iq.wheel_groups[slot] = 0;
    for (; groups != 0; groups &= groups - 1) {
        unsigned group = (unsigned)__builtin_ctzll(groups), word = group << group_log2;
        do {
            uint64_t bits = words[word];
            words[word] = 0;
            if (has_parked)
                bits = move_on(core, word, bits);
            core->iq.ready[word] |= bits;
            core->iq.ready_groups |= (uint64_t)(bits != 0) << group;
        } while (++word >> group_log2 == group);
    }
}

/* The first cycle from now on in which the wheel has something, if it comes before `end`, or
 * `end`. */
uint64_t wheel_next(const struct core *core, uint64_t end)
{
    uint64_t last = earlier(end, core->now + WHEEL_SLOTS);
    for (uint64_t cycle = core->now; cycle < last; cycle++)
        if (core->iq.wheel_groups[cycle % WHEEL_SLOTS] != 0)
            return cycle;
    return end;
}
