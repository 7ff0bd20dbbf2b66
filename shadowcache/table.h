/* Perfinst segments in guest memory: translation tables, blocks, items.
 *
 * Looks up a line-sized block in the registered segments, and checks all values set by the guest:
 * tables and blocks that leave RAM, are misaligned or have a wrong number of items are treated as
 * no metadata. Used by the shadow frames, and by readers of counts in memory. Formats:
 * pmu/abi.h. */
#ifndef SHADOWCACHE_TABLE_H
#define SHADOWCACHE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/abi.h"

/* The part of physical memory that metadata may live in. */
struct shadow_memory { uint8_t *ram; uint64_t base, bytes; };

enum { TABLE_WORD_BYTES = 8, TABLE_BLOCK_ALIGN = 16, TABLE_BITMAP_ITEMS = 64 };

struct table_segment { uint64_t start, end, table; };

/* The segments of one kind, for one line size. */
struct table {
    struct shadow_memory memory;
    uint32_t line_bytes, max_items;
    unsigned line_log2, segments;
    struct table_segment segment[PROF_SEGMENTS];
};

/* A block's metadata found in memory. */
struct table_place {
    struct perfinst_block block;    /* its head; items follow at pa + sizeof block */
    uint64_t pa;                    /* of the perfinst_block; if not found, of the last read */
    bool in_segment;
};

struct table table_make(struct shadow_memory memory, uint32_t line_bytes, unsigned kind);
/* Sets the registered segments of this kind. */
void table_set_segments(struct table *table, const uint64_t segment[PROF_SEGMENTS][4],
                        unsigned kind);
bool table_covers(const struct table *table, uint64_t line_pa);
/* False: no metadata; place->in_segment: a segment contains the line. */
bool table_find(const struct table *table, uint64_t line_pa, struct table_place *place);

bool table_in_ram(const struct table *table, uint64_t pa, uint64_t bytes);
uint8_t *table_host(const struct table *table, uint64_t pa);
struct perfinst_item table_load_item(const struct table *table, uint64_t pa);
void table_store_item(const struct table *table, uint64_t pa, const struct perfinst_item *item);

#endif
