/* Long global history, with the folded forms that index tagged tables.
 *
 * The newest bits lie in a ring; a fold of length L and width W is the exclusive or of the last L
 * bits, W at a time, and follows each new bit in constant time (Michaud, "A PPM-like, tag-based
 * branch predictor", JILP 2005). Bits on a wrong path stay in the ring above `position` and are
 * overwritten; the folds of each instruction in flight are kept until it has left, which makes
 * repair a copy.
 *
 * Bits come in blocks of HISTORY_BLOCK. At the start of a block the bits that will leave each
 * history during it are read from the ring together; a bit that comes and leaves within one block
 * joins them as it comes. */
#ifndef SIM_CORE_BPRED_HISTORY_H
#define SIM_CORE_BPRED_HISTORY_H

#include "sim/core/bpred/tables.h"

#include <string.h>

enum { HISTORY_BITS = 4096, HISTORY_MAX = 2000, HISTORY_TABLES = 32, FOLDS = 3,
       HISTORY_BLOCK = 16, HISTORY_BLOCKS = HISTORY_BITS / HISTORY_BLOCK };

/* The same fold of each table, side by side: the host's vector instructions update sixteen at once,
 * or eight. A fold is in the highest bits of its lane, and the bits below it are 0: what a shift
 * moves out of it leaves the lane. Lanes without a table stay 0. */
enum { LANES = 16, LANE_BITS = 16 };
enum { LANE_ALIGNMENT = 16 };           /* of what calloc returns */
#define LANE_VECTOR vector_size(LANES * sizeof(uint16_t)), aligned(LANE_ALIGNMENT)
typedef uint16_t lane_vector __attribute__((LANE_VECTOR));
typedef int16_t signed_lanes __attribute__((LANE_VECTOR));
typedef uint64_t wide_lanes __attribute__((LANE_VECTOR));
/* A function that is compiled twice, for hosts with vectors of 32 bytes and for all; which one is
 * called is found when the program starts. Vectors are handed over by reference. */
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define FOR_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif
typedef union {
    uint16_t of[HISTORY_TABLES];
    lane_vector part[HISTORY_TABLES / LANES];
} fold_lanes;

/* Of one fold of all tables: its lowest bit, and the one at which the oldest bit of the history
 * leaves. */
struct fold_shape { fold_lanes low, out; };

/* Kept by an instruction in flight besides the folds. */
struct history_point { uint32_t position, path; uint16_t inner; };

struct history {
    struct history_point at;            /* path: one bit of each transfer's pc; inner: consecutive
                                           taken backward branches (IMLI) */
    uint32_t tables, parts;             /* parts: vectors that hold the tables */
    uint16_t length[HISTORY_TABLES];
    uint8_t width[FOLDS][HISTORY_TABLES];
    struct fold_shape shape[FOLDS];
    fold_lanes leaving;                 /* bit i leaves with the push i of this block */
    fold_lanes returns;                 /* 1 << length, of histories shorter than a block: the bit
                                           of push i leaves with push i + length */
    fold_lanes fold[FOLDS];             /* of the index, of the tag, of one bit less than the tag */
    fold_lanes (*saved)[FOLDS];         /* [in_flight] */
    uint16_t block[HISTORY_BLOCKS];     /* the ring; the oldest bit of a block is bit 0 */
};

/* Adds a table with this history length; its number. */
unsigned history_add(struct history *history, unsigned length, unsigned index_bits,
                     unsigned tag_bits);
/* After the last table. */
void history_place(struct history *history, uint32_t in_flight, struct arena *arena);
/* Lengths of `count` tables, from min to max, in a geometric series. */
void history_lengths(unsigned count, unsigned min, unsigned max, uint16_t length[]);
void history_push(struct history *history, bool bit);
static inline void history_path(struct history *history, uint64_t pc)
{
    history->at.path = history->at.path << 1 | (uint32_t)((pc >> 1 ^ pc >> 3) & 1);
}
void history_save(const struct history *history, uint32_t slot, struct history_point *point);
void history_restore(struct history *history, uint32_t slot, const struct history_point *point);
/* The fold of a table, as a number: 0 that of the index, 1 of the tag, 2 of one bit less than the
 * tag. */
static inline unsigned history_fold(const struct history *history, unsigned fold, unsigned table)
{
    return history->fold[fold].of[table] >> (LANE_BITS - history->width[fold][table]);
}
/* The bit `age` transfers ago, 0 the newest. */
bool history_at(const struct history *history, unsigned age);
uint64_t history_storage(const struct history *history);

#endif
