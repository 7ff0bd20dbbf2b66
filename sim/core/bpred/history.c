/* See history.h. */
#include "sim/core/bpred/history.h"

#include <assert.h>

unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits)
{
    const unsigned width[FOLDS] = {index_bits, tag_bits, tag_bits - 1};
    assert(history->tables < HISTORY_TABLES && length <= HISTORY_MAX);
    assert(index_bits >= 1 && index_bits <= 16 && tag_bits >= 2 && tag_bits <= 16);
    unsigned table = history->tables++;
    history->parts = (history->tables + LANES - 1) / LANES;
    history->length[table] = (uint16_t)length;
    history->returns.of[table] = (uint16_t)(length < HISTORY_BLOCK ? 1u << length : 0);
    for (unsigned i = 0; i < FOLDS; i++) {
        unsigned low = LANE_BITS - width[i];
        history->width[i][table] = (uint8_t)width[i];
        history->shape[i].low.of[table] = (uint16_t)(1u << low);
        history->shape[i].out.of[table] = (uint16_t)(1u << (low + length % width[i]));
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
    uint32_t position = history->at.position - 1 - age;
    uint32_t block = history->block[position / HISTORY_BLOCK % HISTORY_BLOCKS];
    return (block >> position % HISTORY_BLOCK & 1) != 0;
}

/* ---- new bits -------------------------------------------------------------------------------- */

/* A block of bits from any position of the ring on. */
static inline uint32_t window(const struct history *history, uint32_t position)
{
    uint32_t block = position / HISTORY_BLOCK;
    uint32_t low = history->block[block % HISTORY_BLOCKS];
    uint32_t high = history->block[(block + 1) % HISTORY_BLOCKS];
    return (low | high << HISTORY_BLOCK) >> position % HISTORY_BLOCK;
}

/* Reads the bits that leave during the block of the next push. Of a history shorter than the block
 * they are known only as far as bits have come. */
static void read_leaving(struct history *history)
{
    uint32_t position = history->at.position, first = position & ~(HISTORY_BLOCK - 1u);
    for (uint32_t t = 0; t < history->tables; t++) {
        uint32_t from = first - history->length[t], known = position - from;
        uint32_t bits = window(history, from);
        history->leaving.of[t] = (uint16_t)(known < HISTORY_BLOCK ? low_bits(bits, known) : bits);
    }
}

/* The new bit enters below, the highest comes round, and the bit that left the history is taken
 * out. `all`, `left`: all ones where the bit that enters, or leaves, is set. */
static inline void fold_push(lane_vector *fold, const struct fold_shape *shape, unsigned part,
                             uint16_t all, const lane_vector *left)
{
    lane_vector old = *fold, round = (lane_vector)((signed_lanes)old >> (LANE_BITS - 1));
    *fold = old << 1 ^ ((round ^ all) & shape->low.part[part]) ^ (*left & shape->out.part[part]);
}

static inline void push_ring(struct history *history, uint32_t position, bool bit)
{
    uint16_t *block = &history->block[position / HISTORY_BLOCK % HISTORY_BLOCKS];
    uint32_t place = position % HISTORY_BLOCK;
    *block = (uint16_t)((*block & ~(1u << place)) | (uint32_t)bit << place);
}

FOR_WIDE_VECTORS void history_push(struct history *history, bool bit)
{
    uint32_t position = history->at.position, place = position % HISTORY_BLOCK;
    uint16_t all = (uint16_t)-bit;
    if (place == 0)
        read_leaving(history);
    push_ring(history, position, bit);
    for (unsigned p = 0; p < history->parts; p++) {
        lane_vector leaving = history->leaving.part[p];
        lane_vector left = (lane_vector)((signed_lanes)(leaving << (HISTORY_BLOCK - 1 - place)) >>
                                         (HISTORY_BLOCK - 1));
        history->leaving.part[p] = leaving | (history->returns.part[p] << place & all);
#pragma GCC unroll 3
        for (unsigned i = 0; i < FOLDS; i++)
            fold_push(&history->fold[i].part[p], &history->shape[i], p, all, &left);
    }
    history->at.position++;
}

/* ---- repair ---------------------------------------------------------------------------------- */

FOR_WIDE_VECTORS void history_save(const struct history *history, uint32_t slot,
                                   struct history_point *point)
{
    *point = history->at;
    if (history->tables == 0)
        return;
    fold_lanes *saved = history->saved[slot];
    for (unsigned p = 0; p < history->parts; p++) {
#pragma GCC unroll 3
        for (unsigned i = 0; i < FOLDS; i++)
            saved[i].part[p] = history->fold[i].part[p];
    }
}

void history_restore(struct history *history, uint32_t slot, const struct history_point *point)
{
    history->at = *point;
    if (history->tables == 0)
        return;
    memcpy(history->fold, history->saved[slot], sizeof history->fold);
    read_leaving(history);
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
            folds += history->width[i][t];
    }
    return longest + folds + (history->tables != 0 ? 32 + 10 : 0);
}
