/* See history.h. */
#include "sim/core/bpred/history.h"

#include <assert.h>

/* Those of the first table come first, even if two of them are equal. */
static uint8_t column_of(struct history *history, unsigned width)
{
    uint32_t column = history->tables == 1 ? history->widths : 0;

    while (column < history->widths && history->width[column] != width)
        column++;
    assert(column < HISTORY_WIDTHS && width <= HISTORY_WIDTH_MAX);
    if (column == history->widths) {
        history->widths++;
        history->width[column] = (uint8_t)width;
        history->top.of[column] = (uint16_t)(1u << (width - 1));
        history->next.of[column] = 1;
    }
    return (uint8_t)column;
}

unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits)
{
    const unsigned width[FOLDS] = {index_bits, tag_bits, tag_bits - 1};
    assert(history->tables < HISTORY_TABLES && length <= HISTORY_MAX);
    assert(index_bits >= 1 && tag_bits >= 2);
    unsigned table = history->tables++;
    history->length[table] = (uint16_t)length;
    for (unsigned i = 0; i < FOLDS; i++)
        history->column[i][table] = column_of(history, width[i]);
    return table;
}

void history_place(struct history *history, struct arena *arena)
{
    history->sum = arena_take(arena, HISTORY_BITS, sizeof history->sum[0]);
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

/* A bit is added at its number, negated, modulo the width. */
void history_restore(struct history *history, const struct history_point *point)
{
    history->at = *point;
    for (uint32_t i = 0; i < history->widths; i++) {
        unsigned past = point->position % history->width[i];
        history->next.of[i] = (uint16_t)(1u << (past == 0 ? 0 : history->width[i] - past));
    }
}

bool history_at(const struct history *history, unsigned age)
{
    uint32_t position = history->at.position - age;
    return history_sum(history, position)->of[0] != history_sum(history, position - 1)->of[0];
}

/* The longest history, the path, the inner count, and the folds of each table: a processor keeps
 * these, and to repair them it can keep pointers and rebuild. */
uint64_t history_storage(const struct history *history)
{
    uint64_t longest = 0, folds = 0;
    for (uint32_t t = 0; t < history->tables; t++) {
        if (history->length[t] > longest)
            longest = history->length[t];
        for (unsigned i = 0; i < FOLDS; i++)
            folds += history->width[history->column[i][t]];
    }
    return longest + folds + (history->tables != 0 ? 32 + 10 : 0);
}
