/* Statistical corrector: a sum of counters chosen by pc, TAGE's prediction, global history, local
 * history and inner-loop count, which reverts TAGE where TAGE is statistically wrong (Seznec,
 * "TAGE-SC-L Branch Predictors Again", CBP 2016). Left out: the weights of whole tables, the second
 * and third local history. Local histories are those of branches that have trained. */
#include "sim/core/bpred/corrector.h"

#include <stdlib.h>

enum { WEIGHT_BITS = 6, CHOOSER_BITS = 7, THRESHOLD_START = 35 * 8, THRESHOLD_MAX = 255 * 8,
       LOCAL_BITS = 11, USUAL_BITS = 10 };
static const uint8_t global_length[CORRECTOR_GLOBALS] = {4, 10, 19, 36};
static const uint8_t local_length[CORRECTOR_LOCALS] = {5, LOCAL_BITS};

void corrector_init(struct corrector *corrector, const struct config *config, struct arena *arena)
{
    corrector->entries = config->bpred_corrector_entries;
    unsigned index_bits = index_bits_of(corrector->entries);
    corrector->fold_bits = (uint8_t)(index_bits != 0 ? index_bits : 63);
    corrector->wraps = (corrector->entries & (corrector->entries - 1)) != 0;
    corrector->index_mask = (uint32_t)low_bits(UINT64_MAX, index_bits);
    corrector->shift = (uint8_t)config->bpred_pc_shift;
    if (corrector->entries == 0)
        return;
    for (unsigned t = 0; t < CORRECTOR_TABLES; t++)
        corrector->weight[t] = arena_take(arena, corrector->entries, 1);
    corrector->local = arena_take(arena, CORRECTOR_LOCAL_HISTORIES, sizeof corrector->local[0]);
    corrector->threshold = arena_take(arena, CORRECTOR_THRESHOLDS, sizeof corrector->threshold[0]);
    if (corrector->threshold != NULL)
        for (unsigned i = 0; i < CORRECTOR_THRESHOLDS; i++)
            corrector->threshold[i] = THRESHOLD_START;
}

static uint16_t *local_of(const struct corrector *corrector, uint64_t pc)
{
    return &corrector->local[pc % CORRECTOR_LOCAL_HISTORIES];
}

static int16_t *threshold_of(const struct corrector *corrector, uint64_t pc)
{
    return &corrector->threshold[(pc ^ pc >> 6) % CORRECTOR_THRESHOLDS];
}

/* The last `length` bits of a history, folded to `width` bits by exclusive or; higher bits of the
 * result are undefined. */
static inline __attribute__((always_inline)) uint64_t
fold_of(uint64_t history, unsigned length, unsigned width)
{
    uint64_t value = history & ((UINT64_C(1) << length) - 1), result = value;
    for (unsigned at = width; at < length; at += width)
        result ^= value >> at;
    return result;
}

/* Where in each table whose size is a power of two; pc is shifted. */
static inline __attribute__((always_inline)) void
hash(uint64_t pc, uint64_t history, const struct record *record, unsigned width, uint32_t mask,
     uint32_t index[CORRECTOR_TABLES])
{
    uint32_t inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    unsigned n = 0;
    index[n++] = (uint32_t)pc << 1 | inner;
    index[n++] = (uint32_t)(pc ^ pc >> width) << 3 | (uint32_t)record->confidence << 1 | inner;
#pragma GCC unroll 4
    for (unsigned i = 0; i < CORRECTOR_GLOBALS; i++)
        index[n++] = (uint32_t)(pc ^ pc >> (i + 2) ^ fold_of(history, global_length[i], width));
#pragma GCC unroll 2
    for (unsigned i = 0; i < CORRECTOR_LOCALS; i++)
        index[n++] = (uint32_t)(pc ^ pc >> (i + 3) ^
                                fold_of(record->local, local_length[i], width));
    index[n] = (uint32_t)pc ^ (uint32_t)record->point.inner << 2;
#pragma GCC unroll 9
    for (n = 0; n < CORRECTOR_TABLES; n++)
        index[n] &= mask;
}

/* Where in each table, of any size. */
static inline __attribute__((always_inline)) void
find(const struct corrector *corrector, uint64_t pc, uint64_t history,
     const struct record *record, uint32_t index[CORRECTOR_TABLES])
{
    if (corrector->fold_bits == USUAL_BITS)
        hash(pc, history, record, USUAL_BITS, (UINT32_C(1) << USUAL_BITS) - 1, index);
    else
        hash(pc, history, record, corrector->fold_bits, corrector->index_mask, index);
    if (!corrector->wraps)
        return;
#pragma GCC unroll 9
    for (unsigned n = 0; n < CORRECTOR_TABLES; n++)
        index[n] = (uint32_t)entry_at(index[n], corrector->entries);
}

/* Twice each weight and one more, so that none is 0. */
static inline __attribute__((always_inline)) int
sum_at(const struct corrector *corrector, const uint32_t index[CORRECTOR_TABLES])
{
    int sum = 0;
#pragma GCC unroll 9
    for (unsigned t = 0; t < CORRECTOR_TABLES; t++)
        sum += corrector->weight[t][index[t]];
    return 2 * sum + CORRECTOR_TABLES;
}

/* For tables of the usual size the folds have no loops, and nothing is kept of the places. */
static inline int sum_of(const struct corrector *corrector, uint64_t pc, uint64_t history,
                         const struct record *record)
{
    uint32_t index[CORRECTOR_TABLES];
    if (corrector->fold_bits == USUAL_BITS && !corrector->wraps) {
        hash(pc, history, record, USUAL_BITS, (UINT32_C(1) << USUAL_BITS) - 1, index);
        return sum_at(corrector, index);
    }
    find(corrector, pc, history, record, index);
    return sum_at(corrector, index);
}

static bool small_sum_chooses_corrector(const struct corrector *corrector,
                                        const struct record *record, int threshold)
{
    int size = abs(record->sum);
    if (record->confidence == 2 && size < threshold / 4)
        return false;
    if (record->confidence == 2 && size < threshold / 2)
        return corrector->second < 0;
    if (record->confidence == 1 && size < threshold / 4)
        return corrector->first < 0;
    return true;
}

bool corrector_predict(const struct corrector *corrector, uint64_t pc, uint64_t history,
                       struct record *record)
{
    bool inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    if (corrector->entries == 0)
        return inner;
    pc >>= corrector->shift;
    record->local = *local_of(corrector, pc);
    int sum = sum_of(corrector, pc, history, record);
    record->sum = (int16_t)sum;
    bool corrected = sum >= 0;
    if (corrected)
        record->flags |= RECORD_CORRECTOR_TAKEN;
    if (corrected == inner ||
        small_sum_chooses_corrector(corrector, record, *threshold_of(corrector, pc) / 8))
        return corrected;
    return inner;
}

static void train_choosers(struct corrector *corrector, const struct record *record, int threshold,
                           bool corrector_right)
{
    int size = abs(record->sum);
    if (record->confidence == 2 && size < threshold / 2 && size >= threshold / 4)
        weight_move(&corrector->second, !corrector_right, CHOOSER_BITS);
    if (record->confidence == 1 && size < threshold / 4)
        weight_move(&corrector->first, !corrector_right, CHOOSER_BITS);
}

void corrector_train(struct corrector *corrector, uint64_t pc, uint64_t history,
                     const struct record *record, bool taken)
{
    uint32_t index[CORRECTOR_TABLES];
    if (corrector->entries == 0)
        return;
    pc >>= corrector->shift;
    int16_t *threshold = threshold_of(corrector, pc);
    uint16_t *local = local_of(corrector, pc);
    bool right = ((record->flags & RECORD_CORRECTOR_TAKEN) != 0) == taken;
    bool inner_right = ((record->flags & RECORD_INNER_TAKEN) != 0) == taken;
    int limit = *threshold / 8;
    if (right != inner_right)
        train_choosers(corrector, record, limit, right);
    *local = (uint16_t)low_bits((uint64_t)*local << 1 | taken, LOCAL_BITS);
    if (right && abs(record->sum) >= limit)
        return;
    if (!right && *threshold < THRESHOLD_MAX)
        ++*threshold;
    else if (right && *threshold > 8)
        --*threshold;
    find(corrector, pc, history, record, index);
    for (unsigned t = 0; t < CORRECTOR_TABLES; t++)
        weight_move(&corrector->weight[t][index[t]], taken, WEIGHT_BITS);
}

uint64_t corrector_storage(const struct corrector *corrector)
{
    if (corrector->entries == 0)
        return 0;
    return CORRECTOR_TABLES * (uint64_t)corrector->entries * WEIGHT_BITS +
           CORRECTOR_LOCAL_HISTORIES * LOCAL_BITS + CORRECTOR_THRESHOLDS * 11 + 2 * CHOOSER_BITS;
}
