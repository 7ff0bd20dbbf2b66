/* The event wheel: in which cycle does a waiting instruction have all its operands?
 *
 * A slot for each of the next WHEEL_SLOTS cycles, modulo, holds for each issue queue a bitmap over
 * the instruction ring: what becomes ready then. When the cycle comes the bitmaps join those of the
 * ready instructions, a word at a time. An instruction that is further away than the wheel is
 * parked in its last slot and moved on from there. What is squashed leaves the wheel. */
#include "sim/core/stage.h"

/* The bitmap of a queue in a slot; slots are as long as this ring and its queues need: neighbours in
 * time are neighbours in memory. */
static uint64_t *wheel_place(struct core *core, unsigned slot, unsigned queue)
{
    return &core->wheel[(slot * core->queue_count + queue) * core->ring_words];
}

static void make_ready(struct core *core, const struct uop *uop, uint32_t index)
{
    core->ready[uop->queue][index / 64] |= UINT64_C(1) << (index % 64);
    core->ready_words[uop->queue] |= (uint16_t)(1u << index / 64);
}

/* In a later cycle. */
static void wheel_set(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    bool is_far = cycle - core->now >= WHEEL_SLOTS;
    unsigned slot = (unsigned)((is_far ? core->now + WHEEL_SLOTS - 1 : cycle) % WHEEL_SLOTS);
    wheel_place(core, slot, uop->queue)[index / 64] |= UINT64_C(1) << (index % 64);
    core->wheel_words[slot][uop->queue] |= (uint16_t)(1u << index / 64);
    core->wheel_used |= UINT64_C(1) << slot;
    core->wheel_parked |= (uint64_t)is_far << slot;
    uop->wheel_slot = (uint8_t)slot;
}

static void schedule(struct core *core, struct uop *uop, uint32_t index, uint64_t cycle)
{
    uop->ready_at = cycle;
    if (cycle <= core->now)
        make_ready(core, uop, index);
    else
        wheel_set(core, uop, index, cycle);
}

void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle)
{
    uint32_t index = (uint32_t)(seq & core->ring_mask);
    schedule(core, &core->ring[index], index, cycle);
}

void wheel_forget(struct core *core, const struct uop *uop, uint32_t index)
{
    uint64_t bit = UINT64_C(1) << (index % 64), *word = &core->ready[uop->queue][index / 64];
    wheel_place(core, uop->wheel_slot, uop->queue)[index / 64] &= ~bit;
    *word &= ~bit;
    if (*word == 0)
        core->ready_words[uop->queue] &= (uint16_t)~(1u << index / 64);
}

/* Those of the slot that were parked there go on. */
static void wheel_move_on(struct core *core, uint64_t *bits, uint32_t first)
{
    for (uint64_t rest = *bits; rest != 0; rest &= rest - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctzll(rest);
        struct uop *uop = &core->ring[index];
        if (uop->ready_at <= core->now)
            continue;
        *bits &= ~(rest & (0 - rest));
        wheel_set(core, uop, index, uop->ready_at);
    }
}

void wheel_step(struct core *core)
{
    unsigned slot = (unsigned)(core->now % WHEEL_SLOTS);
    uint64_t bit = UINT64_C(1) << slot;
    if ((core->wheel_used & bit) == 0)
        return;
    bool has_parked = (core->wheel_parked & bit) != 0;
    core->wheel_used &= ~bit;
    core->wheel_parked &= ~bit;
    for (unsigned queue = 0; queue < core->queue_count; queue++) {
        uint64_t *place = wheel_place(core, slot, queue);
        unsigned words = core->wheel_words[slot][queue];
        core->wheel_words[slot][queue] = 0;
        for (; words != 0; words &= words - 1) {
            unsigned word = (unsigned)__builtin_ctz(words);
            uint64_t bits = place[word];
            place[word] = 0;
            if (has_parked)
                wheel_move_on(core, &bits, word * 64);
            core->ready[queue][word] |= bits;
            core->ready_words[queue] |= (uint16_t)((bits != 0) << word);
        }
    }
}

/* The first cycle from now on in which the wheel has something, or NEVER. */
uint64_t wheel_next(const struct core *core)
{
    unsigned slot = (unsigned)(core->now % WHEEL_SLOTS);
    uint64_t used = core->wheel_used >> slot | core->wheel_used << (WHEEL_SLOTS - slot) % WHEEL_SLOTS;
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
    if ((core->extras & EXTRA_STORE_DATA) && operand == 1 && consumer->kind == KIND_STORE) {
        lsu_take_data(core, consumer, *ready);
        return false;
    }
    if (bypass < *ready && is_simple(consumer))
        *ready = consumer->bypass_cycle = bypass;
    if (core->extras & EXTRA_REPLAY) {
        if (*ready > consumer->true_ready)
            consumer->true_ready = *ready;
        if (*ready == uop->complete_cycle)
            *ready = rename_expected(core, uop);
    }
    return true;
}

void wheel_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
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
        if (core->extras != 0 && !has_extra_effect(core, uop, consumer, operand, &ready, bypass))
            continue;
        consumer->pending--;
        if (ready > consumer->ready_at)
            consumer->ready_at = ready;
        if (consumer->pending == 0)
            schedule(core, consumer, index, consumer->ready_at);
    }
}
