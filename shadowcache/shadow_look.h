/* The shadow frames for observers: changes no count. */
#ifndef SHADOWCACHE_SHADOW_LOOK_H
#define SHADOWCACHE_SHADOW_LOOK_H

#include "shadowcache/shadow.h"

struct shadow_seen {
    bool is_filled;                 /* filled for a line */
    bool has_marks;                 /* the line has metadata */
    uint64_t block_pa;              /* physical address of the line */
    unsigned items;                 /* records of its block */
    uint64_t counted;               /* counts in the frame, not merged into memory yet */
};

uint32_t shadow_look_frames(const struct shadow *shadow);
struct shadow_seen shadow_look(const struct shadow *shadow, uint32_t frame);
/* Adds the frames' deltas of the item whose record is at item_pa; `shadow` may be NULL. */
void shadow_look_item(const struct shadow *shadow, uint64_t item_pa, uint64_t *count,
                      uint64_t *interrupts);

/* Called at each count and interrupt with its place: the perfinst_item, or for a mark with
 * MARK_AREA the first byte of its granule; physical. NULL: no handler. */
typedef void shadow_count_handler(void *arg, uint64_t place, uint64_t count, uint64_t interrupts);
void shadow_on_count(struct shadow *shadow, shadow_count_handler *handler, void *arg);

#endif
