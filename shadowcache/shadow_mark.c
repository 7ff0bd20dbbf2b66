/* The meaning of a mark, from the frame or from memory. */
#include "shadowcache/shadow_internal.h"

/* Flags that a whole block can have; counters and thresholds need an item. */
#define BLOCK_FLAGS (MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_STOP | MARK_TOGGLE |          \
                     MARK_LABEL | MARK_ON_MISS | MARK_BUNDLE | MARK_AREA | MARK_TAKEN |            \
                     MARK_MISPREDICTED)

/* The flags of a mark that have an effect when it is hit. */
#define ACTS (MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_STOP | MARK_TOGGLE |                 \
              MARK_COUNTER | MARK_THRESHOLD | MARK_LABEL | MARK_NEAR | MARK_AREA | MARK_TAKEN |    \
              MARK_MISPREDICTED | MARK_ALARM)

enum { PAGE_BYTES = 4096 };

static void mark_from_item(struct mark *mark, const struct perfinst_item *item, uint64_t item_pa)
{
    if (item->flags == 0)
        return;
    mark->flags |= item->flags;
    if ((item->flags & MARK_LABEL) != 0)
        mark->label = item->label;
    mark->latency_bits = item->latency_bits;
    mark->latency_cycles = item->latency_cycles;
    mark->limit = (item->flags & (MARK_COUNTER | MARK_ALARM)) != 0 ? item->limit : 0;
    mark->item_pa = item_pa;
}

static uint64_t end_of_item(const struct perfinst_block *block, uint64_t pa)
{
    return ((pa >> block->granule_log2) + 1) << block->granule_log2;
}

/* For the compact form: true if the item's bit is set. */
static bool is_in_bitmap(const struct shadow *shadow, const struct perfinst_block *block,
                         uint64_t pa)
{
    return (block->bitmap >> shadow_item_index(shadow, block, pa) & 1) != 0;
}

/* block: of the line that contains pa; items: its descriptors or NULL (no items). */
static bool mark_make(const struct shadow *shadow, const struct perfinst_block *block,
                      const struct perfinst_item *item, uint64_t items_pa, uint64_t pa,
                      struct mark *mark)
{
    uint64_t line_end = (pa | (shadow->table.line_bytes - 1)) + 1;

    *mark = (struct mark){.flags = block->flags & BLOCK_FLAGS, .end_pa = line_end};
    if ((mark->flags & MARK_LABEL) != 0)
        mark->label = block->label;
    if (item != NULL) {
        mark_from_item(mark, item, items_pa + shadow_item_index(shadow, block, pa) * sizeof *item);
        mark->end_pa = end_of_item(block, pa);
        mark->only_counts = (mark->flags & ACTS) == MARK_COUNTER && mark->limit == 0;
    } else if (block->bitmap != 0 || (block->flags & MARK_AREA) != 0) {
        mark->end_pa = end_of_item(block, pa);
        if (block->bitmap != 0 && !is_in_bitmap(shadow, block, pa))
            mark->flags = 0;
    }
    mark->granule_log2 = block->granule_log2;
    return mark->flags != 0;
}

/* The mark of an item in the frame, made at its first use. */
static bool item_mark(const struct shadow *shadow, uint32_t index, uint64_t pa, struct mark *mark)
{
    const struct frame *frame = &shadow->frame[index];
    unsigned i = shadow_item_index(shadow, &frame->block, pa);
    struct mark *made = &shadow_marks(shadow, index)[i];

    if (made->end_pa == 0)
        mark_make(shadow, &frame->block, &shadow_items(shadow, index)[i], frame->items_pa, pa,
                  made);
    *mark = *made;
    return made->flags != 0;
}

static bool mark_in_frame(const struct shadow *shadow, uint32_t index, uint64_t pa,
                          struct mark *mark)
{
    const struct frame *frame = &shadow->frame[index];

    if (frame->block.items != 0)
        return item_mark(shadow, index, pa, mark);
    *mark = (struct mark){.end_pa = shadow_line_of(shadow, pa) + shadow->table.line_bytes};
    return frame->has_marks &&
           mark_make(shadow, &frame->block, NULL, frame->items_pa, pa, mark);
}

static bool mark_in_memory(const struct shadow *shadow, uint64_t pa, struct mark *mark)
{
    struct perfinst_item item;
    struct table_place place;
    uint64_t items_pa;

    *mark = (struct mark){.end_pa = shadow_line_of(shadow, pa) + shadow->table.line_bytes};
    if (!table_find(&shadow->table, shadow_line_of(shadow, pa), &place))
        return false;
    items_pa = place.pa + sizeof place.block;
    if (place.block.items == 0)
        return mark_make(shadow, &place.block, NULL, items_pa, pa, mark);
    item = table_load_item(&shadow->table,
                           items_pa + shadow_item_index(shadow, &place.block, pa) * sizeof item);
    return mark_make(shadow, &place.block, &item, items_pa, pa, mark);
}

bool shadow_frame_has(const struct shadow *shadow, uint32_t frame, uint64_t block_pa)
{
    struct table_place place;

    if (shadow->table.segments == 0)
        return false;
    if (shadow_holds(shadow, frame, block_pa))
        return shadow->frame[frame].has_marks;
    return table_find(&shadow->table, block_pa, &place);
}

bool shadow_open_row(const struct shadow *shadow, uint32_t frame, uint64_t block_pa,
                     struct shadow_row *row)
{
    const struct frame *held;

    row->bytes = 0;
    if (shadow->table.segments == 0 || !shadow_holds(shadow, frame, block_pa))
        return shadow_frame_has(shadow, frame, block_pa);
    held = &shadow->frame[frame];
    if (held->block.items != 0)
        *row = (struct shadow_row){
            .mark = shadow_marks(shadow, frame), .line_pa = block_pa,
            .bytes = shadow->table.line_bytes, .granule_log2 = held->block.granule_log2,
        };
    return held->has_marks;
}

bool shadow_mark(const struct shadow *shadow, uint32_t frame, uint64_t pa, struct mark *mark)
{
    if (shadow_holds(shadow, frame, shadow_line_of(shadow, pa)))
        return mark_in_frame(shadow, frame, pa, mark);
    return mark_in_memory(shadow, pa, mark);
}

bool shadow_access_mark(const struct shadow *shadow, uint32_t frame, uint64_t pa, unsigned bytes,
                        struct mark *mark)
{
    uint64_t page_rest = PAGE_BYTES - (pa & (PAGE_BYTES - 1));
    uint64_t count = bytes < page_rest ? bytes : page_rest;

    for (uint64_t at = pa; at - pa < count; at = mark->end_pa)
        if (shadow_mark(shadow, frame, at, mark))
            return true;
    return false;
}
