/* Shadow frames without a cache frame: a set-associative structure of their own, with LRU; and
 * lookups of a line's metadata before it is in a frame. */
#include "shadowcache/shadow_internal.h"

void shadow_set_ways(struct shadow *shadow, uint32_t ways)
{
    shadow->ways = ways < shadow->frames ? ways : shadow->frames;
}

static uint32_t first_of_set(const struct shadow *shadow, uint64_t block_pa)
{
    uint32_t sets = shadow->frames / shadow->ways;

    return (uint32_t)((block_pa >> shadow->table.line_log2) % sets) * shadow->ways;
}

uint32_t shadow_find(const struct shadow *shadow, uint64_t block_pa)
{
    uint32_t first = first_of_set(shadow, block_pa);

    for (uint32_t i = first; i < first + shadow->ways; i++)
        if (shadow->frame[i].block_pa == block_pa)
            return i;
    return SHADOW_NO_FRAME;
}

uint32_t shadow_use(struct shadow *shadow, uint64_t block_pa)
{
    uint32_t frame = shadow_find(shadow, block_pa);

    if (frame != SHADOW_NO_FRAME)
        shadow->stamp[frame] = ++shadow->clock;
    return frame;
}

uint32_t shadow_victim(struct shadow *shadow, uint64_t block_pa)
{
    uint32_t first = first_of_set(shadow, block_pa), victim = first;

    for (uint32_t i = first + 1; i < first + shadow->ways; i++)
        if (shadow->stamp[i] < shadow->stamp[victim])
            victim = i;
    shadow->stamp[victim] = ++shadow->clock;
    return victim;
}

uint64_t *shadow_ready(struct shadow *shadow, uint32_t frame)
{
    return &shadow->ready[frame];
}

bool shadow_covers(const struct shadow *shadow, uint64_t block_pa)
{
    return table_covers(&shadow->table, block_pa);
}

bool shadow_look_up(const struct shadow *shadow, uint64_t pa, struct shadow_lookup *lookup)
{
    struct table_place place = {.pa = 0};
    uint64_t block_pa = shadow_line_of(shadow, pa);

    *lookup = (struct shadow_lookup){.is_covered = false};
    lookup->has_marks = table_find(&shadow->table, block_pa, &place);
    lookup->is_covered = place.in_segment;
    lookup->pa = place.pa;
    if (!lookup->has_marks)
        return false;
    lookup->on_miss = (place.block.flags & MARK_ON_MISS) != 0;
    lookup->item_pa = place.pa;
    if (place.block.items != 0)
        lookup->item_pa += sizeof place.block + shadow_item_index(shadow, &place.block, pa) *
                                                    sizeof(struct perfinst_item);
    for (unsigned i = 0; i < place.block.items; i++)
        lookup->on_miss |= (table_load_item(&shadow->table, place.pa + sizeof place.block +
                                            i * sizeof(struct perfinst_item)).flags &
                            MARK_ON_MISS) != 0;
    return true;
}
