/* TAGE-SC-L: TAGE, overruled by the loop predictor where that is sure, and both by the statistical
 * corrector (Seznec, "TAGE-SC-L Branch Predictors Again", CBP 2016). */
#include "sim/core/bpred/corrector.h"

enum { LOOP_HELPS_BITS = 7 };

void tage_sc_l_init(struct tage_sc_l *predictor, const struct config *config,
                    struct history *history, struct arena *arena)
{
    tage_init(&predictor->tage, config, history, arena);
    loop_init(&predictor->loop, config, arena);
    corrector_init(&predictor->corrector, config, arena);
    predictor->loop_helps = -1;
}

bool tage_sc_l_predict(struct tage_sc_l *predictor, uint64_t pc, uint64_t history,
                       struct record *record)
{
    bool taken = tage_predict(&predictor->tage, pc, record);
    loop_predict(&predictor->loop, pc, record);
    if ((record->flags & RECORD_LOOP_VALID) && predictor->loop_helps >= 0)
        taken = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if (taken)
        record->flags |= RECORD_INNER_TAKEN;
    return corrector_predict(&predictor->corrector, pc, history, record);
}

void tage_sc_l_train(struct tage_sc_l *predictor, uint64_t pc, uint64_t history,
                     const struct record *record, bool predicted, bool taken)
{
    bool tage_taken = (record->flags & RECORD_TAGE_TAKEN) != 0;
    bool loop_taken = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if ((record->flags & RECORD_LOOP_VALID) && tage_taken != loop_taken)
        weight_move(&predictor->loop_helps, loop_taken == taken, LOOP_HELPS_BITS);
    loop_train(&predictor->loop, pc, record, tage_taken, predicted != taken, taken);
    corrector_train(&predictor->corrector, pc, history, record, taken);
    tage_train(&predictor->tage, pc, record, taken);
}

uint64_t tage_sc_l_storage(const struct tage_sc_l *predictor)
{
    return tage_storage(&predictor->tage) + loop_storage(&predictor->loop) +
           corrector_storage(&predictor->corrector) + LOOP_HELPS_BITS;
}
