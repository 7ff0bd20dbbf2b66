/* See shadow_look.h. */
#include "shadowcache/shadow_look.h"

#include "shadowcache/shadow_internal.h"

uint32_t shadow_look_frames(const struct shadow *shadow)
{
    return shadow->frames;
}

struct shadow_seen shadow_look(const struct shadow *shadow, uint32_t index)
{
    const struct frame *frame = &shadow->frame[index];
    struct shadow_seen seen = {
        .is_filled = frame->block_pa != NO_BLOCK, .has_marks = frame->has_marks,
        .block_pa = frame->block_pa, .items = frame->block.items,
    };

    for (unsigned i = 0; seen.has_marks && i < frame->slots; i++)
        seen.counted += shadow_items(shadow, index)[i].count;
    return seen;
}

void shadow_look_item(const struct shadow *shadow, uint64_t item_pa, uint64_t *count,
                      uint64_t *interrupts)
{
    for (uint32_t i = 0; shadow != NULL && i < shadow->frames; i++) {
        const struct frame *frame = &shadow->frame[i];
        uint64_t offset = item_pa - frame->items_pa;
        const struct perfinst_item *item;

        if (!frame->has_marks || offset >= frame->slots * sizeof *item)
            continue;
        item = &shadow_items(shadow, i)[offset / sizeof *item];
        *count += item->count;
        *interrupts += item->interrupts;
    }
}

void shadow_on_count(struct shadow *shadow, shadow_count_handler *handler, void *arg)
{
    shadow->on_count = handler;
    shadow->count_arg = arg;
}
