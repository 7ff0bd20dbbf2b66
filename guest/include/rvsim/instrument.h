/* Marks set and removed while the program runs (dynamic instrumentation), on single instructions or
 * data of one piece of memory, with their counts.
 *
 * Inline code over rvsim/metadata.h, nothing to link. Machine mode; addresses are physical. */
#ifndef RVSIM_INSTRUMENT_H
#define RVSIM_INSTRUMENT_H

#include "rvsim/metadata.h"

/* One piece of memory in which marks are set and removed. */
struct prof_map {
    unsigned long start, line_bytes;    /* start: address of the first line */
    unsigned long lines;
    unsigned granule_log2;
    unsigned long long *table;
    char *pool;                         /* memory for new blocks */
    unsigned long pool_left;
};

/* Prepares and registers: code has items of 2 bytes; data of 1 << granule_log2. table: zeroed
 * words, one for each line the memory touches; pool: aligned to 16 bytes, prof_block_bytes for each
 * line that will have a mark. */
static inline void prof_map_init(struct prof_map *map, unsigned index, unsigned kind,
                                 const void *start, unsigned long bytes, unsigned granule_log2,
                                 unsigned long long *table, void *pool, unsigned long pool_bytes)
{
    unsigned long line = kind == PROF_SEGMENT_TEXT ? prof_iline_bytes() : prof_dline_bytes();
    unsigned long first = (unsigned long)start & ~(line - 1);

    map->start = first;
    map->line_bytes = line;
    map->lines = ((unsigned long)start + bytes - first + line - 1) / line;
    map->granule_log2 = kind == PROF_SEGMENT_TEXT ? 1 : granule_log2;
    map->table = table;
    map->pool = (char *)pool;
    map->pool_left = pool_bytes;
    prof_set_segment(index, kind, start, bytes, table);
}

/* The item of an address; a null pointer outside of the map, or if the line has no block. */
static inline struct perfinst_item *prof_map_find(const struct prof_map *map, const void *address)
{
    unsigned long line = ((unsigned long)address - map->start) / map->line_bytes;

    if ((unsigned long)address < map->start || line >= map->lines || map->table[line] == 0)
        return (struct perfinst_item *)0;
    return prof_block_item((struct perfinst_block *)map->table[line], (unsigned long)address);
}

/* As prof_map_find, but makes a block for a line without one. A null pointer outside of the map, or
 * if the pool is empty. */
static inline struct perfinst_item *prof_map_item(struct prof_map *map, const void *address)
{
    unsigned long line = ((unsigned long)address - map->start) / map->line_bytes;
    unsigned long bytes = prof_block_bytes(map->line_bytes, map->granule_log2);

    if ((unsigned long)address < map->start || line >= map->lines)
        return (struct perfinst_item *)0;
    if (map->table[line] == 0) {
        if (map->pool_left < bytes)
            return (struct perfinst_item *)0;
        prof_block_clear((struct perfinst_block *)(void *)map->pool, map->line_bytes,
                         map->granule_log2);
        map->table[line] = (unsigned long)map->pool;
        map->pool += bytes;
        map->pool_left -= bytes;
    }
    return prof_map_find(map, address);
}

/* Marks the instruction or datum. flags: MARK_*; limit: that of its own counter, 0 = none. Its
 * count stays. 0: outside of the map, or the pool is empty. */
static inline int prof_map_mark(struct prof_map *map, const void *address, unsigned flags,
                                unsigned limit)
{
    struct perfinst_item *item = prof_map_item(map, address);

    if (item == (struct perfinst_item *)0)
        return 0;
    item->flags = (unsigned short)flags;
    item->limit = limit;
    prof_sync();
    return 1;
}

/* Removes the mark; the count can still be read. */
static inline void prof_map_unmark(struct prof_map *map, const void *address)
{
    struct perfinst_item *item = prof_map_find(map, address);

    if (item == (struct perfinst_item *)0)
        return;
    item->flags = 0;
    prof_sync();
}

/* The total count, clears by limits included; 0 if nothing was marked in its line. */
static inline unsigned long long prof_map_count(const struct prof_map *map, const void *address)
{
    const struct perfinst_item *item = prof_map_find(map, address);

    prof_sync();
    return item != (struct perfinst_item *)0 ? item->count + item->cleared : 0;
}

#endif
