/* See bpred_look.h. */
#include "sim/core/bpred/bpred_look.h"

#include "sim/core/bpred/bpred_internal.h"

static void look_at_buffer(const struct btb *btb, struct bpred_seen *seen)
{
    const struct btb_shape *shape = btb_shape(btb);
    seen->btb_entries = btb->entry != NULL ? shape->sets * shape->ways : 0;
    for (uint32_t i = 0; i < seen->btb_entries; i++)
        seen->btb_used += btb->entry[i].pc != UINT64_MAX;
}

/* During an undo the top entry is the saved one. */
static void look_at_stack(const struct ras *ras, struct bpred_seen *seen)
{
    const struct ras_shape *shape = ras_shape(ras);
    uint16_t depth = (uint16_t)(ras->top - ras->bottom);

    if (shape->entries == 0 || shape->repair == RAS_COMMITTED)
        return;
    for (; seen->stack < depth && seen->stack < shape->entries && seen->stack < BPRED_LOOK_STACK;
         seen->stack++) {
        uint16_t at = (uint16_t)(ras->top - 1u - seen->stack);
        bool is_saved = ras->has_saved && seen->stack == 0;

        seen->top[seen->stack] = is_saved ? ras->saved : ras->entry[at % shape->entries];
    }
}

static void look_at_counters(const struct bpred *bpred, struct bpred_seen *seen)
{
    unsigned direction = bpred_shape(bpred)->direction;
    const struct bimodal *table = direction == DIR_BIMODAL  ? &bpred->by.bimodal
                                  : direction == DIR_GSHARE ? &bpred->by.gshare.table
                                                            : NULL;

    if (table == NULL || table->counter == NULL)
        return;
    seen->counter = table->counter;
    seen->counters = (uint32_t)bimodal_shape(table)->mask + 1;
    seen->counter_max = bimodal_shape(table)->max;
}

void bpred_look(const struct bpred *bpred, struct bpred_seen *seen)
{
    *seen = (struct bpred_seen){.history = bpred->history};
    look_at_buffer(&bpred->btb, seen);
    look_at_stack(&bpred->ras, seen);
    look_at_counters(bpred, seen);
}
