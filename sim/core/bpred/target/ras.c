/* Return-address stack, and its repair after a misprediction: none; the pointer; the pointer and
 * the entry it points to; or every entry (Skadron, Ahuja, Martonosi, Clark, "Improving Prediction
 * for Procedure Returns with Return-Address-Stack Repair Mechanisms", MICRO 1998). Full repair
 * undoes wrong-path pushes one by one from the overwritten entries. Without repair, the actions
 * that a wrong path has done stay; those that it had not done when it was squashed are dropped.
 *
 * Or commit has a second, shorter stack, from which the first is loaded when a mispredicted
 * instruction commits, and at a flush, as in the C910 (ct_ifu_ras.v). Its pointers count to twice
 * the entries, so that a full stack and an empty one differ: the upper half is the wrap bit. The
 * wrap bits alone determine how far down the loaded stack may be popped: not at all if they agree,
 * to the beginning if fetch and commit disagree. So most entries are lost, and entries pushed
 * before a misprediction do not come back. Calls and returns act on it RAS_STAGE cycles after their
 * fetch (IB), unless a squash comes first; a return reads it one cycle earlier (IP, ras_target_pc):
 * it sees a push of that cycle, but not the pop of a return fetched in the cycle before it, and
 * then uses the same target. */
#include "sim/core/bpred/target/targets.h"

#include <string.h>

void ras_init(struct ras *ras, const struct config *config, struct arena *arena)
{
    struct ras_shape *shape = &ras->shape;
    shape->entries = config->bpred_ras_entries;
    bool is_power = shape->entries != 0 && (shape->entries & (shape->entries - 1)) == 0;
    shape->mask = is_power ? shape->entries - 1 : 0;
    shape->inverse = shape->entries != 0 ? UINT64_MAX / shape->entries + 1 : 0;
    shape->repair = (uint8_t)config->bpred_ras_repair;
    shape->saves_below = shape->repair == RAS_TOP_ENTRY;
    shape->drops = config->part_ras_overflow != 0;
    ras->entry = arena_take(arena, shape->entries, sizeof ras->entry[0]);
    shape->kept_entries = (uint16_t)config->part_ras_kept;
    if (shape->repair == RAS_COMMITTED)
        ras->kept = arena_take(arena, shape->kept_entries, sizeof ras->kept[0]);
}

static uint16_t up(const struct ras *ras, uint16_t pointer)
{
    return (uint16_t)((pointer + 1u) % (2 * ras_shape(ras)->entries));
}

static uint16_t down(const struct ras *ras, uint16_t pointer)
{
    const struct ras_shape *shape = ras_shape(ras);
    return (uint16_t)((pointer + 2 * shape->entries - 1u) % (2 * shape->entries));
}

static bool is_full(const struct ras *ras)
{
    const struct ras_shape *shape = ras_shape(ras);
    return ras->top == (ras->bottom + shape->entries) % (2 * shape->entries);
}

void ras_push_unsaved(struct ras *ras, uint64_t value)
{
    ras->entry[ras->top % ras_shape(ras)->entries] = value;
    if (is_full(ras))
        ras->bottom = up(ras, ras->bottom);
    ras->top = up(ras, ras->top);
}

/* From a full stack the bottom goes down too, and to the beginning once it is there. */
uint64_t ras_pop_unsaved(struct ras *ras)
{
    const struct ras_shape *shape = ras_shape(ras);
    if (is_full(ras))
        ras->bottom = ras->bottom % shape->entries == 0 ? 0 : down(ras, ras->bottom);
    ras->top = down(ras, ras->top);
    return ras->entry[ras->top % shape->entries];
}

static void note(struct ras *ras, uint64_t now, bool is_push, uint64_t value)
{
    ras->op[ras->op_count++ % RAS_OPS] = (struct ras_op){
        .cycle = now, .replaced = ras->entry[ras->top % ras_shape(ras)->entries], .pushed = value,
        .top = ras->top, .bottom = ras->bottom, .is_push = is_push,
    };
}

/* The action `i` places before the youngest, or NULL. */
static const struct ras_op *op_back(const struct ras *ras, uint32_t i)
{
    return i < ras->op_count && i < RAS_OPS ? &ras->op[(ras->op_count - 1 - i) % RAS_OPS] : NULL;
}

void ras_push_at(struct ras *ras, uint64_t now, uint64_t value)
{
    note(ras, now, true, value);
    ras_push_unsaved(ras, value);
}

static uint64_t top_of(const struct ras *ras, uint16_t top)
{
    return ras->entry[down(ras, top) % ras_shape(ras)->entries];
}

static uint64_t valid_top(const struct ras *ras)
{
    return ras->top == ras->bottom ? 0 : top_of(ras, ras->top);
}

/* Commit acts before fetch here; the stage after fetch, which reads, does not see the loaded stack
 * yet. */
uint64_t ras_read_at(const struct ras *ras, uint64_t now)
{
    return ras->loaded == now ? ras->before : valid_top(ras);
}

uint64_t ras_pop_at(struct ras *ras, uint64_t now)
{
    const struct ras_op *last = op_back(ras, 0);
    bool is_early = last != NULL && !last->is_push && last->cycle + 1 == now;
    uint16_t top = is_early ? last->top : ras->top, bottom = is_early ? last->bottom : ras->bottom;
    uint64_t seen = top == bottom ? 0 : top_of(ras, top);
    note(ras, now, false, 0);
    if (ras->top != ras->bottom)
        ras_pop_unsaved(ras);
    return seen;
}

/* The stack is read in the cycle before: with the actions done by then, and the pushes of the last
 * two stages. */
uint64_t ras_early_top(const struct ras *ras, uint64_t now)
{
    const struct ras_op *op;
    uint16_t top = ras->top;
    uint64_t pushed[2] = {0};
    if (now <= ras->loaded + RAS_STAGE)
        return ras->before_early;
    for (uint32_t i = 0; (op = op_back(ras, i)) != NULL && op->cycle + RAS_STAGE + 1 >= now; i++) {
        uint64_t age = now - op->cycle;
        top = op->top;
        if (op->is_push && age >= RAS_STAGE)
            pushed[age - RAS_STAGE] = op->pushed;
    }
    return pushed[1] != 0 ? pushed[1] : pushed[0] != 0 ? pushed[0] : top_of(ras, top);
}

void ras_squash(struct ras *ras, uint64_t now)
{
    const struct ras_op *op;
    for (uint32_t i = 0; i < RAS_OPS && (op = op_back(ras, 0)) != NULL; i++) {
        if (op->cycle + RAS_STAGE < now)
            return;
        if (op->is_push)
            ras->entry[op->top % ras_shape(ras)->entries] = op->replaced;
        ras->top = op->top;
        ras->bottom = op->bottom;
        ras->op_count--;
    }
}

void ras_commit(struct ras *ras, bool is_call, bool is_return, uint64_t value)
{
    const struct ras_shape *shape = ras_shape(ras);
    if (shape->entries == 0)
        return;
    if (is_call) {
        ras->kept[ras->kept_top % shape->entries % shape->kept_entries] = value;
        ras->last_call = ras->kept_top % (uint16_t)shape->entries;
    }
    if (is_call && !is_return)
        ras->kept_top = up(ras, ras->kept_top);
    else if (is_return && !is_call && ras->kept_top != ras->bottom)
        ras->kept_top = down(ras, ras->kept_top);
}

/* Writes the entries up to that of the last call, as many as were stored. */
void ras_load(struct ras *ras, uint64_t now)
{
    const struct ras_shape *shape = ras_shape(ras);
    uint32_t entries = shape->entries;
    if (shape->repair != RAS_COMMITTED || entries == 0)
        return;
    ras->before = valid_top(ras);
    ras->before_early = top_of(ras, ras->top);
    ras->loaded = now;
    for (uint32_t i = 0; i < shape->kept_entries && i < entries; i++) {
        uint32_t at = (ras->last_call + entries - i) % entries;
        ras->entry[at] = ras->kept[at % shape->kept_entries];
    }
    bool agree = ras->kept_top / entries == ras->top / entries;
    uint32_t bottom = ras->bottom / entries * entries + ras->kept_top % entries;
    ras->bottom = (uint16_t)(agree ? bottom : 0);
    ras->top = ras->kept_top;
    ras->op_count = 0;
}

void ras_delay_init(struct ras_delay *delay, const struct config *config, struct arena *arena)
{
    delay->stage = config->bpred_ras_repair == RAS_NONE && config->bpred_ras_entries != 0
                       ? config->part_ras_stage : 0;
    if (delay->stage != 0)
        ras_init(&delay->moved, config, arena);
}

/* The oldest actions take effect: those due by `now`, and at least `least` of them. */
static void apply(struct ras_delay *delay, uint64_t now, uint32_t least)
{
    uint32_t done = 0;
    while (done < delay->moves && (done < least || delay->move[done].cycle <= now)) {
        uint64_t value = delay->move[done++].value;
        if (value != 0)
            ras_push(&delay->moved, value);
        else
            ras_pop(&delay->moved);
    }
    delay->moves -= done;
    for (uint32_t i = 0; i < delay->moves; i++)
        delay->move[i] = delay->move[done + i];
}

void ras_delay_note(struct ras_delay *delay, uint64_t now, uint64_t value)
{
    apply(delay, now, delay->moves == RAS_MOVES);
    delay->move[delay->moves++] = (struct ras_move){now + delay->stage, value};
}

void ras_delay_squash(struct ras_delay *delay, uint64_t now, struct ras *ras)
{
    apply(delay, now, 0);
    delay->moves = 0;
    memcpy(ras->entry, delay->moved.entry, ras_shape(ras)->entries * sizeof ras->entry[0]);
    ras->top = delay->moved.top;
    ras->bottom = delay->moved.bottom;
}

uint64_t ras_storage(const struct ras *ras)
{
    const struct ras_shape *shape = ras_shape(ras);
    uint64_t bits = (uint64_t)shape->entries * ADDRESS_BITS + log2_of(shape->entries);
    if (shape->repair == RAS_COMMITTED)
        bits += (uint64_t)shape->kept_entries * ADDRESS_BITS;
    return shape->entries == 0 ? 0 : bits;
}
