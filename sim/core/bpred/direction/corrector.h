/* The helpers of TAGE-SC-L: loop predictor and statistical corrector. */
#ifndef SIM_CORE_BPRED_CORRECTOR_H
#define SIM_CORE_BPRED_CORRECTOR_H

#include "sim/core/bpred/predictors.h"

/* In loop.c: branches with a constant number of iterations. `count` counts committed branches,
 * `fetched` fetched ones, with wrong paths undone. */
struct loop_entry { uint16_t length, count, fetched; uint8_t confidence, age; bool body; };
struct loop {
    struct loop_entry *entry;           /* [sets][4]; NULL: none */
    uint64_t *tags;                     /* [sets], of 16 bits each; all ones: of age 0 */
    uint32_t sets, index_mask;
    uint32_t noise;
    uint8_t shift, tag_shift;           /* shifts of the pc for the index, and for the tag */
};
void loop_init(struct loop *loop, const struct config *config, struct arena *arena);
/* loop_advance: the branch was fetched or corrected, with this direction; loop_undo takes it
 * back. */
enum { LOOP_COUNT_MAX = 1023 };
static inline void loop_advance(struct loop *loop, const struct record *record, bool taken)
{
    if (record->loop_entry == NO_LOOP)
        return;
    struct loop_entry *entry = &loop->entry[record->loop_entry];
    entry->fetched = taken == entry->body && record->loop_count < LOOP_COUNT_MAX
        ? (uint16_t)(record->loop_count + 1) : 0;
}

static inline void loop_undo(struct loop *loop, const struct record *record)
{
    if (record->loop_entry != NO_LOOP)
        loop->entry[record->loop_entry].fetched = record->loop_count;
}

void loop_train(struct loop *loop, uint64_t pc, const struct record *record, bool tage_taken,
                bool mispredicted, bool taken);
uint64_t loop_storage(const struct loop *loop);

/* corrector.c: sums of counters that agree or disagree with TAGE. Tables by global history come
 * first, then by local history, biases, and the one by inner-loop count. */
enum { CORRECTOR_GLOBALS = 4, CORRECTOR_LOCALS = 2, CORRECTOR_BIASES = 2,
       CORRECTOR_INNER = CORRECTOR_GLOBALS + CORRECTOR_LOCALS + CORRECTOR_BIASES,
       CORRECTOR_TABLES = CORRECTOR_INNER + 1,
       CORRECTOR_THRESHOLDS = 64, CORRECTOR_LOCAL_HISTORIES = 256 };
struct corrector {
    word_vector first;                  /* number of the first weight of each table but the last */
    int8_t *weight;                     /* [CORRECTOR_TABLES][entries] */
    uint16_t *local;                    /* [CORRECTOR_LOCAL_HISTORIES] */
    int16_t *threshold;                 /* [CORRECTOR_THRESHOLDS], times 8 */
    uint32_t entries, index_mask;
    uint8_t fold_bits, shift;           /* fold_bits: of an index, or more than a history has */
    bool wraps;                         /* entries is no power of two */
    bool is_wide;                       /* the host has wide vectors, and tables the usual size */
    int8_t medium, high;                /* choosers for small sums, by TAGE's confidence */
};
static inline uint16_t *corrector_local_of(const struct corrector *corrector, uint64_t pc)
{
    return &corrector->local[pc % CORRECTOR_LOCAL_HISTORIES];
}

static inline int16_t *corrector_threshold_of(const struct corrector *corrector, uint64_t pc)
{
    return &corrector->threshold[(pc ^ pc >> 6) % CORRECTOR_THRESHOLDS];
}

static inline int corrector_threshold(const struct corrector *corrector, uint64_t pc)
{
    return *corrector_threshold_of(corrector, pc) >> 3;     /* never negative */
}

void corrector_init(struct corrector *corrector, const struct config *config, struct arena *arena);
/* Corrects the prediction in RECORD_INNER_TAKEN. */
bool corrector_predict(const struct corrector *corrector, uint64_t pc, uint64_t history,
                       struct record *record);
uint64_t corrector_storage(const struct corrector *corrector);

#endif
