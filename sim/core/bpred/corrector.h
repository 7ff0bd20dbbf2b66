/* The helpers of TAGE-SC-L: loop predictor and statistical corrector. */
#ifndef SIM_CORE_BPRED_CORRECTOR_H
#define SIM_CORE_BPRED_CORRECTOR_H

#include "sim/core/bpred/predictors.h"

/* In loop.c: branches with a constant number of iterations. `count` counts committed branches,
 * `fetched` fetched ones, with wrong paths undone. */
struct loop_entry { uint16_t tag, length, count, fetched; uint8_t confidence, age; bool body; };
struct loop {
    struct loop_entry *entry;           /* [sets][4]; NULL: none */
    uint32_t sets, index_mask;
    uint32_t noise;
    uint8_t shift, tag_shift;           /* shifts of the pc for the index, and for the tag */
};
void loop_init(struct loop *loop, const struct config *config, struct arena *arena);
/* Sets loop_entry, loop_count and the flags LOOP_* of the record. */
void loop_predict(const struct loop *loop, uint64_t pc, struct record *record);
/* The branch was fetched, or corrected to, taken or not. */
void loop_advance(struct loop *loop, const struct record *record, bool taken);
void loop_undo(struct loop *loop, const struct record *record);
void loop_train(struct loop *loop, uint64_t pc, const struct record *record, bool tage_taken,
                bool mispredicted, bool taken);
uint64_t loop_storage(const struct loop *loop);

/* corrector.c: sums of counters that agree or disagree with TAGE. */
enum { CORRECTOR_BIASES = 2, CORRECTOR_GLOBALS = 4, CORRECTOR_LOCALS = 2,
       CORRECTOR_TABLES = CORRECTOR_BIASES + CORRECTOR_GLOBALS + CORRECTOR_LOCALS + 1,
       CORRECTOR_THRESHOLDS = 64, CORRECTOR_LOCAL_HISTORIES = 256 };
struct corrector {
    int8_t *weight[CORRECTOR_TABLES];   /* weight[0] NULL: none */
    uint16_t *local;                    /* [CORRECTOR_LOCAL_HISTORIES] */
    int16_t *threshold;                 /* [CORRECTOR_THRESHOLDS], times 8 */
    uint32_t entries, index_mask;
    uint8_t fold_bits, shift;           /* fold_bits: of an index, or more than a history has */
    bool wraps;                         /* entries is no power of two */
    int8_t first, second;               /* choosers for small sums */
};
void corrector_init(struct corrector *corrector, const struct config *config, struct arena *arena);
/* Corrects the prediction in RECORD_INNER_TAKEN. */
bool corrector_predict(const struct corrector *corrector, uint64_t pc, uint64_t history,
                       struct record *record);
void corrector_train(struct corrector *corrector, uint64_t pc, uint64_t history,
                     const struct record *record, bool taken);
uint64_t corrector_storage(const struct corrector *corrector);

#endif
