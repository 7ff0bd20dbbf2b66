/* The training of TAGE (tage.c), inline for the predictors that it is a part of. */
#ifndef SIM_CORE_BPRED_TAGE_TRAIN_H
#define SIM_CORE_BPRED_TAGE_TRAIN_H

#include "sim/core/bpred/direction/tage_predict.h"

enum { TAGE_ALTERNATE_BITS = 4 };

/* In tage.c, for the rarer outcomes: new entries after a misprediction; training of the alternate,
 * which would have predicted without the provider. */
void tage_allocate(struct tage *tage, const struct record *record, bool taken);
void tage_train_alternate(struct tage *tage, uint64_t pc, const struct record *record, bool taken);

static inline void tage_train_provider(struct tage *tage, uint64_t pc, const struct record *record,
                                       bool taken)
{
    struct tage_entry *entry = tage_entry_of(tage, record, record->provider);
    bool provider_right = ((record->flags & RECORD_PROVIDER_TAKEN) != 0) == taken;
    bool alternate_right = ((record->flags & RECORD_ALTERNATE_TAKEN) != 0) == taken;
    bool was_weak = weight_is_weak(entry->counter);
    if (was_weak && provider_right != alternate_right)
        weight_move(&tage->alternate_wins, alternate_right, TAGE_ALTERNATE_BITS);
    if (was_weak && !provider_right)
        tage_train_alternate(tage, pc, record, taken);
    weight_move(&entry->counter, taken, TAGE_COUNTER_BITS);
    if (weight_is_weak(entry->counter))     /* it was wrong */
        entry->useful = 0;
    if (provider_right && !alternate_right)
        entry->useful = 1;
}

/* If a new entry is already right, no longer history is allocated, even if the alternate was
 * chosen. */
static ALWAYS_INLINE void tage_train(struct tage *tage, uint64_t pc,
                                        const struct record *record, bool taken)
{
    bool wrong = ((record->flags & RECORD_TAGE_TAKEN) != 0) != taken;
    if (wrong && record->provider != NO_TABLE &&
        weight_is_weak(tage_entry_of(tage, record, record->provider)->counter) &&
        ((record->flags & RECORD_PROVIDER_TAKEN) != 0) == taken)
        wrong = false;
    if (record->provider != NO_TABLE)
        tage_train_provider(tage, pc, record, taken);
    else
        bimodal_train(&tage->base, pc >> tage->shift, taken);
    if (wrong)
        tage_allocate(tage, record, taken);
}

#endif
