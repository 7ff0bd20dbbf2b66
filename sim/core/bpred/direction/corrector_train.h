/* The training of the statistical corrector (corrector.c), inline for TAGE-SC-L. */
#ifndef SIM_CORE_BPRED_CORRECTOR_TRAIN_H
#define SIM_CORE_BPRED_CORRECTOR_TRAIN_H

#include "sim/core/bpred/direction/corrector_predict.h"

/* In corrector.c, for the rarer outcomes: corrector and TAGE disagree; the sum was small, or
 * wrong. The pc is shifted. */
void corrector_train_choosers(struct corrector *corrector, const struct record *record,
                              int threshold, bool corrector_right);
void corrector_train_weights(struct corrector *corrector, uint64_t pc, uint64_t history,
                             const struct record *record, bool taken);

/* Weights see the local history of the prediction, which is in the record. */
static ALWAYS_INLINE void corrector_train(struct corrector *corrector, uint64_t pc,
                                             uint64_t history, const struct record *record,
                                             bool taken)
{
    if (corrector->entries == 0)
        return;
    pc >>= corrector->shift;
    uint16_t *local = corrector_local_of(corrector, pc);
    *local = (uint16_t)low_bits((uint64_t)*local << 1 | taken, CORRECTOR_LOCAL_BITS);
    int limit = corrector_threshold(corrector, pc);
    bool right = ((record->flags & RECORD_CORRECTOR_TAKEN) != 0) == taken;
    bool inner_right = ((record->flags & RECORD_INNER_TAKEN) != 0) == taken;
    if (right != inner_right)
        corrector_train_choosers(corrector, record, limit, right);
    if (!right || abs(record->sum) < limit)
        corrector_train_weights(corrector, pc, history, record, taken);
}

#endif
