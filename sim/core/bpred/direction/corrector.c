/* Statistical corrector: a sum of counters chosen by pc, TAGE's prediction, global history, local
 * history and inner-loop count, which reverts TAGE where TAGE is statistically wrong (Seznec,
 * "TAGE-SC-L Branch Predictors Again", CBP 2016). Left out: the weights of whole tables, the second
 * and third local history. Local histories are those of branches that have trained. */
#include "sim/core/bpred/direction/corrector_train.h"
#include "sim/core/bpred/direction/lanes_wide.h"

enum { WEIGHT_BITS = 6, CHOOSER_BITS = 7, THRESHOLD_START = 35 * 8, THRESHOLD_MAX = 255 * 8 };

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
    corrector->is_wide = lanes_are_wide() && corrector->entries == 1u << CORRECTOR_USUAL_BITS;
    for (unsigned t = 0; t < CORRECTOR_INNER; t++)
        corrector->first[t] = t * corrector->entries;
    corrector->weight = arena_take(arena, CORRECTOR_TABLES * (size_t)corrector->entries, 1);
    corrector->local = arena_take(arena, CORRECTOR_LOCAL_HISTORIES, sizeof corrector->local[0]);
    corrector->threshold = arena_take(arena, CORRECTOR_THRESHOLDS, sizeof corrector->threshold[0]);
    if (corrector->threshold != NULL)
        for (unsigned i = 0; i < CORRECTOR_THRESHOLDS; i++)
            corrector->threshold[i] = THRESHOLD_START;
}

/* In tables of any size. */
static void find_any(const struct corrector *corrector, uint64_t pc, uint64_t history,
                     const struct record *record, struct corrector_places *places)
{
    uint32_t entries = corrector->entries;
    corrector_hash(pc, history, record, corrector->fold_bits, corrector->index_mask, places);
    if (corrector->wraps) {
        places->of -= (word_vector)(places->of >= entries) & entries;
        places->inner = (uint32_t)entry_at(places->inner, entries);
    }
    corrector_add_first(corrector, places);
}

bool corrector_predict(const struct corrector *corrector, uint64_t pc, uint64_t history,
                       struct record *record)
{
    if (corrector->entries == 0)
        return (record->flags & RECORD_INNER_TAKEN) != 0;
    return corrector_predict_by(corrector, pc, history, record, find_any, lane_ops_of_any);
}

void corrector_train_choosers(struct corrector *corrector, const struct record *record,
                              int threshold, bool corrector_right)
{
    int size = abs(record->sum);
    if (record->confidence == 2 && size < threshold / 2 && size >= threshold / 4)
        weight_move(&corrector->high, !corrector_right, CHOOSER_BITS);
    if (record->confidence == 1 && size < threshold / 4)
        weight_move(&corrector->medium, !corrector_right, CHOOSER_BITS);
}

void corrector_train_weights(struct corrector *corrector, uint64_t pc, uint64_t history,
                             const struct record *record, bool taken)
{
    int16_t *threshold = corrector_threshold_of(corrector, pc);
    bool right = ((record->flags & RECORD_CORRECTOR_TAKEN) != 0) == taken;
    struct corrector_places places;
    if (!right && *threshold < THRESHOLD_MAX)
        ++*threshold;
    else if (right && *threshold > 8)
        --*threshold;
    find_any(corrector, pc, history, record, &places);
    for (unsigned t = 0; t < CORRECTOR_INNER; t++)
        weight_move(&corrector->weight[places.of[t]], taken, WEIGHT_BITS);
    weight_move(&corrector->weight[places.inner], taken, WEIGHT_BITS);
}

uint64_t corrector_storage(const struct corrector *corrector)
{
    if (corrector->entries == 0)
        return 0;
    return CORRECTOR_TABLES * (uint64_t)corrector->entries * WEIGHT_BITS +
           CORRECTOR_LOCAL_HISTORIES * CORRECTOR_LOCAL_BITS + CORRECTOR_THRESHOLDS * 11 +
           2 * CHOOSER_BITS;
}
