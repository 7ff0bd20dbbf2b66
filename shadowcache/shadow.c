/* Shadow frames over guest memory: filling, merging and emptying them. shadow_internal.h has the
 * invariants. */
#include "shadowcache/shadow_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The sum of the counts of several frames may come near the overflow here; it is then handed over
 * as at a count. */
static void merge_item(struct shadow *shadow, const struct frame *frame, unsigned number,
                       struct perfinst_item *delta)
{
    uint64_t pa = frame->items_pa + number * sizeof *delta;
    struct perfinst_item memory = table_load_item(&shadow->table, pa);
    uint64_t sum = memory.count + delta->count;
    bool is_near = (delta->flags & MARK_NEAR) != 0 &&
                   counter_is_near(&shadow->format, memory.count, delta->count);

    memory.count = is_near ? 0 : counter_add(&shadow->format, memory.count, delta->count);
    memory.cleared += is_near ? sum : 0;
    memory.interrupts += delta->interrupts + is_near;
    table_store_item(&shadow->table, pa, &memory);
    delta->count = 0;
    delta->interrupts = 0;
    if (is_near)
        shadow_tell_near(shadow, frame, number, sum, delta->flags);
}

static bool has_delta(const struct perfinst_item *item)
{
    return item->count != 0 || item->interrupts != 0;
}

/* Returns the bytes written: records of changed items, and of earlier clears. */
static uint32_t write_back(struct shadow *shadow, uint32_t index)
{
    struct frame *frame = &shadow->frame[index];
    struct perfinst_item *items = shadow_items(shadow, index);
    uint32_t written = shadow->cleared_bytes;

    if (frame->dirty && shadow->areas != 0)
        written += shadow_cells_merge(shadow, index);
    for (unsigned i = 0; frame->dirty && i < frame->block.items; i++) {
        if (!has_delta(&items[i]))
            continue;
        merge_item(shadow, frame, i, &items[i]);
        written += (uint32_t)sizeof items[i];
    }
    frame->dirty = false;
    shadow->cleared_bytes = 0;
    return written;
}

static void empty(struct frame *frame)
{
    *frame = (struct frame){.block_pa = NO_BLOCK};
}

/* Copies descriptors, with deltas of zero. A compact block with counters in a work area has only
 * deltas. */
static void load(struct shadow *shadow, uint32_t index, const struct table_place *place)
{
    struct frame *frame = &shadow->frame[index];
    struct perfinst_item *items = shadow_items(shadow, index);

    frame->block = place->block;
    frame->items_pa = place->pa + sizeof place->block;
    frame->has_marks = true;
    frame->slots = frame->block.items;
    frame->item = items;
    frame->item_bytes = frame->block.items * (uint32_t)sizeof *items;
    if (frame->block.items != 0)
        memcpy(items, table_host(&shadow->table, frame->items_pa),
               frame->block.items * sizeof *items);
    else if ((frame->block.flags & MARK_AREA) != 0)
        frame->slots = shadow->table.line_bytes >> frame->block.granule_log2;
    if (frame->slots != frame->block.items)
        memset(items, 0, frame->slots * sizeof *items);
    for (unsigned i = 0; i < frame->slots; i++) {
        items[i].count = 0;
        items[i].cleared = 0;
        items[i].interrupts = 0;
        shadow_marks(shadow, index)[i].end_pa = 0;
        shadow_marks(shadow, index)[i].only_counts = false;
    }
}

static bool has_on_miss(const struct shadow *shadow, uint32_t index)
{
    const struct perfinst_item *items = shadow_items(shadow, index);
    unsigned flags = shadow->frame[index].block.flags;

    for (unsigned i = 0; i < shadow->frame[index].block.items; i++)
        flags |= items[i].flags;
    return (flags & MARK_ON_MISS) != 0;
}

struct shadow *shadow_new(struct shadow_memory memory, uint32_t frames, uint32_t line_bytes,
                          unsigned kind)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);

    assert(line_bytes != 0 && (line_bytes & (line_bytes - 1)) == 0);
    if (shadow == NULL)
        return NULL;
    shadow->table = table_make(memory, line_bytes, kind);
    shadow->format = counter_format_make(64, false, 0);
    shadow->frames = frames;
    shadow->kind = kind;
    shadow->stamp = calloc(frames + 1, sizeof *shadow->stamp);
    shadow->ready = calloc(frames + 1, sizeof *shadow->ready);
    shadow->frame = calloc(frames + 1, sizeof *shadow->frame);
    shadow->item = calloc((size_t)frames * shadow->table.max_items + 1, sizeof *shadow->item);
    shadow->mark = calloc((size_t)frames * shadow->table.max_items + 1, sizeof *shadow->mark);
    if (shadow->frame == NULL || shadow->item == NULL || shadow->mark == NULL ||
        shadow->stamp == NULL || shadow->ready == NULL) {
        shadow_free(shadow);
        return NULL;
    }
    for (uint32_t i = 0; i < frames; i++)
        empty(&shadow->frame[i]);
    return shadow;
}

void shadow_free(struct shadow *shadow)
{
    if (shadow == NULL)
        return;
    free(shadow->stamp);
    free(shadow->ready);
    free(shadow->frame);
    free(shadow->item);
    free(shadow->mark);
    free(shadow);
}

void shadow_flush(struct shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->frames; i++) {
        write_back(shadow, i);
        empty(&shadow->frame[i]);
    }
}

static uint32_t frame_of(const struct shadow *shadow, uint64_t block_pa)
{
    for (uint32_t i = 0; i < shadow->frames; i++)
        if (shadow->frame[i].block_pa == block_pa)
            return i;
    return SHADOW_NO_FRAME;
}

/* The bytes written are reported with the next frame that is filled or dropped. */
void shadow_merge(struct shadow *shadow, uint64_t pa)
{
    uint32_t frame = frame_of(shadow, shadow_line_of(shadow, pa));

    if (frame != SHADOW_NO_FRAME)
        shadow->cleared_bytes = write_back(shadow, frame);
}

void shadow_share_limits(struct shadow *shadow)
{
    shadow->limits_are_shared = true;
}

void shadow_set_segments(struct shadow *shadow, const uint64_t segment[PROF_SEGMENTS][4])
{
    shadow_flush(shadow);
    table_set_segments(&shadow->table, segment, shadow->kind);
}

void shadow_set_format(struct shadow *shadow, uint64_t format, uint64_t distance)
{
    shadow_flush(shadow);
    shadow->format = counter_format_make(format & PROF_COUNTER_BITS,
                                         (format & PROF_COUNTER_SATURATES) != 0, distance);
}

void shadow_fill(struct shadow *shadow, uint32_t frame, uint64_t block_pa,
                 struct shadow_traffic *traffic)
{
    struct table_place place;

    *traffic = (struct shadow_traffic){.written_pa = shadow->frame[frame].items_pa,
                                       .written_bytes = write_back(shadow, frame)};
    empty(&shadow->frame[frame]);
    shadow->frame[frame].block_pa = block_pa;
    traffic->hit = table_find(&shadow->table, block_pa, &place);
    traffic->none = place.in_segment && !traffic->hit;
    if (place.in_segment) {
        traffic->pa = place.pa;
        traffic->read_bytes = TABLE_WORD_BYTES;
    }
    if (!traffic->hit)
        return;
    load(shadow, frame, &place);
    traffic->read_bytes += (uint32_t)(sizeof place.block +
                                      place.block.items * sizeof(struct perfinst_item));
    traffic->on_miss = has_on_miss(shadow, frame);
}

void shadow_drop(struct shadow *shadow, uint32_t frame, struct shadow_traffic *traffic)
{
    uint64_t pa = shadow->frame[frame].items_pa;

    *traffic = (struct shadow_traffic){
        .written_bytes = write_back(shadow, frame), .pa = pa, .written_pa = pa};
    empty(&shadow->frame[frame]);
}
