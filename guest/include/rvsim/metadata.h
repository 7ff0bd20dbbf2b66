/* Metadata that a program makes itself, while it runs: blocks, items, tables, segments.
 *
 * Inline code over the formats of pmu/abi.h, nothing to link; for programs that lay out their
 * metadata (a pager, an operating system). rvsim/instrument.h marks single instructions and data.
 * Machine mode; addresses are physical. The processor copies metadata into shadow frames: changes
 * in memory take effect at prof_sync, and counts in memory are valid after it. With several harts,
 * each hart that has touched the memory calls prof_sync. */
#ifndef RVSIM_METADATA_H
#define RVSIM_METADATA_H

#include "rvsim/profiling.h"

/* Makes changes in memory take effect, and writes counts to memory. */
static inline void prof_sync(void)
{
    prof_write(PROF_REG_SYNC, 0);
}

/* Bytes of a line of the instruction cache and of the data cache: a block describes one line. */
static inline unsigned long prof_iline_bytes(void)
{
    return 1ul << (prof_csr_read(CSR_PROF_LINES) & 0xff);
}

static inline unsigned long prof_dline_bytes(void)
{
    return 1ul << (prof_csr_read(CSR_PROF_LINES) >> 8 & 0xff);
}

/* Size of the block of a line in bytes, with an item for each granule. */
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

/* Registers a segment. kind: PROF_SEGMENT_TEXT or _DATA; table: for each line that the memory
 * touches, a word with the physical address of its block, or 0. index < PROF_SEGMENTS; the metadata
 * that the simulator loaded uses the first segments. */
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

#endif
