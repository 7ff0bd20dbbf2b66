/* The event wheel: in which cycle does a waiting instruction have all its operands?
 *
 * Slot c % WHEEL_SLOTS is a bitmap over the instruction ring. An instruction that is further
 * away than the wheel is parked in its last slot and moved on from there. Bits of squashed
 * instructions are not removed: a bit only asks "look at this entry", and the entry answers for
 * itself. */
#include "sim/core/stage.h"

/* Slots are as long as this ring needs: neighbours in time are neighbours in memory. */
static uint64_t *wheel_slot(struct core *core, uint32_t slot)
{
    return &core->wheel[slot * core->ring_words];
}

static void wheel_set(struct core *core, uint32_t index, uint64_t cycle)
{
    uint32_t slot = (uint32_t)(cycle % WHEEL_SLOTS);
    wheel_slot(core, slot)[index / 64] |= UINT64_C(1) << (index % 64);
    core->wheel_used[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static void make_ready(struct core *core, const struct uop *uop, uint32_t index)
{
    uint64_t *word = &core->ready[uop->queue][index / 64];
    uint64_t bit = UINT64_C(1) << (index % 64);
    core->ready_count[uop->queue] += (*word & bit) == 0;
    *word |= bit;
}

void wheel_schedule(struct core *core, uint64_t seq, uint64_t cycle)
{
    uint32_t index = (uint32_t)(seq & core->ring_mask);
    struct uop *uop = &core->ring[index];
    uop->ready_at = cycle;
    if (cycle <= core->now)
        make_ready(core, uop, index);
    else
        wheel_set(core, index,
                  cycle - core->now < WHEEL_SLOTS ? cycle : core->now + WHEEL_SLOTS - 1);
}

static bool is_dispatched(const struct core *core, uint32_t index)
{
    uint32_t first = (uint32_t)(core->commit_seq & core->ring_mask);
    uint32_t count = (uint32_t)(core->dispatch_seq - core->commit_seq);
    return ((index - first) & core->ring_mask) < count;
}

static void wheel_wake(struct core *core, uint32_t index)
{
    struct uop *uop = &core->ring[index];
    if (!is_dispatched(core, index) || uop->state != UOP_WAITING || uop->pending != 0)
        return;
    if (uop->ready_at > core->now)
        wheel_set(core, index, uop->ready_at - core->now < WHEEL_SLOTS
                                   ? uop->ready_at : core->now + WHEEL_SLOTS - 1);
    else
        make_ready(core, uop, index);
}

void wheel_step(struct core *core)
{
    uint32_t slot = (uint32_t)(core->now % WHEEL_SLOTS);
    if ((core->wheel_used[slot / 64] >> (slot % 64) & 1) == 0)
        return;
    core->wheel_used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    uint64_t *words = wheel_slot(core, slot);
    for (uint32_t word = 0; word < core->ring_words; word++) {
        uint64_t bits = words[word];
        words[word] = 0;
        for (; bits != 0; bits &= bits - 1)
            wheel_wake(core, word * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

/* The first cycle after now in which the wheel has something, or NEVER. */
uint64_t wheel_next(const struct core *core)
{
    for (uint64_t ahead = 1; ahead < WHEEL_SLOTS; ahead++) {
        uint32_t slot = (uint32_t)((core->now + ahead) % WHEEL_SLOTS);
        uint64_t rest = core->wheel_used[slot / 64] >> (slot % 64);
        if (rest & 1)
            return core->now + ahead;
        if (rest == 0)
            ahead += 63 - slot % 64;
    }
    return NEVER;
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
        struct uop *consumer = &core->ring[link >> 2];
        unsigned operand = link & 3;
        link = consumer->link_next[operand];
        consumer->linked &= (uint8_t)~(1u << operand);
        uint64_t ready = cycle;
        if (core->extras != 0 && !has_extra_effect(core, uop, consumer, operand, &ready, bypass))
            continue;
        consumer->pending--;
        if (ready > consumer->ready_at)
            consumer->ready_at = ready;
        if (consumer->pending == 0) {
            uint64_t index = (uint64_t)(consumer - core->ring);
            uint64_t age = (index - core->commit_seq) & core->ring_mask;
            wheel_schedule(core, core->commit_seq + age, consumer->ready_at);
        }
    }
}
