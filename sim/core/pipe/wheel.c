/* The event wheel: in which cycle does a waiting instruction have all its operands?
 *
 * A slot for each of the next WHEEL_SLOTS cycles, modulo, holds for each issue queue a bitmap over
 * the instruction ring: what becomes ready then. When the cycle comes the bitmaps join those of the
 * ready instructions, a word at a time. An instruction that is further away than the wheel is
 * parked in its last slot and moved on from there. What is squashed leaves the wheel. */
#include "sim/core/pipe/stage.h"

/* Slots are as long as this ring and its queues need: neighbours in time are neighbours in
 * memory. */
static inline uint64_t *wheel_slot(struct core *core, unsigned slot)
{
    return &core->iq.wheel[slot * core_shape(core)->slot_words];
}

static inline uint64_t group_bit(const struct core *core, unsigned word)
{
    return UINT64_C(1) << (word >> core_shape(core)->group_log2);
}

static inline uint64_t ring_bit(uint32_t index)
{
    return UINT64_C(1) << (index % 64);
}

/* In a later cycle; returns the slot. */
static inline uint8_t set_word(struct core *core, unsigned word, uint32_t index, uint64_t cycle)
{
    unsigned slot = (unsigned)(cycle % WHEEL_SLOTS);
    if (cycle - core->now >= WHEEL_SLOTS) {
        slot = (unsigned)((core->now + WHEEL_SLOTS - 1) % WHEEL_SLOTS);
        core->iq.wheel_parked |= UINT64_C(1) << slot;
    }
    wheel_slot(core, slot)[word] |= ring_bit(index);
    core->iq.wheel_groups[slot] |= group_bit(core, word);
    core->iq.wheel_used |= UINT64_C(1) << slot;
    return (uint8_t)slot;
}

static inline void wheel_set(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    uop->wheel_slot = set_word(core, uop->queue_word, index, cycle);
}

static inline void schedule(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    uop->ready_at = cycle;
    if (cycle > core->now) {
        wheel_set(core, uop, index, cycle);
    } else {
        core->iq.ready[uop->queue_word] |= ring_bit(index);
        core->iq.ready_groups |= group_bit(core, uop->queue_word);
    }
}

void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle)
{
    uint32_t index = (uint32_t)(seq & core->ring_mask);
    schedule(core, &core->ring[index], index, cycle);
}

void wheel_schedule_data(struct core *core, uint32_t index, uint64_t cycle)
{
    struct uop *uop = &core->ring[index];
    uop->data_ready = cycle;
    if (cycle > core->now) {
        uop->data_wheel_slot = set_word(core, uop->data_word, index, cycle);
    } else {
        core->iq.ready[uop->data_word] |= ring_bit(index);
        core->iq.ready_groups |= group_bit(core, uop->data_word);
    }
}

void wheel_leave_group(struct core *core, unsigned word)
{
    unsigned log2 = core_shape(core)->group_log2, first = word >> log2 << log2;
    for (unsigned i = 0; i < 1u << log2 && log2 != 0; i++)
        if (core->iq.ready[first + i] != 0)
            return;
    core->iq.ready_groups &= ~group_bit(core, word);
}

void wheel_leave_ready_word(struct core *core, unsigned word, uint32_t index)
{
    uint64_t *ready = &core->iq.ready[word];
    *ready &= ~ring_bit(index);
    if (*ready == 0)
        wheel_leave_group(core, word);
}

void wheel_leave_ready(struct core *core, const struct uop *uop, uint32_t index)
{
    wheel_leave_ready_word(core, uop->queue_word, index);
}

void wheel_forget_data(struct core *core, const struct uop *uop, uint32_t index)
{
    wheel_slot(core, uop->data_wheel_slot)[uop->data_word] &= ~ring_bit(index);
    wheel_leave_ready_word(core, uop->data_word, index);
}

void wheel_forget(struct core *core, const struct uop *uop, uint32_t index)
{
    wheel_slot(core, uop->wheel_slot)[uop->queue_word] &= ~ring_bit(index);
    wheel_leave_ready(core, uop, index);
}

/* A store of two micro-operations, of which one or both were parked in the word of the slot whose
 * cycle has come; the other may be parked elsewhere. True: one is due. */
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
            uop->data_wheel_slot = set_word(core, word, index, uop->data_ready);
        else
            is_due = true;
    }
    return is_due;
}

/* Those of one word of the slot that were parked there go on; returns the others. */
static uint64_t move_on(struct core *core, unsigned word, uint64_t bits)
{
    uint32_t first = (word & (core->ring_words - 1)) * 64;
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctzll(rest);
        struct uop *uop = &core->ring[index];
        if ((core_extras(core) & EXTRA_STORE_UOPS) && uop->unit_class == CLASS_STORE) {
            bits &= move_parts(core, uop, word, index) ? UINT64_MAX : ~ring_bit(index);
            continue;
        }
        if (uop->ready_at <= core->now)
            continue;
        bits &= ~ring_bit(index);
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
    core->iq.wheel_used &= ~bit;
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

/* The first cycle from now on in which the wheel has something, or NEVER. */
uint64_t wheel_next(const struct core *core)
{
    unsigned slot = (unsigned)(core->now % WHEEL_SLOTS);
    uint64_t used = core->iq.wheel_used >> slot |
                    core->iq.wheel_used << (WHEEL_SLOTS - slot) % WHEEL_SLOTS;
    return used == 0 ? NEVER : core->now + (unsigned)__builtin_ctzll(used);
}

static bool is_simple(const struct uop *uop)
{
    return uop->unit_class == CLASS_ALU || uop->unit_class == CLASS_SHIFT;
}

/* What the settings change about one consumer; *ready: when it becomes ready. False: it does not
 * wait for this operand. */
static bool has_extra_effect(struct core *core, const struct uop *uop, struct uop *consumer,
                             unsigned operand, uint64_t *ready, uint64_t bypass)
{
    if ((core_extras(core) & EXTRA_FIFO) && operand == 2 && consumer->kind == KIND_LOAD)
        return !memdep_waits_on(core, consumer, *ready);
    bool is_data = operand == 1 && consumer->kind == KIND_STORE;
    if ((core_extras(core) & EXTRA_SEARCH) && uop->kind == KIND_LOAD)
        *ready = lsu_search_wakes(core, uop, consumer, is_data, *ready);
    if ((core_extras(core) & EXTRA_STORE_DATA) && is_data) {
        if (core_extras(core) & EXTRA_STORE_UOPS)
            store_data_operand(core, consumer, *ready);
        else
            lsu_take_data(core, consumer, *ready);
        return false;
    }
    if ((core_extras(core) & EXTRA_ADDEND) && *ready == uop->complete_cycle)
        *ready = rename_addend(core, uop, consumer, operand);
    if ((core_extras(core) & EXTRA_BYPASS) && bypass < *ready && is_simple(consumer))
        *ready = consumer->bypass_cycle = bypass;
    if (core_extras(core) & EXTRA_REPLAY) {
        if (*ready > consumer->true_ready)
            consumer->true_ready = *ready;
        if (*ready == uop->complete_cycle)
            *ready = rename_expected(core, uop);
    }
    return true;
}

IN_BOTH void publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass,
                     const uint64_t extras)
{
    uint16_t link = uop->dependents;
    uop->dependents = NO_LINK;
    while (link != NO_LINK) {
        uint32_t index = link >> 2;
        struct uop *consumer = &core->ring[index];
        unsigned operand = link & 3;
        link = consumer->link_next[operand];
        consumer->linked &= (uint8_t)~(1u << operand);
        uint64_t ready = cycle;
        if (extras != 0 && !has_extra_effect(core, uop, consumer, operand, &ready, bypass))
            continue;
        consumer->pending--;
        if (ready > consumer->ready_at)
            consumer->ready_at = ready;
        if (consumer->pending == 0)
            schedule(core, consumer, index, consumer->ready_at);
    }
}

APART void publish_with_extras(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
{
    publish(core, uop, cycle, bypass, core_extras(core));
}

void wheel_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
{
    if (core_is_plain(core))
        publish(core, uop, cycle, bypass, 0);
    else
        publish_with_extras(core, uop, cycle, bypass);
}
