/* Return-address stack, and what is left of it after a misprediction: nothing is repaired; the
 * pointer is; the pointer and the entry it points to; or every entry (Skadron, Ahuja, Martonosi,
 * Clark, "Improving Prediction for Procedure Returns with Return-Address-Stack Repair Mechanisms",
 * MICRO 1998). Full repair undoes wrong-path pushes one by one from what they overwrote. */
#include "sim/core/bpred/targets.h"

void ras_init(struct ras *ras, const struct config *config, struct arena *arena)
{
    ras->entries = config->bpred_ras_entries;
    ras->repair = (uint8_t)config->bpred_ras_repair;
    ras->drops = config->bpred_ras_overflow != 0;
    ras->entry = arena_take(arena, ras->entries, sizeof ras->entry[0]);
}

uint64_t ras_storage(const struct ras *ras)
{
    return ras->entries == 0 ? 0 : (uint64_t)ras->entries * ADDRESS_BITS + log2_of(ras->entries);
}
