/* Metadata that a program makes itself, while it runs: blocks, items, tables, segments.
 *
 * Inline code over the formats of pmu/abi.h, nothing to link. Two layers: blocks and segments, for
 * programs that lay their metadata out themselves (a pager, an operating system), and struct
 * prof_map, which marks single instructions or data of one piece of memory and reads their counts
 * (dynamic instrumentation). Machine mode; addresses are physical. The processor copies metadata
 * into shadow frames: what is changed in memory holds from prof_sync on, and so do the counts that
 * are read there. With several harts, each that has touched the memory calls prof_sync.
 * Source: the perfinst segments and the translation table of the profiling hardware, docs/guide.md
 * "The profiling hardware". */
#ifndef RVSIM_METADATA_H
#define RVSIM_METADATA_H

#include "rvsim/profiling.h"

/* What is changed in memory holds; counts are in memory. */
static inline void prof_sync(void)
{
    prof_write(PROF_REG_SYNC, 0);
}

/* Bytes of an instruction-cache and a data-cache line: a block describes one. */
static inline unsigned long prof_iline_bytes(void)
{
    return 1ul << (prof_csr_read(CSR_PROF_LINES) & 0xff);
}

static inline unsigned long prof_dline_bytes(void)
{
    return 1ul << (prof_csr_read(CSR_PROF_LINES) >> 8 & 0xff);
}

/* ---- blocks and segments --------------------------------------------------------------------- */

/* Memory that the block of a line takes, with an item for each granule. */
static inline unsigned long prof_block_bytes(unsigned long line_bytes, unsigned granule_log2)
{
    return sizeof(struct perfinst_block) +
           (line_bytes >> granule_log2) * sizeof(struct perfinst_item);
}

/* Makes a block in which nothing is marked; aligned to 16 bytes. */
static inline void prof_block_clear(struct perfinst_block *block, unsigned long line_bytes,
                                    unsigned granule_log2)
{
    unsigned long long *word = (unsigned long long *)(void *)block;

    for (unsigned long i = 0; i < prof_block_bytes(line_bytes, granule_log2) / sizeof *word; i++)
        word[i] = 0;
    block->items = (unsigned)(line_bytes >> granule_log2);
    block->granule_log2 = (unsigned char)granule_log2;
}

/* The item of an address in the block's line. */
static inline struct perfinst_item *prof_block_item(struct perfinst_block *block,
                                                    unsigned long address)
{
    struct perfinst_item *item = (struct perfinst_item *)(void *)(block + 1);

    return &item[(address >> block->granule_log2) & (block->items - 1)];
}

/* Registers a segment: kind PROF_SEGMENT_TEXT or _DATA; table: a word for each line that the memory
 * touches, the physical address of its block or 0. index < PROF_SEGMENTS; the metadata that the
 * simulator loaded uses the first ones. */
static inline void prof_set_segment(unsigned index, unsigned kind, const void *start,
                                    unsigned long bytes, const unsigned long long *table)
{
    unsigned long reg = PROF_REG_SEGMENT + 4ul * index;

    prof_write(reg + 3, 0);
    prof_write(reg, (unsigned long)start);
    prof_write(reg + 1, bytes);
    prof_write(reg + 2, (unsigned long)table);
    prof_write(reg + 3, kind);
}

/* ---- single instructions and data ------------------------------------------------------------ */

/* One piece of memory whose marks come and go. */
struct prof_map {
    unsigned long start, line_bytes;    /* start: of the first line */
    unsigned long lines;
    unsigned granule_log2;
    unsigned long long *table;
    char *pool;                         /* where blocks are made */
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

/* The item of an address, or a null pointer: outside, or its line has no block. */
static inline struct perfinst_item *prof_map_find(const struct prof_map *map, const void *address)
{
    unsigned long line = ((unsigned long)address - map->start) / map->line_bytes;

    if ((unsigned long)address < map->start || line >= map->lines || map->table[line] == 0)
        return (struct perfinst_item *)0;
    return prof_block_item((struct perfinst_block *)map->table[line], (unsigned long)address);
}

/* The same, with a block made for the line if need be; a null pointer too when the pool is
 * empty. */
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

/* Marks the instruction or datum: flags are MARK_*, limit 0 or that of the own counter. What was
 * counted there stays. False: outside, or the pool is empty. */
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

/* Takes the mark away; the count stays to be read. */
static inline void prof_map_unmark(struct prof_map *map, const void *address)
{
    struct perfinst_item *item = prof_map_find(map, address);

    if (item == (struct perfinst_item *)0)
        return;
    item->flags = 0;
    prof_sync();
}

/* Everything ever counted there, clears by limits included; 0 where nothing is marked. */
static inline unsigned long long prof_map_count(const struct prof_map *map, const void *address)
{
    const struct perfinst_item *item = prof_map_find(map, address);

    prof_sync();
    return item != (struct perfinst_item *)0 ? item->count + item->cleared : 0;
}

#endif
