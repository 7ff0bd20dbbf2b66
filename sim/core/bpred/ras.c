/* Return-address stack, and what is left of it after a misprediction: nothing is repaired; the
 * pointer is; the pointer and the entry it points to; or every entry (Skadron, Ahuja, Martonosi,
 * Clark, "Improving Prediction for Procedure Returns with Return-Address-Stack Repair Mechanisms",
 * MICRO 1998). Full repair undoes wrong-path pushes one by one from what they overwrote. */
#include "sim/core/bpred/targets.h"

void ras_init(struct ras *ras, const struct config *config, struct arena *arena)
{
    ras->entries = config->bpred_ras_entries;
    ras->repair = (uint8_t)config->bpred_ras_repair;
    ras->entry = arena_take(arena, ras->entries, sizeof ras->entry[0]);
}

/* An undo ends when something else happens: the oldest snapshot's top entry is written back. */
static void finish_undo(struct ras *ras)
{
    if (!ras->has_saved)
        return;
    ras->has_saved = false;
    if (ras->top != 0)
        ras->entry[(ras->top - 1u) % ras->entries] = ras->saved;
}

void ras_push(struct ras *ras, uint64_t value)
{
    if (ras->entries == 0)
        return;
    finish_undo(ras);
    ras->entry[ras->top % ras->entries] = value;
    ras->top++;
}

uint64_t ras_pop(struct ras *ras)
{
    finish_undo(ras);
    if (ras->entries == 0 || ras->top == 0)
        return 0;
    ras->top--;
    return ras->entry[ras->top % ras->entries];
}

void ras_save(struct ras *ras, uint64_t *value, uint16_t *top)
{
    finish_undo(ras);
    *top = ras->top;
    if (ras->entries == 0)
        *value = 0;
    else if (ras->repair == RAS_TOP_ENTRY)
        *value = ras->top == 0 ? 0 : ras->entry[(ras->top - 1u) % ras->entries];
    else
        *value = ras->entry[ras->top % ras->entries];
}

void ras_undo(struct ras *ras, uint64_t value, uint16_t top)
{
    if (ras->entries == 0 || ras->repair == RAS_NONE)
        return;
    ras->top = top;
    if (ras->repair == RAS_FULL) {
        ras->entry[top % ras->entries] = value;
    } else if (ras->repair == RAS_TOP_ENTRY) {
        ras->has_saved = true;
        ras->saved = value;
    }
}

uint64_t ras_storage(const struct ras *ras)
{
    return ras->entries == 0 ? 0 : (uint64_t)ras->entries * ADDRESS_BITS + log2_of(ras->entries);
}
