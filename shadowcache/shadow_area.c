/* Work areas: counters in an array of the program or the loader, so that marks need only one bit an
 * item.
 *
 * A frame counts in the record of the item, which a compact block has only in the frame. A merge
 * adds the deltas to the cells in memory, which several harts may share. A cell is cleared in
 * memory, in one step with the frame's delta.
 * No frame sees the deltas of others, so a merge can also bring a cell near its overflow. The sum
 * is then handed over as at a count: a cell never stays near its overflow, and no count is handed
 * over twice. */
#include "shadowcache/shadow_internal.h"

#include <string.h>

enum { GRANULE_LOG2_MAX = 6 };

/* ---- registers ------------------------------------------------------------------------------- */

static bool area_is_valid(const struct shadow *shadow, const uint64_t word[PROF_AREA_WORDS])
{
    uint64_t start = word[PROF_AREA_START], bytes = word[PROF_AREA_BYTES];
    uint64_t granule = word[PROF_AREA_GRANULE], size = word[PROF_AREA_SIZE], cells;

    if (bytes == 0 || start + bytes - 1 < start || granule > GRANULE_LOG2_MAX)
        return false;
    if (size == 0 || size > 8 || (size & (size - 1)) != 0 || word[PROF_AREA_COUNTS] % size != 0)
        return false;
    cells = ((start + bytes - 1) >> granule) - (start >> granule) + 1;
    return cells <= shadow->table.memory.bytes &&
           table_in_ram(&shadow->table, word[PROF_AREA_COUNTS], cells * size);
}

void shadow_set_areas(struct shadow *shadow,
                      const uint64_t area[PROF_AREAS][PROF_AREA_WORDS], uint64_t distance)
{
    shadow_flush(shadow);
    shadow->areas = 0;
    for (unsigned i = 0; i < PROF_AREAS; i++) {
        const uint64_t *word = area[i];
        uint64_t granule = word[PROF_AREA_GRANULE], flags = word[PROF_AREA_FLAGS];

        if (!area_is_valid(shadow, word))
            continue;
        shadow->area[shadow->areas++] = (struct shadow_area){
            .start = word[PROF_AREA_START] >> granule << granule,
            .end = word[PROF_AREA_START] + word[PROF_AREA_BYTES] - 1,
            .counts = word[PROF_AREA_COUNTS],
            .format = counter_format_make((unsigned)word[PROF_AREA_SIZE] * 8,
                                          (flags & PROF_AREA_SATURATES) != 0,
                                          (flags & PROF_AREA_NEAR) != 0 ? distance : 0),
            .granule_log2 = (unsigned)granule,
            .size = (unsigned)word[PROF_AREA_SIZE],
        };
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

const struct shadow_area *shadow_find_area(const struct shadow *shadow, uint64_t pa)
{
    for (unsigned i = 0; i < shadow->areas; i++)
        if (pa >= shadow->area[i].start && pa <= shadow->area[i].end)
            return &shadow->area[i];
    return NULL;
}

static uint64_t cell_pa(const struct shadow_area *area, uint64_t pa)
{
    return area->counts + ((pa - area->start) >> area->granule_log2) * area->size;
}

static uint8_t *cell(const struct shadow *shadow, const struct shadow_area *area, uint64_t pa)
{
    return table_host(&shadow->table, cell_pa(area, pa));
}

uint64_t shadow_cell_load(const struct shadow *shadow, const struct shadow_area *area, uint64_t pa)
{
    uint64_t count = 0;

    memcpy(&count, cell(shadow, area, pa), area->size);
    return count;
}

void shadow_cell_store(const struct shadow *shadow, const struct shadow_area *area, uint64_t pa,
                       uint64_t count)
{
    memcpy(cell(shadow, area, pa), &count, area->size);
}

void shadow_on_near(struct shadow *shadow, shadow_near_handler *handler, void *arg)
{
    shadow->on_near = handler;
    shadow->near_arg = arg;
}

void shadow_note_place(struct shadow *shadow, uint32_t frame, uint64_t pc, uint64_t va_offset)
{
    if (frame >= shadow->frames)
        return;
    shadow->frame[frame].pc = pc;
    shadow->frame[frame].va_offset = va_offset;
}

/* First byte of item `number` of the frame. */
static uint64_t item_begin(const struct frame *frame, unsigned number)
{
    return frame->block_pa + ((uint64_t)number << frame->block.granule_log2);
}

void shadow_tell_near(const struct shadow *shadow, const struct frame *frame, unsigned number,
                      uint64_t count, unsigned flags)
{
    const struct shadow_near near = {
        .pc = frame->pc, .va = item_begin(frame, number) + frame->va_offset, .count = count,
        .flags = flags, .is_data = shadow->kind == PROF_SEGMENT_DATA,
    };

    if (shadow->on_near != NULL)
        shadow->on_near(shadow->near_arg, &near);
}

static void merge_cell(struct shadow *shadow, const struct frame *frame,
                       const struct shadow_area *area, unsigned number, uint64_t delta)
{
    uint64_t pa = item_begin(frame, number), count = shadow_cell_load(shadow, area, pa);

    if (shadow->on_near == NULL || !counter_is_near(&area->format, count, delta)) {
        shadow_cell_store(shadow, area, pa, counter_add(&area->format, count, delta));
        return;
    }
    shadow_cell_store(shadow, area, pa, 0);
    shadow_tell_near(shadow, frame, number, count + delta, MARK_AREA);
}

uint32_t shadow_cells_merge(struct shadow *shadow, uint32_t index)
{
    const struct frame *frame = &shadow->frame[index];
    struct perfinst_item *items = shadow_items(shadow, index);
    uint32_t written = 0;

    for (unsigned i = 0; i < frame->slots; i++) {
        const struct shadow_area *area;

        if (((items[i].flags | frame->block.flags) & MARK_AREA) == 0 || items[i].count == 0)
            continue;
        area = shadow_find_area(shadow, item_begin(frame, i));
        if (area != NULL) {
            merge_cell(shadow, frame, area, i, items[i].count);
            written += area->size;
        }
        items[i].count = 0;
    }
    return written;
}

/* ---- counting and reading -------------------------------------------------------------------- */

static uint64_t begin_of(const struct mark *mark)
{
    return (mark->end_pa - 1) >> mark->granule_log2 << mark->granule_log2;
}

uint64_t shadow_cell_pa(const struct shadow *shadow, const struct mark *mark)
{
    const struct shadow_area *area = shadow_find_area(shadow, begin_of(mark));

    return area != NULL ? cell_pa(area, begin_of(mark)) : 0;
}

/* The record with the delta of the item that begins at pa; NULL: the item counts in memory. */
static struct perfinst_item *find_delta(struct shadow *shadow, uint32_t frame, uint64_t pa)
{
    if (!shadow_holds(shadow, frame, shadow_line_of(shadow, pa)) ||
        shadow->frame[frame].slots == 0)
        return NULL;
    shadow->frame[frame].dirty = true;
    return &shadow_items(shadow, frame)[shadow_item_index(shadow, &shadow->frame[frame].block, pa)];
}

static void clear_cell(struct shadow *shadow, const struct shadow_area *area, uint64_t pa,
                       struct perfinst_item *delta)
{
    shadow_cell_store(shadow, area, pa, 0);
    if (delta != NULL) {
        delta->count = 0;
        shadow->cleared_bytes += area->size;
    }
}

enum shadow_passed shadow_cell_count(struct shadow *shadow, uint32_t frame,
                                     const struct mark *mark, uint64_t *count)
{
    uint64_t pa = begin_of(mark), cell_count, sum;
    struct perfinst_item *delta;
    const struct shadow_area *area = shadow_find_area(shadow, pa);

    *count = 0;
    if (area == NULL)
        return SHADOW_COUNTED;
    shadow_tell_count(shadow, pa, 1, 0);
    delta = find_delta(shadow, frame, pa);
    cell_count = shadow_cell_load(shadow, area, pa);
    sum = (delta != NULL ? delta->count : 0) + 1;
    if (counter_is_near(&area->format, cell_count, sum)) {
        *count = cell_count + sum;
        clear_cell(shadow, area, pa, delta);
        return SHADOW_NEAR;
    }
    *count = counter_add(&area->format, cell_count, sum);
    if (delta != NULL)
        delta->count = counter_add(&area->format, delta->count, 1);
    else
        shadow_cell_store(shadow, area, pa, *count);
    return SHADOW_COUNTED;
}

uint64_t shadow_cell_read(struct shadow *shadow, const struct mark *mark, bool clear)
{
    uint64_t pa = begin_of(mark), count;
    const struct shadow_area *area = shadow_find_area(shadow, pa);

    if (area == NULL)
        return 0;
    count = shadow_cell_load(shadow, area, pa);
    if (clear)
        clear_cell(shadow, area, pa, NULL);
    return count;
}
