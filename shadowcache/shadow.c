/* Shadow frames over guest memory.
 *
 * A frame copies the descriptors of its block; in the copy the fields count, cleared and interrupts
 * are deltas to memory, modulo 2^64. Invariants:
 *   - the true value of a counter is memory plus the deltas of all frames that hold its block;
 *   - count + cleared of an item, so summed, is the number of times it was counted, always;
 *   - a frame with items == 0 has no deltas. */
#include "shadowcache/shadow.h"
#include "shadowcache/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a whole block can say; counters and thresholds need an item. */
#define BLOCK_FLAGS (MARK_COUNT | MARK_INTERRUPT | MARK_START | MARK_STOP | MARK_TOGGLE |          \
                     MARK_LABEL | MARK_ON_MISS | MARK_BUNDLE)

#define NO_BLOCK UINT64_MAX

enum { NO_ITEM = -1, PAGE_BYTES = 4096 };

struct frame {
    uint64_t block_pa;          /* line it was filled for, or NO_BLOCK */
    uint64_t items_pa;          /* of the first perfinst_item in memory */
    struct perfinst_block block;
    bool has_marks, dirty;
};

struct shadow {
    struct table table;             /* segments, line size, memory */
    uint32_t frames;
    unsigned kind;
    struct frame *frame;
    struct perfinst_item *item;     /* [frames][max_items] */
};

/* ---- frames ---------------------------------------------------------------------------------- */

static struct perfinst_item *frame_items(const struct shadow *shadow, uint32_t frame)
{
    return &shadow->item[(size_t)frame * shadow->table.max_items];
}

static bool holds(const struct shadow *shadow, uint32_t frame, uint64_t block_pa)
{
    return frame != SHADOW_NO_FRAME && frame < shadow->frames &&
           shadow->frame[frame].block_pa == block_pa;
}

/* Memory takes the deltas. Two frames may both have cleared what memory held: `count` never goes
 * below zero, and count + cleared stays exact. */
static void merge(struct perfinst_item *memory, struct perfinst_item *delta)
{
    uint64_t count = memory->count + delta->count;
    uint64_t total = count + memory->cleared + delta->cleared;

    if ((int64_t)count < 0)
        count = 0;
    memory->count = count;
    memory->cleared = total - count;
    memory->interrupts += delta->interrupts;
    delta->count = 0;
    delta->cleared = 0;
    delta->interrupts = 0;
}

static bool has_delta(const struct perfinst_item *item)
{
    return item->count != 0 || item->cleared != 0 || item->interrupts != 0;
}

/* Returns the bytes written: the records of the items that changed. */
static uint32_t write_back(struct shadow *shadow, uint32_t index)
{
    struct frame *frame = &shadow->frame[index];
    struct perfinst_item *items = frame_items(shadow, index);
    uint32_t written = 0;

    for (unsigned i = 0; frame->dirty && i < frame->block.items; i++) {
        uint64_t pa = frame->items_pa + i * sizeof *items;
        struct perfinst_item memory;

        if (!has_delta(&items[i]))
            continue;
        memory = table_load_item(&shadow->table, pa);
        merge(&memory, &items[i]);
        table_store_item(&shadow->table, pa, &memory);
        written += (uint32_t)sizeof memory;
    }
    frame->dirty = false;
    return written;
}

static void empty(struct frame *frame)
{
    *frame = (struct frame){.block_pa = NO_BLOCK};
}

/* Copies descriptors, with deltas of zero. */
static void load(struct shadow *shadow, uint32_t index, const struct table_place *place)
{
    struct frame *frame = &shadow->frame[index];
    struct perfinst_item *items = frame_items(shadow, index);

    frame->block = place->block;
    frame->items_pa = place->pa + sizeof place->block;
    frame->has_marks = true;
    if (frame->block.items != 0)
        memcpy(items, table_host(&shadow->table, frame->items_pa),
               frame->block.items * sizeof *items);
    for (unsigned i = 0; i < frame->block.items; i++) {
        items[i].count = 0;
        items[i].cleared = 0;
        items[i].interrupts = 0;
    }
}

static bool has_on_miss(const struct shadow *shadow, uint32_t index)
{
    const struct perfinst_item *items = frame_items(shadow, index);
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
    shadow->frames = frames;
    shadow->kind = kind;
    shadow->frame = calloc(frames + 1, sizeof *shadow->frame);
    shadow->item = calloc((size_t)frames * shadow->table.max_items + 1, sizeof *shadow->item);
    if (shadow->frame == NULL || shadow->item == NULL) {
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
    free(shadow->frame);
    free(shadow->item);
    free(shadow);
}

void shadow_flush(struct shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->frames; i++) {
        write_back(shadow, i);
        empty(&shadow->frame[i]);
    }
}

void shadow_set_segments(struct shadow *shadow, const uint64_t segment[PROF_SEGMENTS][4])
{
    shadow_flush(shadow);
    table_set_segments(&shadow->table, segment, shadow->kind);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static unsigned item_index(const struct shadow *shadow, const struct perfinst_block *block,
                           uint64_t pa)
{
    return (unsigned)((pa & (shadow->table.line_bytes - 1)) >> block->granule_log2);
}

static void mark_from_item(struct mark *mark, const struct perfinst_item *item, uint64_t item_pa)
{
    if (item->flags == 0)
        return;
    mark->flags |= item->flags;
    if ((item->flags & MARK_LABEL) != 0)
        mark->label = item->label;
    mark->latency_bits = item->latency_bits;
    mark->latency_cycles = item->latency_cycles;
    mark->limit = (item->flags & MARK_COUNTER) != 0 ? item->limit : 0;
    mark->item_pa = item_pa;
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
        mark_from_item(mark, item, items_pa + item_index(shadow, block, pa) * sizeof *item);
        mark->end_pa = ((pa >> block->granule_log2) + 1) << block->granule_log2;
    }
    return mark->flags != 0;
}

static uint64_t line_of(const struct shadow *shadow, uint64_t pa)
{
    return pa & ~(uint64_t)(shadow->table.line_bytes - 1);
}

static bool mark_in_frame(const struct shadow *shadow, uint32_t index, uint64_t pa,
                          struct mark *mark)
{
    const struct frame *frame = &shadow->frame[index];
    const struct perfinst_item *item = NULL;

    *mark = (struct mark){.end_pa = line_of(shadow, pa) + shadow->table.line_bytes};
    if (!frame->has_marks)
        return false;
    if (frame->block.items != 0)
        item = &frame_items(shadow, index)[item_index(shadow, &frame->block, pa)];
    return mark_make(shadow, &frame->block, item, frame->items_pa, pa, mark);
}

static bool mark_in_memory(const struct shadow *shadow, uint64_t pa, struct mark *mark)
{
    struct perfinst_item item;
    struct table_place place;
    uint64_t items_pa;

    *mark = (struct mark){.end_pa = line_of(shadow, pa) + shadow->table.line_bytes};
    if (!table_find(&shadow->table, line_of(shadow, pa), &place))
        return false;
    items_pa = place.pa + sizeof place.block;
    if (place.block.items == 0)
        return mark_make(shadow, &place.block, NULL, items_pa, pa, mark);
    item = table_load_item(&shadow->table,
                           items_pa + item_index(shadow, &place.block, pa) * sizeof item);
    return mark_make(shadow, &place.block, &item, items_pa, pa, mark);
}

bool shadow_frame_has(const struct shadow *shadow, uint32_t frame, uint64_t block_pa)
{
    struct table_place place;

    if (shadow->table.segments == 0)
        return false;
    if (holds(shadow, frame, block_pa))
        return shadow->frame[frame].has_marks;
    return table_find(&shadow->table, block_pa, &place);
}

bool shadow_mark(const struct shadow *shadow, uint32_t frame, uint64_t pa, struct mark *mark)
{
    if (holds(shadow, frame, line_of(shadow, pa)))
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

void shadow_fill(struct shadow *shadow, uint32_t frame, uint64_t block_pa,
                 struct shadow_traffic *traffic)
{
    struct table_place place;

    *traffic = (struct shadow_traffic){.written_bytes = write_back(shadow, frame)};
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

    *traffic = (struct shadow_traffic){.written_bytes = write_back(shadow, frame), .pa = pa};
    empty(&shadow->frame[frame]);
}

/* ---- own counters ---------------------------------------------------------------------------- */

/* The item's index in the frame, or NO_ITEM when the frame does not hold it. */
static int item_in_frame(const struct shadow *shadow, uint32_t index, uint64_t item_pa)
{
    const struct frame *frame;
    uint64_t offset;

    if (index == SHADOW_NO_FRAME || index >= shadow->frames)
        return NO_ITEM;
    frame = &shadow->frame[index];
    offset = item_pa - frame->items_pa;
    if (!frame->has_marks || offset >= frame->block.items * sizeof(struct perfinst_item))
        return NO_ITEM;
    return (int)(offset / sizeof(struct perfinst_item));
}

/* Where the item counts now: the frame's delta, or a copy of memory to be stored back. */
static struct perfinst_item *item_open(struct shadow *shadow, uint32_t frame, uint64_t item_pa,
                                       struct perfinst_item *copy)
{
    int index = item_in_frame(shadow, frame, item_pa);

    if (index == NO_ITEM) {
        *copy = table_load_item(&shadow->table, item_pa);
        return copy;
    }
    shadow->frame[frame].dirty = true;
    return &frame_items(shadow, frame)[index];
}

static void item_close(struct shadow *shadow, uint64_t item_pa, const struct perfinst_item *item,
                       const struct perfinst_item *copy)
{
    if (item == copy)
        table_store_item(&shadow->table, item_pa, copy);
}

/* The counter's value: with memory's share, unless `item` is memory itself. Below zero only while
 * another hart has merged a clear of the same counts. */
static uint64_t current_count(const struct shadow *shadow, uint64_t item_pa,
                              const struct perfinst_item *item, const struct perfinst_item *copy)
{
    uint64_t count = item->count;

    if (item != copy)
        count += table_load_item(&shadow->table, item_pa).count;
    return (int64_t)count < 0 ? 0 : count;
}

static void clear_count(struct perfinst_item *item, uint64_t count)
{
    item->count -= count;
    item->cleared += count;
}

static bool item_is_countable(const struct shadow *shadow, const struct mark *mark)
{
    return mark->item_pa != 0 &&
           table_in_ram(&shadow->table, mark->item_pa, sizeof(struct perfinst_item));
}

bool shadow_count(struct shadow *shadow, uint32_t frame, const struct mark *mark, uint64_t *count)
{
    struct perfinst_item copy, *item;
    bool passed;

    *count = 0;
    if (!item_is_countable(shadow, mark))
        return false;
    item = item_open(shadow, frame, mark->item_pa, &copy);
    item->count++;
    *count = current_count(shadow, mark->item_pa, item, &copy);
    passed = mark->limit != 0 && *count > mark->limit;
    if (passed) {
        clear_count(item, *count);
        item->interrupts += (mark->flags & MARK_INTERRUPT) != 0;
    }
    item_close(shadow, mark->item_pa, item, &copy);
    return passed;
}

void shadow_note_interrupt(struct shadow *shadow, uint32_t frame, const struct mark *mark)
{
    struct perfinst_item copy, *item;

    if (!item_is_countable(shadow, mark))
        return;
    item = item_open(shadow, frame, mark->item_pa, &copy);
    item->interrupts++;
    item_close(shadow, mark->item_pa, item, &copy);
}

static uint32_t frame_of(const struct shadow *shadow, uint64_t block_pa)
{
    for (uint32_t i = 0; i < shadow->frames; i++)
        if (shadow->frame[i].block_pa == block_pa)
            return i;
    return SHADOW_NO_FRAME;
}

uint64_t shadow_read_count(struct shadow *shadow, uint64_t pa, bool clear)
{
    uint32_t frame = frame_of(shadow, line_of(shadow, pa));
    struct perfinst_item copy, *item;
    struct mark mark;
    uint64_t count;

    if (!shadow_mark(shadow, frame, pa, &mark) || (mark.flags & MARK_COUNTER) == 0)
        return 0;
    item = item_open(shadow, frame, mark.item_pa, &copy);
    count = current_count(shadow, mark.item_pa, item, &copy);
    if (clear)
        clear_count(item, count);
    item_close(shadow, mark.item_pa, item, &copy);
    return count;
}
