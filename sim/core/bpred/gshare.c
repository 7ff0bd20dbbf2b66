/* Gshare: counters indexed by pc and global history, exclusive-ored (McFarling, "Combining Branch
 * Predictors", DEC WRL TN-36, 1993). Without pc bits it is the two-level predictor GAg of Yeh and
 * Patt (1991). */
#include "sim/core/bpred/predictors.h"

void gshare_init(struct gshare *gshare, const struct config *config, struct arena *arena)
{
    bimodal_init(&gshare->table, config, arena);
    gshare->history_mask = low_bits(UINT64_MAX, config->bpred_history);
    gshare->pc_mask = low_bits(UINT64_MAX, config->bpred_pc_bits);
    gshare->history_shift = (uint8_t)config->bpred_history_shift;
}

static uint64_t index_of(const struct gshare *gshare, uint64_t pc, uint64_t history)
{
    return (pc >> gshare->table.shift & gshare->pc_mask) ^
           (history & gshare->history_mask) << gshare->history_shift;
}

bool gshare_predict(const struct gshare *gshare, uint64_t pc, uint64_t history, bool is_backward)
{
    return bimodal_predict(&gshare->table, index_of(gshare, pc, history), is_backward);
}

void gshare_train(struct gshare *gshare, uint64_t pc, uint64_t history, bool taken)
{
    bimodal_train(&gshare->table, index_of(gshare, pc, history), taken);
}

uint64_t gshare_storage(const struct gshare *gshare)
{
    return bimodal_storage(&gshare->table);
}
