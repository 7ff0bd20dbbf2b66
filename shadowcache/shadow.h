/* Shadow frames: one beside every L1I and L1D frame, holding the metadata of the line in that
 * frame.
 *
 * On a line fill the block is looked up in the registered segments; its perfinst block is copied
 * from guest memory into the frame. Own counters count in the frame as deltas and are merged into
 * guest memory when the frame is replaced or flushed: no count is ever lost, and several frames (I
 * and D, several harts) can count the same item. Without a frame (functional engine) the same calls
 * work on memory directly. Formats: pmu/abi.h. Prints nothing, allocates only in _new. Tables and
 * blocks that leave RAM, are misaligned or have a wrong number of items are treated as no metadata,
 * so that any registered value has defined behaviour. */
#ifndef SHADOWCACHE_SHADOW_H
#define SHADOWCACHE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/abi.h"
#include "pmu/retire.h"
#include "shadowcache/table.h"

struct shadow;

/* frames: number of cache frames; line_bytes: of that cache; kind: PROF_SEGMENT_TEXT or _DATA. */
struct shadow *shadow_new(struct shadow_memory memory, uint32_t frames, uint32_t line_bytes,
                          unsigned kind);
void shadow_free(struct shadow *shadow);

/* Sets the segment registers (copied). Frames are written back and emptied; an item is then looked
 * up in memory until its line is filled again. */
void shadow_set_segments(struct shadow *shadow, const uint64_t segment[PROF_SEGMENTS][4]);

/* Sets PROF_REG_COUNTER_FORMAT and PROF_REG_NEAR; frames are written back in the old format. */
void shadow_set_format(struct shadow *shadow, uint64_t format, uint64_t distance);

/* Sets PROF_REG_AREA; frames are written back into the old areas. */
void shadow_set_areas(struct shadow *shadow,
                      const uint64_t area[PROF_AREAS][PROF_AREA_WORDS], uint64_t distance);

/* Called when the merge of a frame brings a counter with MARK_NEAR, or a cell of a work area with
 * PROF_AREA_NEAR, near its overflow: the sum of several frames. The counter was cleared; count: the
 * sum before that, not cut to its width; flags: MARK_*. pc, va: of the last shadow_note_place. Any
 * function that merges may call it. */
struct shadow_near { uint64_t pc, va, count; unsigned flags; bool is_data; };
typedef void shadow_near_handler(void *arg, const struct shadow_near *near);
void shadow_on_near(struct shadow *shadow, shadow_near_handler *handler, void *arg);

/* Traffic of a fill. hit: the block has metadata; none: the segment is registered, but the block
 * has no metadata; on_miss: an item of the block has MARK_ON_MISS (raise an indicator). pa: address
 * from which the metadata was read; written_pa: of the block that counts were written to. */
struct shadow_traffic {
    uint32_t read_bytes, written_bytes;
    bool hit, none, on_miss;
    uint64_t pa, written_pa;
};

/* The cache frame now holds line `block_pa`: writes back the old metadata, loads the new
 * block's. */
void shadow_fill(struct shadow *shadow, uint32_t frame, uint64_t block_pa,
                 struct shadow_traffic *traffic);
/* The cache frame is empty now: writes back its metadata. */
void shadow_drop(struct shadow *shadow, uint32_t frame, struct shadow_traffic *traffic);
/* Writes every delta back and empties all frames (also before the host reads counts). */
void shadow_flush(struct shadow *shadow);
/* Writes back the deltas of the line around pa; its frame stays filled. */
void shadow_merge(struct shadow *shadow, uint64_t pa);
/* For several harts: counters with a limit count in memory, shared by all. */
void shadow_share_limits(struct shadow *shadow);

/* ---- frames that lie beside no cache frame --------------------------------------------------- */

/* Arranges the frames in sets of `ways`; frames / ways is a whole number. From then on the caller
 * fills the frame that shadow_victim chooses. */
void shadow_set_ways(struct shadow *shadow, uint32_t ways);
/* The frame of a line, or SHADOW_NO_FRAME; shadow_use also makes it the most recently used one. */
uint32_t shadow_find(const struct shadow *shadow, uint64_t block_pa);
uint32_t shadow_use(struct shadow *shadow, uint64_t block_pa);
uint32_t shadow_victim(struct shadow *shadow, uint64_t block_pa);
/* A cycle that the caller stores with the frame. */
uint64_t *shadow_ready(struct shadow *shadow, uint32_t frame);

/* The metadata in memory of the line around pa. lookup->pa: address of the block, or of the last
 * read; item_pa: of the record of pa, or of the block if pa has no record. False: no metadata. */
struct shadow_lookup { uint64_t pa, item_pa; bool is_covered, has_marks, on_miss; };
bool shadow_look_up(const struct shadow *shadow, uint64_t pa, struct shadow_lookup *lookup);
/* True if the line is in a registered segment. */
bool shadow_covers(const struct shadow *shadow, uint64_t block_pa);

/* ---- marks ----------------------------------------------------------------------------------- */

/* True if there may be metadata for the line, a quick filter: in the frame, in memory. */
bool shadow_frame_has(const struct shadow *shadow, uint32_t frame, uint64_t block_pa);

/* The marks of the items of one line that were looked up before, valid until its frame is filled or
 * dropped. */
struct shadow_row {
    const struct mark *mark;        /* [items] */
    uint64_t line_pa;
    uint32_t bytes;                 /* of the line; 0: the row is unknown */
    uint8_t granule_log2;
};
/* False: shadow_frame_has is false. */
bool shadow_open_row(const struct shadow *shadow, uint32_t frame, uint64_t block_pa,
                     struct shadow_row *row);

/* The perfinst_item of a mark that only counts (mark.only_counts); 0: it does more, or the row does
 * not know. */
static inline uint64_t shadow_row_counter(const struct shadow_row *row, uint64_t pa)
{
    uint64_t offset = pa - row->line_pa;
    if (offset >= row->bytes)
        return 0;
    const struct mark *mark = &row->mark[offset >> row->granule_log2];
    return mark->only_counts ? mark->item_pa : 0;
}

/* The mark of the item at `pa`; false if unmarked. With frame = SHADOW_NO_FRAME, or if the frame no
 * longer holds the line, it comes straight from memory. */
#define SHADOW_NO_FRAME UINT32_MAX
#define SHADOW_IN_MEMORY (UINT32_MAX - 1)   /* as NO_FRAME, where that means "not present" */
bool shadow_mark(const struct shadow *shadow, uint32_t frame, uint64_t pa, struct mark *mark);
/* The first mark touched by an access to [pa, pa + bytes); false: none. For data marks: an access
 * can begin in an unmarked item, and cross into the next line, which is then looked up in memory.
 * The search ends with the page, as the next one may lie elsewhere. It continues for the next mark
 * at mark->end_pa. */
bool shadow_access_mark(const struct shadow *shadow, uint32_t frame, uint64_t pa, unsigned bytes,
                        struct mark *mark);

/* Increments the item's own counter; *count is the new value. LIMIT: it exceeded its limit; with
 * MARK_INTERRUPT, the item's interrupts were incremented. NEAR: a counter with MARK_NEAR came near
 * its overflow; interrupts were incremented. In both cases the counter was cleared, and *count is
 * the value before that. */
enum shadow_passed { SHADOW_COUNTED, SHADOW_LIMIT, SHADOW_NEAR };
enum shadow_passed shadow_count(struct shadow *shadow, uint32_t frame, const struct mark *mark,
                                uint64_t *count);
/* Sets the counting instruction for shadow_on_near; va_offset: va - pa in its line. */
void shadow_note_place(struct shadow *shadow, uint32_t frame, uint64_t pc, uint64_t va_offset);
/* As shadow_count, for an item whose mark only counts, without limit. False: the frame does not
 * have the item; nothing has changed. */
bool shadow_tick(struct shadow *shadow, uint32_t frame, uint64_t item_pa);
/* The address of the cell in which a mark with MARK_AREA counts; 0: it is in no area. */
uint64_t shadow_cell_pa(const struct shadow *shadow, const struct mark *mark);
/* Increments the item's interrupts (for interrupt marks without a limit). */
void shadow_note_interrupt(struct shadow *shadow, uint32_t frame, const struct mark *mark);

/* The count of the item at `pa`, 0 if it has none; optionally cleared (the value moves to
 * `cleared`). This shadow's deltas of the line go to memory first; the caller does the same for
 * other harts. RDAC / RDIC. */
uint64_t shadow_read_count(struct shadow *shadow, uint64_t pa, bool clear);

#endif
