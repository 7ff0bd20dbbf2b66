/* See history.h. */
#include "sim/core/bpred/history.h"

#include <assert.h>
#include <string.h>

unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits)
{
    const unsigned width[FOLDS] = {index_bits, tag_bits, tag_bits - 1};
    assert(history->tables < HISTORY_TABLES && length <= HISTORY_MAX);
    assert(index_bits >= 1 && index_bits <= 16 && tag_bits >= 2 && tag_bits <= 16);
    unsigned table = history->tables++;
    history->length[table] = (uint16_t)length;
    for (unsigned i = 0; i < FOLDS; i++) {
        history->shape[i].mask.of[table] = (uint16_t)((1u << width[i]) - 1);
        history->shape[i].top.of[table] = (uint16_t)(1u << (width[i] - 1));
        history->shape[i].out.of[table] = (uint16_t)(1u << length % width[i]);
    }
    return table;
}

void history_place(struct history *history, uint32_t in_flight, struct arena *arena)
{
    if (history->tables != 0)
        history->saved = arena_take(arena, in_flight, sizeof history->saved[0]);
}

/* base to the count-th power. */
static double power(double base, unsigned count)
{
    double result = 1;
    while (count-- != 0)
        result *= base;
    return result;
}

/* The ratio by halving: plain arithmetic gives the same lengths on every host. */
void history_lengths(unsigned count, unsigned min, unsigned max, uint16_t length[])
{
    double low = 1, high = (double)max / min;
    for (unsigned i = 0; i < 64 && count > 1; i++) {
        double middle = (low + high) / 2;
        if (power(middle, count - 1) * min < max)
            low = middle;
        else
            high = middle;
    }
    for (unsigned i = 0; i < count; i++) {
        length[i] = (uint16_t)(power(high, i) * min + 0.5);
        if (i != 0 && length[i] <= length[i - 1])
            length[i] = (uint16_t)(length[i - 1] + 1);
    }
}

bool history_at(const struct history *history, unsigned age)
{
    return history->bit[(history->at.position - 1 - age) % HISTORY_BITS] != 0;
}

/* The new bit enters below, the highest comes round, and the bit that left the history is taken
 * out. `left`: all ones where that bit is set. */
static inline void fold_push(fold_lanes *fold, const struct fold_shape *shape, uint16_t bit,
                             const fold_lanes *left)
{
    for (unsigned p = 0; p < HISTORY_TABLES / LANES; p++) {
        lane_vector old = fold->part[p], top = shape->top.part[p];
        lane_vector round = (lane_vector)((old & top) == top) & 1;
        lane_vector out = left->part[p] & shape->out.part[p];
        fold->part[p] = ((old << 1 | bit) ^ round ^ out) & shape->mask.part[p];
    }
}

void history_push(struct history *history, bool bit)
{
    uint32_t position = history->at.position++;
    history->bit[position % HISTORY_BITS] = (int8_t)-bit;
    fold_lanes left = {0};
    for (uint32_t t = 0; t < history->tables; t++)
        left.of[t] = (uint16_t)history->bit[(position - history->length[t]) % HISTORY_BITS];
    for (unsigned i = 0; i < FOLDS; i++)
        fold_push(&history->fold[i], &history->shape[i], bit, &left);
}

void history_path(struct history *history, uint64_t pc)
{
    history->at.path = history->at.path << 1 | (uint32_t)((pc >> 1 ^ pc >> 3) & 1);
}

void history_save(const struct history *history, uint32_t slot, struct history_point *point)
{
    *point = history->at;
    if (history->tables != 0)
        memcpy(history->saved[slot], history->fold, sizeof history->fold);
}

void history_restore(struct history *history, uint32_t slot, const struct history_point *point)
{
    history->at = *point;
    if (history->tables != 0)
        memcpy(history->fold, history->saved[slot], sizeof history->fold);
}

/* The longest history, the path, the inner count, and the folds. Copies for repair are not
 * counted: a processor can keep pointers and rebuild. */
uint64_t history_storage(const struct history *history)
{
    uint64_t longest = 0, folds = 0;
    for (uint32_t t = 0; t < history->tables; t++) {
        if (history->length[t] > longest)
            longest = history->length[t];
        for (unsigned i = 0; i < FOLDS; i++)
            folds += (unsigned)__builtin_popcount(history->shape[i].mask.of[t]);
    }
    return longest + folds + (history->tables != 0 ? 32 + 10 : 0);
}
