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
