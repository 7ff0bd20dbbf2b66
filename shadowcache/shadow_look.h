/* The shadow frames as somebody sees them who looks on: changes nothing that is counted. */
#ifndef SHADOWCACHE_SHADOW_LOOK_H
#define SHADOWCACHE_SHADOW_LOOK_H

#include "shadowcache/shadow.h"

struct shadow_seen {
    bool is_filled;                 /* it was filled for a line */
    bool has_marks;                 /* the line has metadata */
    uint64_t block_pa;              /* physical address of the line */
    unsigned items;                 /* records of its block */
    uint64_t counted;               /* in the frame, not merged into memory yet */
};

uint32_t shadow_look_frames(const struct shadow *shadow);
struct shadow_seen shadow_look(const struct shadow *shadow, uint32_t frame);
/* Adds what the frames have of the item whose record is at item_pa; `shadow` may be NULL. */
void shadow_look_item(const struct shadow *shadow, uint64_t item_pa, uint64_t *count,
                      uint64_t *interrupts);

/* Told of each count and interrupt when it happens, and where: the perfinst_item, or of a mark with
 * MARK_AREA the first byte of its granule; physical. handler NULL: nobody is. */
typedef void shadow_count_handler(void *arg, uint64_t place, uint64_t count, uint64_t interrupts);
void shadow_on_count(struct shadow *shadow, shadow_count_handler *handler, void *arg);

#endif
