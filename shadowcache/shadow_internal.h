/* Inside the shadow frames: shared by fill and merge (shadow.c), lookup (shadow_mark.c) and
 * counting (shadow_count.c).
 *
 * A frame copies the descriptors of its block; in the copy the fields count and interrupts are
 * deltas to memory, and cleared is zero. Invariants:
 *   - the true value of a counter is memory plus the deltas of all frames that hold its block;
 *   - counters are cleared in memory alone, so a delta is never below zero;
 *   - a frame without items has no deltas. */
#ifndef SHADOWCACHE_SHADOW_INTERNAL_H
#define SHADOWCACHE_SHADOW_INTERNAL_H

#include <stddef.h>

#include "shadowcache/counter.h"
#include "shadowcache/shadow.h"
#include "shadowcache/shadow_look.h"
#include "shadowcache/table.h"

#define NO_BLOCK UINT64_MAX

struct frame {
    uint64_t block_pa;          /* line it was filled for, or NO_BLOCK */
    uint64_t items_pa;          /* of the first perfinst_item in memory */
    struct perfinst_block block;
    uint32_t slots;             /* items with deltas in this frame: all, or none */
    uint32_t item_bytes;        /* of `item` */
    struct perfinst_item *item; /* its deltas; while item_bytes is not 0 */
    bool has_marks, dirty;
    uint64_t pc, va_offset;     /* of the last count near an overflow */
};

/* A valid work area. */
struct shadow_area {
    uint64_t start, end, counts;
    struct counter_format format;
    unsigned granule_log2, size;
};

struct shadow {
    struct table table;             /* segments, line size, memory */
    struct counter_format format;
    struct shadow_area area[PROF_AREAS];
    unsigned areas;
    bool limits_are_shared;
    shadow_near_handler *on_near;   /* or NULL */
    void *near_arg;
    shadow_count_handler *on_count; /* or NULL */
    void *count_arg;
    uint32_t frames;
    uint32_t cleared_bytes;         /* bytes written by clears since the last fill or drop */
    unsigned kind;
    uint32_t ways;                  /* with frames in sets of their own, else 0 */
    uint64_t clock;
    uint64_t *stamp;                /* [frames] last use */
    uint64_t *ready;                /* [frames] cycle; the caller's */
    struct frame *frame;
    struct perfinst_item *item;     /* [frames][max_items] */
    struct mark *mark;              /* as `item`: marks looked up; end_pa 0: not yet, and
                                     * only_counts is false */
};

static inline struct perfinst_item *shadow_items(const struct shadow *shadow, uint32_t frame)
{
    return &shadow->item[(size_t)frame * shadow->table.max_items];
}

static inline struct mark *shadow_marks(const struct shadow *shadow, uint32_t frame)
{
    return &shadow->mark[(size_t)frame * shadow->table.max_items];
}

static inline bool shadow_holds(const struct shadow *shadow, uint32_t frame, uint64_t block_pa)
{
    return frame != SHADOW_NO_FRAME && frame < shadow->frames &&
           shadow->frame[frame].block_pa == block_pa;
}

static inline uint64_t shadow_line_of(const struct shadow *shadow, uint64_t pa)
{
    return pa & ~(uint64_t)(shadow->table.line_bytes - 1);
}

static inline unsigned shadow_item_index(const struct shadow *shadow,
                                         const struct perfinst_block *block, uint64_t pa)
{
    return (unsigned)((pa & (shadow->table.line_bytes - 1)) >> block->granule_log2);
}

static inline void shadow_tell_count(const struct shadow *shadow, uint64_t place, uint64_t count,
                                     uint64_t interrupts)
{
    if (shadow->on_count != NULL)
        shadow->on_count(shadow->count_arg, place, count, interrupts);
}

/* In shadow_area.c: calls the handler of shadow_on_near, if there is one, for item `number` of the
 * frame. */
void shadow_tell_near(const struct shadow *shadow, const struct frame *frame, unsigned number,
                      uint64_t count, unsigned flags);

/* In shadow_area.c: the area that contains the item beginning at pa; NULL: none. */
const struct shadow_area *shadow_find_area(const struct shadow *shadow, uint64_t pa);
uint64_t shadow_cell_load(const struct shadow *shadow, const struct shadow_area *area, uint64_t pa);
void shadow_cell_store(const struct shadow *shadow, const struct shadow_area *area, uint64_t pa,
                       uint64_t count);
/* shadow_count and shadow_read_count for a mark with MARK_AREA; the latter requires that no frame
 * has a delta. */
enum shadow_passed shadow_cell_count(struct shadow *shadow, uint32_t frame,
                                     const struct mark *mark, uint64_t *count);
uint64_t shadow_cell_read(struct shadow *shadow, const struct mark *mark, bool clear);
/* Adds the deltas of a frame's items to their cells. Returns the bytes written. */
uint32_t shadow_cells_merge(struct shadow *shadow, uint32_t frame);

#endif
