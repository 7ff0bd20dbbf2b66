/* See history.h. */
#include "sim/core/bpred/history.h"

#include <assert.h>
#include <string.h>

unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits)
{
    const unsigned width[FOLDS] = {index_bits, tag_bits, tag_bits - 1};
    assert(history->tables < HISTORY_TABLES && length <= HISTORY_MAX && tag_bits >= 2);
    struct fold_shape *shape = &history->shape[history->tables];
    shape->length = (uint16_t)length;
    for (unsigned i = 0; i < FOLDS; i++) {
        shape->width[i] = (uint8_t)width[i];
        shape->out[i] = (uint8_t)(length % width[i]);
    }
    return history->tables++;
}

void history_place(struct history *history, uint32_t in_flight, struct arena *arena)
{
    history->saved = arena_take(arena, (size_t)in_flight * history->tables,
                                sizeof history->saved[0]);
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

static bool bit_at(const struct history *history, uint32_t position)
{
    return history->bit[position % HISTORY_BITS / 64] >> (position % 64) & 1;
}

bool history_at(const struct history *history, unsigned age)
{
    return bit_at(history, history->at.position - 1 - age);
}

void history_push(struct history *history, bool bit)
{
    uint32_t position = history->at.position++;
    uint64_t *word = &history->bit[position % HISTORY_BITS / 64];
    *word = (*word & ~(UINT64_C(1) << (position % 64))) | (uint64_t)bit << (position % 64);
    for (uint32_t t = 0; t < history->tables; t++) {
        const struct fold_shape *shape = &history->shape[t];
        unsigned old = bit_at(history, position - shape->length);
        for (unsigned i = 0; i < FOLDS; i++) {
            unsigned value = (unsigned)history->fold[t][i] << 1 | bit;
            value ^= old << shape->out[i];
            value ^= value >> shape->width[i];
            history->fold[t][i] = (uint16_t)(value & ((1u << shape->width[i]) - 1));
        }
    }
}

void history_path(struct history *history, uint64_t pc)
{
    history->at.path = history->at.path << 1 | (uint32_t)((pc >> 1 ^ pc >> 3) & 1);
}

void history_save(const struct history *history, uint32_t slot, struct history_point *point)
{
    *point = history->at;
    memcpy(history->saved + (size_t)slot * history->tables, history->fold,
           history->tables * sizeof history->fold[0]);
}

void history_restore(struct history *history, uint32_t slot, const struct history_point *point)
{
    history->at = *point;
    memcpy(history->fold, history->saved + (size_t)slot * history->tables,
           history->tables * sizeof history->fold[0]);
}

/* The longest history, the path, the inner count, and the folds. Copies for repair are not
 * counted: a processor can keep pointers and rebuild. */
uint64_t history_storage(const struct history *history)
{
    uint64_t longest = 0, folds = 0;
    for (uint32_t t = 0; t < history->tables; t++) {
        if (history->shape[t].length > longest)
            longest = history->shape[t].length;
        for (unsigned i = 0; i < FOLDS; i++)
            folds += history->shape[t].width[i];
    }
    return longest + folds + (history->tables != 0 ? 32 + 10 : 0);
}
