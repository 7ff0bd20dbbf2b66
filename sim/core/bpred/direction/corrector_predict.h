/* The prediction of the statistical corrector (corrector.c), inline for TAGE-SC-L. */
#ifndef SIM_CORE_BPRED_CORRECTOR_PREDICT_H
#define SIM_CORE_BPRED_CORRECTOR_PREDICT_H

#include <stdlib.h>

#include "sim/core/bpred/direction/corrector.h"

enum { CORRECTOR_LOCAL_BITS = 11, CORRECTOR_USUAL_BITS = 10, CORRECTOR_SHORT_LOCAL = 5,
       CORRECTOR_LONGEST = 36 };
_Static_assert(CORRECTOR_INNER == LANES / 2, "one vector holds a place in each table but the last");

/* The last bits of the global history, as many as each table uses. */
typedef uint64_t corrector_globals
    __attribute__((vector_size(CORRECTOR_GLOBALS * sizeof(uint64_t)), aligned(LANE_ALIGNMENT)));
typedef uint32_t corrector_half
    __attribute__((vector_size(CORRECTOR_GLOBALS * sizeof(uint32_t)), aligned(LANE_ALIGNMENT)));
#define CORRECTOR_LAST(length) ((UINT64_C(1) << (length)) - 1)
static const corrector_globals corrector_global_mask = {
    CORRECTOR_LAST(4), CORRECTOR_LAST(10), CORRECTOR_LAST(19), CORRECTOR_LAST(CORRECTOR_LONGEST),
};
typedef int32_t corrector_weights __attribute__((vector_size(LANES / 2 * sizeof(int32_t))));
typedef int32_t corrector_half_weights __attribute__((vector_size(LANES / 4 * sizeof(int32_t))));

/* Where the weights of a prediction are: in the last table, and in each of the others. */
struct corrector_places { word_vector of; uint32_t inner; };
typedef void corrector_find(const struct corrector *corrector, uint64_t pc, uint64_t history,
                            const struct record *record, struct corrector_places *places);

/* The last bits of each global history, folded to `width` bits by exclusive or; higher bits of the
 * results are undefined. */
static ALWAYS_INLINE corrector_half corrector_global_folds(uint64_t history, unsigned width)
{
    const corrector_globals zero = {0}, value = (zero + history) & corrector_global_mask;
    corrector_globals result = value;
    for (unsigned at = width; at < CORRECTOR_LONGEST; at += width)
        result ^= value >> at;
    return __builtin_convertvector(result, corrector_half);
}

static ALWAYS_INLINE uint32_t corrector_local_fold(uint32_t history, unsigned length,
                                                   unsigned width)
{
    uint32_t value = history & (uint32_t)CORRECTOR_LAST(length), result = value;
    for (unsigned at = width; at < length; at += width)
        result ^= value >> at;
    return result;
}

/* Tables whose size is a power of two; pc is shifted. Those with a history: pc ^ pc >> shift of the
 * table ^ fold. */
static ALWAYS_INLINE void corrector_hash(uint64_t pc, uint64_t history,
                                         const struct record *record, unsigned width,
                                         uint32_t mask, struct corrector_places *places)
{
    const word_vector zero = {0}, has_history = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0, 0};
    const word_vector shift = {2, 3, 4, 5, 3, 4, 0, 0};
    uint32_t inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    const corrector_half locals_and_biases = {
        corrector_local_fold(record->local, CORRECTOR_SHORT_LOCAL, width),
        corrector_local_fold(record->local, CORRECTOR_LOCAL_BITS, width),
        (uint32_t)pc << 1 | inner,
        (uint32_t)(pc ^ pc >> width) << 3 | (uint32_t)record->confidence << 1 | inner,
    };
    word_vector fold = __builtin_shufflevector(corrector_global_folds(history, width),
                                               locals_and_biases, 0, 1, 2, 3, 4, 5, 6, 7);
    word_vector pcs = (zero + (uint32_t)pc) & has_history;
    places->of = (fold ^ (pcs ^ pcs >> shift)) & mask;
    places->inner = ((uint32_t)pc ^ (uint32_t)record->point.inner << 2) & mask;
}

static ALWAYS_INLINE void corrector_add_first(const struct corrector *corrector,
                                              struct corrector_places *places)
{
    places->of += corrector->first;
    places->inner += CORRECTOR_INNER * corrector->entries;
}

/* In tables of the usual size, for which the folds have no loops. */
static ALWAYS_INLINE void corrector_find_usual(const struct corrector *corrector, uint64_t pc,
                                               uint64_t history, const struct record *record,
                                               struct corrector_places *places)
{
    corrector_hash(pc, history, record, CORRECTOR_USUAL_BITS, CORRECTOR_LAST(CORRECTOR_USUAL_BITS),
                   places);
    corrector_add_first(corrector, places);
}

/* Twice each weight and one more, so that no term is 0. A word that begins with a weight of these
 * tables ends in the table after them, or in the bytes that round up the arena. */
static ALWAYS_INLINE int corrector_sum_at(const struct corrector *corrector,
                                          const struct corrector_places *places,
                                          const struct lane_ops ops)
{
    enum { ABOVE_WEIGHT = 24 };
    word_vector words;
    ops.gather(corrector->weight, 1, &places->of, &words);
    corrector_weights weights = (corrector_weights)(words << ABOVE_WEIGHT) >> ABOVE_WEIGHT;
    corrector_half_weights sum = __builtin_shufflevector(weights, weights, 0, 1, 2, 3) +
                                 __builtin_shufflevector(weights, weights, 4, 5, 6, 7);
    sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1);
    return 2 * (sum[0] + sum[1] + corrector->weight[places->inner]) + CORRECTOR_TABLES;
}

/* A sum of this size overrides what it disagrees with. */
static inline bool corrector_is_chosen(const struct corrector *corrector,
                                       const struct record *record, int threshold)
{
    int size = abs(record->sum);
    if (record->confidence == 2 && size < threshold / 4)
        return false;
    if (record->confidence == 2 && size < threshold / 2)
        return corrector->high < 0;
    if (record->confidence == 1 && size < threshold / 4)
        return corrector->medium < 0;
    return true;
}

/* find: places in tables of this size. */
static ALWAYS_INLINE bool corrector_predict_by(const struct corrector *corrector, uint64_t pc,
                                               uint64_t history, struct record *record,
                                               corrector_find *find, const struct lane_ops ops)
{
    struct corrector_places places;
    bool inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    pc >>= corrector->shift;
    record->local = *corrector_local_of(corrector, pc);
    find(corrector, pc, history, record, &places);
    int sum = corrector_sum_at(corrector, &places, ops);
    record->sum = (int16_t)sum;
    bool corrected = sum >= 0;
    if (corrected)
        record->flags |= RECORD_CORRECTOR_TAKEN;
    if (corrected == inner ||
        corrector_is_chosen(corrector, record, corrector_threshold(corrector, pc)))
        return corrected;
    return inner;
}

#endif
