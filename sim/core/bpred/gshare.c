/* Gshare: counters indexed by pc and global history, exclusive-ored (McFarling, "Combining Branch
 * Predictors", DEC WRL TN-36, 1993). Without pc bits it is the two-level predictor GAg of Yeh and
 * Patt (1991). */
#include "sim/core/bpred/predictors.h"

void gshare_init(struct gshare *gshare, const struct config *config, struct arena *arena)
{
    bimodal_init(&gshare->table, config, arena);
    gshare->history_mask = low_bits(UINT64_MAX, config->bpred_history);
    if (config->bpred_history_gap != 0) {
        gshare->older_mask = gshare->history_mask;
        gshare->history_mask = low_bits(UINT64_MAX, config->bpred_history_gap);
        gshare->older_mask = gshare->older_mask >> 1 & ~gshare->history_mask;
    }
    gshare->pc_mask = low_bits(UINT64_MAX, config->bpred_pc_bits);
    gshare->history_shift = (uint8_t)config->bpred_history_shift;
}

uint64_t gshare_storage(const struct gshare *gshare)
{
    return bimodal_storage(&gshare->table);
}
