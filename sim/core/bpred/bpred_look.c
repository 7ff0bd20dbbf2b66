/* See bpred_look.h. */
#include "sim/core/bpred/bpred_look.h"

#include "sim/core/bpred/bpred_internal.h"

static void look_at_buffer(const struct btb *btb, struct bpred_seen *seen)
{
    seen->btb_entries = btb->entry != NULL ? btb->sets * btb->ways : 0;
    for (uint32_t i = 0; i < seen->btb_entries; i++)
        seen->btb_used += btb->entry[i].pc != UINT64_MAX;
}

/* During an undo the top entry is the saved one. */
static void look_at_stack(const struct ras *ras, struct bpred_seen *seen)
{
    uint16_t depth = (uint16_t)(ras->top - ras->bottom);

    if (ras->entries == 0 || ras->repair == RAS_COMMITTED)
        return;
    for (; seen->stack < depth && seen->stack < ras->entries && seen->stack < BPRED_LOOK_STACK;
         seen->stack++) {
        uint16_t at = (uint16_t)(ras->top - 1u - seen->stack);
        bool is_saved = ras->has_saved && seen->stack == 0;

        seen->top[seen->stack] = is_saved ? ras->saved : ras->entry[at % ras->entries];
    }
}

static void look_at_counters(const struct bpred *bpred, struct bpred_seen *seen)
{
    const struct bimodal *table = bpred->direction == DIR_BIMODAL  ? &bpred->by.bimodal
                                  : bpred->direction == DIR_GSHARE ? &bpred->by.gshare.table
                                                                   : NULL;

    if (table == NULL || table->counter == NULL)
        return;
    seen->counter = table->counter;
    seen->counters = (uint32_t)table->mask + 1;
    seen->counter_max = table->max;
}

void bpred_look(const struct bpred *bpred, struct bpred_seen *seen)
{
    *seen = (struct bpred_seen){.history = bpred->history};
    look_at_buffer(&bpred->btb, seen);
    look_at_stack(&bpred->ras, seen);
    look_at_counters(bpred, seen);
}
