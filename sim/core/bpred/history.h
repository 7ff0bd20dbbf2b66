/* Long global history, with the folded forms that index tagged tables.
 *
 * A fold of length L and width W is the exclusive or of the last L bits, W at a time: the bit
 * `age` pushes ago is in bit age % W (Michaud, "A PPM-like, tag-based branch predictor", JILP
 * 2005). Here no fold is kept. For each width that a table uses there is the sum, without carry,
 * of all bits since the start, each at the bit that its number has modulo the width; a ring has
 * the sums after each of the last HISTORY_BITS pushes. Two sums added leave the bits between them,
 * and turned round by the number of pushes they are the fold. So a push does not depend on how many
 * tables there are, and repair sets a number back: what a wrong path has pushed lies in the ring
 * above `position` and is overwritten. */
#ifndef SIM_CORE_BPRED_HISTORY_H
#define SIM_CORE_BPRED_HISTORY_H

#include "sim/core/bpred/tables.h"

enum { HISTORY_BITS = 4096, HISTORY_MAX = 2000, HISTORY_TABLES = 32, FOLDS = 3,
       HISTORY_WIDTHS = 8, HISTORY_WIDTH_MAX = 16 };
/* Positions are counted modulo a multiple of the ring's size and of each width: the least one. */
#define HISTORY_ROUND (UINT32_C(720720) * 256)
_Static_assert(HISTORY_ROUND % HISTORY_BITS == 0 && HISTORY_ROUND % 9 == 0 &&
               HISTORY_ROUND % 11 == 0 && HISTORY_ROUND % 13 == 0 && HISTORY_ROUND % 35 == 0,
               "positions keep their place modulo all of them");

/* A value for each width in use. */
typedef uint16_t width_lanes __attribute__((vector_size(HISTORY_WIDTHS * sizeof(uint16_t))));
typedef union {
    uint16_t of[HISTORY_WIDTHS];
    width_lanes all;
} history_sums;

/* Kept by an instruction in flight. */
struct history_point { uint32_t position, path; uint16_t inner; };

struct history {
    struct history_point at;            /* path: one bit of each transfer's pc; inner: consecutive
                                           taken backward branches (IMLI) */
    uint32_t tables, widths;
    uint16_t length[HISTORY_TABLES];
    uint8_t column[FOLDS][HISTORY_TABLES];      /* lane of the width of the index, of the tag, of
                                                   one bit less than the tag */
    uint8_t width[HISTORY_WIDTHS];      /* of each lane */
    history_sums next;                  /* the bit at which the next push is added */
    history_sums top;                   /* the highest bit of the width */
    history_sums *sum;                  /* [HISTORY_BITS], after the push before that position */
};

/* Adds a table with this history length; its number. All tables together use at most
 * HISTORY_WIDTHS different widths. */
unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits);
/* After the last table. */
void history_place(struct history *history, struct arena *arena);
/* Lengths of `count` tables, from min to max, in a geometric series. */
void history_lengths(unsigned count, unsigned min, unsigned max, uint16_t length[]);
void history_restore(struct history *history, const struct history_point *point);
/* The bit pushed `age` pushes ago; 0 is the newest. */
bool history_at(const struct history *history, unsigned age);
uint64_t history_storage(const struct history *history);

static inline const history_sums *history_sum(const struct history *history, uint32_t position)
{
    return &history->sum[position % HISTORY_BITS];
}

/* The next bit is added one place further down than this one, or at the top again. */
static inline void history_push(struct history *history, bool bit)
{
    const width_lanes zero = {0}, next = history->next.all;
    uint32_t position = history->at.position;
    width_lanes sum = history_sum(history, position)->all ^ (next & (zero + (uint16_t)-bit));
    history->sum[(position + 1) % HISTORY_BITS].all = sum;
    history->next.all = next >> 1 | ((width_lanes)(next == zero + 1) & history->top.all);
    history->at.position = position + 1 == HISTORY_ROUND ? 0 : position + 1;
}

static inline void history_path(struct history *history, uint64_t pc)
{
    history->at.path = history->at.path << 1 | (uint32_t)((pc >> 1 ^ pc >> 3) & 1);
}

/* The number of places by which the sum of two sums must be rotated left, within the width, to be a
 * fold: the newest bit comes to bit 0. */
static inline unsigned history_turn(const struct history *history, unsigned column)
{
    return history->width[column] - 1u - (unsigned)__builtin_ctz(history->next.of[column]);
}

/* The fold of a table: 0 that of the index, 1 of the tag, 2 of one bit less than the tag. */
static inline unsigned history_fold(const struct history *history, unsigned fold, unsigned table)
{
    unsigned column = history->column[fold][table], width = history->width[column];
    unsigned turn = history_turn(history, column);
    uint32_t position = history->at.position;
    uint32_t bits = history_sum(history, position)->of[column] ^
                    history_sum(history, position - history->length[table])->of[column];
    return (bits << turn | bits >> (width - turn)) & ((1u << width) - 1);
}

#endif
