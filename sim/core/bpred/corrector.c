/* Statistical corrector: a sum of counters chosen by pc, TAGE's prediction, global history, local
 * history and inner-loop count, which reverts TAGE where TAGE is statistically wrong (Seznec,
 * "TAGE-SC-L Branch Predictors Again", CBP 2016). Left out: the weights of whole tables, the second
 * and third local history. Local histories are those of branches that have trained. */
#include "sim/core/bpred/corrector.h"

#include <stdlib.h>

enum { WEIGHT_BITS = 6, CHOOSER_BITS = 7, THRESHOLD_START = 35 * 8, THRESHOLD_MAX = 255 * 8,
       LOCAL_BITS = 11, USUAL_BITS = 10 };
enum { SHORT_LOCAL_BITS = 5, LONGEST = 36 };
_Static_assert(CORRECTOR_INNER == LANES / 2, "one vector holds a place in each table but the last");

/* The last bits of the global history, as many as each table uses. */
typedef uint64_t global_vector
    __attribute__((vector_size(CORRECTOR_GLOBALS * sizeof(uint64_t)), aligned(LANE_ALIGNMENT)));
typedef uint32_t half_vector
    __attribute__((vector_size(CORRECTOR_GLOBALS * sizeof(uint32_t)), aligned(LANE_ALIGNMENT)));
#define LAST(length) ((UINT64_C(1) << (length)) - 1)
static const global_vector global_mask = {LAST(4), LAST(10), LAST(19), LAST(LONGEST)};

typedef int32_t weight_vector __attribute__((vector_size(LANES / 2 * sizeof(int32_t))));
typedef int32_t half_weights __attribute__((vector_size(LANES / 4 * sizeof(int32_t))));

/* Where the weights of a prediction are: in the last table, and in each of the others. */
struct places { word_vector of; uint32_t inner; };
typedef void find_places(const struct corrector *corrector, uint64_t pc, uint64_t history,
                         const struct record *record, struct places *places);

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
    corrector->is_wide = lanes_are_wide() && corrector->entries == 1u << USUAL_BITS;
    for (unsigned t = 0; t < CORRECTOR_INNER; t++)
        corrector->first[t] = t * corrector->entries;
    corrector->weight = arena_take(arena, CORRECTOR_TABLES * (size_t)corrector->entries, 1);
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

/* The last bits of each global history, folded to `width` bits by exclusive or; higher bits of the
 * results are undefined. */
static ALWAYS_INLINE half_vector global_folds(uint64_t history, unsigned width)
{
    const global_vector zero = {0}, value = (zero + history) & global_mask;
    global_vector result = value;
    for (unsigned at = width; at < LONGEST; at += width)
        result ^= value >> at;
    return __builtin_convertvector(result, half_vector);
}

static ALWAYS_INLINE uint32_t local_fold(uint32_t history, unsigned length, unsigned width)
{
    uint32_t value = history & (uint32_t)LAST(length), result = value;
    for (unsigned at = width; at < length; at += width)
        result ^= value >> at;
    return result;
}

/* Tables whose size is a power of two; pc is shifted. Those with a history: pc ^ pc >> shift of the
 * table ^ fold. */
static ALWAYS_INLINE void hash(uint64_t pc, uint64_t history, const struct record *record,
                               unsigned width, uint32_t mask, struct places *places)
{
    const word_vector zero = {0}, has_history = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0, 0};
    const word_vector shift = {2, 3, 4, 5, 3, 4, 0, 0};
    uint32_t inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    const half_vector locals_and_biases = {
        local_fold(record->local, SHORT_LOCAL_BITS, width),
        local_fold(record->local, LOCAL_BITS, width),
        (uint32_t)pc << 1 | inner,
        (uint32_t)(pc ^ pc >> width) << 3 | (uint32_t)record->confidence << 1 | inner,
    };
    word_vector fold = __builtin_shufflevector(global_folds(history, width), locals_and_biases,
                                               0, 1, 2, 3, 4, 5, 6, 7);
    word_vector pcs = (zero + (uint32_t)pc) & has_history;
    places->of = (fold ^ (pcs ^ pcs >> shift)) & mask;
    places->inner = ((uint32_t)pc ^ (uint32_t)record->point.inner << 2) & mask;
}

static ALWAYS_INLINE void add_first(const struct corrector *corrector, struct places *places)
{
    places->of += corrector->first;
    places->inner += CORRECTOR_INNER * corrector->entries;
}

/* In tables of any size. */
static void find_any(const struct corrector *corrector, uint64_t pc, uint64_t history,
                     const struct record *record, struct places *places)
{
    uint32_t entries = corrector->entries;
    hash(pc, history, record, corrector->fold_bits, corrector->index_mask, places);
    if (corrector->wraps) {
        places->of -= (word_vector)(places->of >= entries) & entries;
        places->inner = (uint32_t)entry_at(places->inner, entries);
    }
    add_first(corrector, places);
}

/* In tables of the usual size, for which the folds have no loops. */
static ALWAYS_INLINE void find_usual(const struct corrector *corrector, uint64_t pc,
                                     uint64_t history, const struct record *record,
                                     struct places *places)
{
    hash(pc, history, record, USUAL_BITS, (UINT32_C(1) << USUAL_BITS) - 1, places);
    add_first(corrector, places);
}

/* Twice each weight and one more, so that none is 0. A word that begins with a weight of these
 * tables ends in the table after them, or in what the arena rounds up. */
static ALWAYS_INLINE int sum_at(const struct corrector *corrector, const struct places *places,
                                const struct lane_ops ops)
{
    enum { ABOVE_WEIGHT = 24 };
    word_vector words;
    ops.gather(corrector->weight, 1, &places->of, &words);
    weight_vector weights = (weight_vector)(words << ABOVE_WEIGHT) >> ABOVE_WEIGHT;
    half_weights sum = __builtin_shufflevector(weights, weights, 0, 1, 2, 3) +
                       __builtin_shufflevector(weights, weights, 4, 5, 6, 7);
    sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1);
    return 2 * (sum[0] + sum[1] + corrector->weight[places->inner]) + CORRECTOR_TABLES;
}

static bool small_sum_chooses_corrector(const struct corrector *corrector,
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
static ALWAYS_INLINE bool predict_by(const struct corrector *corrector, uint64_t pc,
                                     uint64_t history, struct record *record, find_places *find,
                                     const struct lane_ops ops)
{
    struct places places;
    bool inner = (record->flags & RECORD_INNER_TAKEN) != 0;
    pc >>= corrector->shift;
    record->local = *local_of(corrector, pc);
    find(corrector, pc, history, record, &places);
    int sum = sum_at(corrector, &places, ops);
    record->sum = (int16_t)sum;
    bool corrected = sum >= 0;
    if (corrected)
        record->flags |= RECORD_CORRECTOR_TAKEN;
    if (corrected == inner ||
        small_sum_chooses_corrector(corrector, record, *threshold_of(corrector, pc) / 8))
        return corrected;
    return inner;
}

static FOR_WIDE_LANES bool predict_wide(const struct corrector *corrector, uint64_t pc,
                                        uint64_t history, struct record *record)
{
    return predict_by(corrector, pc, history, record, find_usual, lane_ops_of_wide);
}

static NOT_INLINE bool predict_any(const struct corrector *corrector, uint64_t pc,
                                   uint64_t history, struct record *record)
{
    return predict_by(corrector, pc, history, record, find_any, lane_ops_of_any);
}

bool corrector_predict(const struct corrector *corrector, uint64_t pc, uint64_t history,
                       struct record *record)
{
    if (corrector->is_wide)
        return predict_wide(corrector, pc, history, record);
    if (corrector->entries == 0)
        return (record->flags & RECORD_INNER_TAKEN) != 0;
    return predict_any(corrector, pc, history, record);
}

static NOT_INLINE void train_choosers(struct corrector *corrector, const struct record *record,
                                      int threshold, bool corrector_right)
{
    int size = abs(record->sum);
    if (record->confidence == 2 && size < threshold / 2 && size >= threshold / 4)
        weight_move(&corrector->high, !corrector_right, CHOOSER_BITS);
    if (record->confidence == 1 && size < threshold / 4)
        weight_move(&corrector->medium, !corrector_right, CHOOSER_BITS);
}

/* The sum was small, or wrong. */
static NOT_INLINE void train_weights(struct corrector *corrector, uint64_t pc, uint64_t history,
                                     const struct record *record, bool taken)
{
    int16_t *threshold = threshold_of(corrector, pc);
    bool right = ((record->flags & RECORD_CORRECTOR_TAKEN) != 0) == taken;
    struct places places;
    if (!right && *threshold < THRESHOLD_MAX)
        ++*threshold;
    else if (right && *threshold > 8)
        --*threshold;
    find_any(corrector, pc, history, record, &places);
    for (unsigned t = 0; t < CORRECTOR_INNER; t++)
        weight_move(&corrector->weight[places.of[t]], taken, WEIGHT_BITS);
    weight_move(&corrector->weight[places.inner], taken, WEIGHT_BITS);
}

/* Weights see the local history of the prediction, which is in the record. */
void corrector_train(struct corrector *corrector, uint64_t pc, uint64_t history,
                     const struct record *record, bool taken)
{
    if (corrector->entries == 0)
        return;
    pc >>= corrector->shift;
    uint16_t *local = local_of(corrector, pc);
    *local = (uint16_t)low_bits((uint64_t)*local << 1 | taken, LOCAL_BITS);
    int limit = *threshold_of(corrector, pc) / 8;
    bool right = ((record->flags & RECORD_CORRECTOR_TAKEN) != 0) == taken;
    bool inner_right = ((record->flags & RECORD_INNER_TAKEN) != 0) == taken;
    if (right != inner_right)
        train_choosers(corrector, record, limit, right);
    if (!right || abs(record->sum) < limit)
        train_weights(corrector, pc, history, record, taken);
}

uint64_t corrector_storage(const struct corrector *corrector)
{
    if (corrector->entries == 0)
        return 0;
    return CORRECTOR_TABLES * (uint64_t)corrector->entries * WEIGHT_BITS +
           CORRECTOR_LOCAL_HISTORIES * LOCAL_BITS + CORRECTOR_THRESHOLDS * 11 + 2 * CHOOSER_BITS;
}
