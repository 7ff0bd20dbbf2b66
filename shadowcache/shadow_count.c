/* Own counters: counting in frames or in memory, limits, reading.
 *
 * A counter that passes its limit or comes near its overflow is handed over: its value moves to
 * `cleared`, in memory and in one step with the frame's delta, so that no other frame can hand over
 * the same counts. Deltas of other frames are not included, and stay there. Counters with a limit
 * that several harts share have no deltas: they count in memory. */
#include "shadowcache/shadow_internal.h"

enum { NO_ITEM = -1 };

/* The item's index in the frame; NO_ITEM: the frame does not have it. */
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

/* The storage of an item's count: the frame's delta and memory, or without a frame memory alone. */
struct place {
    struct perfinst_item *delta;        /* NULL: memory alone */
    struct perfinst_item memory;
    uint64_t pa;
};

static struct place open_item(struct shadow *shadow, uint32_t frame, uint64_t item_pa)
{
    int index = item_in_frame(shadow, frame, item_pa);
    struct place place = {.memory = table_load_item(&shadow->table, item_pa), .pa = item_pa};

    if (index != NO_ITEM) {
        place.delta = &shadow_items(shadow, frame)[index];
        shadow->frame[frame].dirty = true;
    }
    return place;
}

static void add(const struct shadow *shadow, struct place *place, uint64_t count,
                uint32_t interrupts)
{
    struct perfinst_item *item = place->delta != NULL ? place->delta : &place->memory;

    item->count = counter_add(&shadow->format, item->count, count);
    item->interrupts += interrupts;
    if (place->delta == NULL)
        table_store_item(&shadow->table, place->pa, item);
}

/* Moves the value to `cleared`, and the frame's delta to memory. */
static void hand_over(struct shadow *shadow, struct place *place, uint64_t count,
                      uint32_t interrupts)
{
    struct perfinst_item *memory = &place->memory;

    memory->cleared += count;
    memory->count = 0;
    memory->interrupts += interrupts;
    if (place->delta != NULL) {
        memory->interrupts += place->delta->interrupts;
        place->delta->count = 0;
        place->delta->interrupts = 0;
        shadow->cleared_bytes += (uint32_t)sizeof *memory;
    }
    table_store_item(&shadow->table, place->pa, memory);
}

static bool item_is_countable(const struct shadow *shadow, const struct mark *mark)
{
    return mark->item_pa != 0 &&
           table_in_ram(&shadow->table, mark->item_pa, sizeof(struct perfinst_item));
}

/* Counts one that brings the counter near its overflow; returns the sum, not cut to its width. */
static uint64_t count_near(struct shadow *shadow, struct place *place)
{
    uint64_t delta = place->delta != NULL ? place->delta->count : 0;
    uint64_t count = place->memory.count + delta + 1;

    hand_over(shadow, place, count, 1);
    return count;
}

enum shadow_passed shadow_count(struct shadow *shadow, uint32_t frame, const struct mark *mark,
                                uint64_t *count)
{
    struct place place;
    uint64_t delta;

    if ((mark->flags & MARK_AREA) != 0)
        return shadow_cell_count(shadow, frame, mark, count);
    *count = 0;
    if (!item_is_countable(shadow, mark))
        return SHADOW_COUNTED;
    if (mark->limit != 0 && shadow->limits_are_shared)
        frame = SHADOW_NO_FRAME;
    place = open_item(shadow, frame, mark->item_pa);
    delta = (place.delta != NULL ? place.delta->count : 0) + 1;
    *count = counter_add(&shadow->format, place.memory.count, delta);
    if (mark->limit != 0 && *count > mark->limit) {
        shadow_tell_count(shadow, mark->item_pa, 1, (mark->flags & MARK_INTERRUPT) != 0);
        hand_over(shadow, &place, *count, (mark->flags & MARK_INTERRUPT) != 0);
        return SHADOW_LIMIT;
    }
    if ((mark->flags & MARK_NEAR) != 0 &&
        counter_is_near(&shadow->format, place.memory.count, delta)) {
        shadow_tell_count(shadow, mark->item_pa, 1, 1);
        *count = count_near(shadow, &place);
        return SHADOW_NEAR;
    }
    shadow_tell_count(shadow, mark->item_pa, 1, 0);
    add(shadow, &place, 1, 0);
    return SHADOW_COUNTED;
}

bool shadow_tick(struct shadow *shadow, uint32_t frame, uint64_t item_pa)
{
    struct frame *held = &shadow->frame[frame];
    struct perfinst_item *item;
    uint64_t offset;

    if (frame >= shadow->frames)
        return false;
    offset = item_pa - held->items_pa;
    if (offset >= held->item_bytes)
        return false;
    item = &held->item[offset / sizeof *item];
    item->count = counter_add(&shadow->format, item->count, 1);
    held->dirty = true;
    shadow_tell_count(shadow, item_pa, 1, 0);
    return true;
}

void shadow_note_interrupt(struct shadow *shadow, uint32_t frame, const struct mark *mark)
{
    struct place place;

    if (!item_is_countable(shadow, mark))
        return;
    place = open_item(shadow, frame, mark->item_pa);
    shadow_tell_count(shadow, mark->item_pa, 0, 1);
    add(shadow, &place, 0, 1);
}

uint64_t shadow_read_count(struct shadow *shadow, uint64_t pa, bool clear)
{
    struct place place;
    struct mark mark;
    uint64_t count;

    if (!shadow_mark(shadow, SHADOW_NO_FRAME, pa, &mark) ||
        (mark.flags & (MARK_COUNTER | MARK_AREA)) == 0)
        return 0;
    shadow_merge(shadow, pa);
    if ((mark.flags & MARK_AREA) != 0)
        return shadow_cell_read(shadow, &mark, clear);
    place = open_item(shadow, SHADOW_NO_FRAME, mark.item_pa);
    count = place.memory.count;
    if (clear)
        hand_over(shadow, &place, count, 0);
    return count;
}
