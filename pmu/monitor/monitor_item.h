/* The perfinst item of an instruction, found or made while the program runs: the table word of its
 * line, a full block in place of a compact one or none, and the item in it.
 *
 * Works on tables and blocks in guest memory (pmu/abi_metadata.h), with blocks from the area that
 * the installer of the monitor reserved; a replaced block is not reused. Freestanding. */
#ifndef PMU_MONITOR_MONITOR_ITEM_H
#define PMU_MONITOR_MONITOR_ITEM_H

#include <stdbool.h>

#include "pmu/abi.h"

enum { MONITOR_ITEM_BYTES = 32, MONITOR_BLOCK_BYTES = 16, MONITOR_TEXT_GRANULE_LOG2 = 1 };

/* The monitor's access to the program's memory and the PMU. Addresses of read and write are
 * physical, of aligned doublewords. */
struct monitor_access {
    bool (*locate)(void *arg, unsigned long long va, unsigned long long *pa);   /* of code */
    unsigned long long (*read)(void *arg, unsigned long long pa);
    void (*write)(void *arg, unsigned long long pa, unsigned long long value);
    unsigned long long (*get)(void *arg, unsigned long long index);     /* PROF_REG_* */
    void (*set)(void *arg, unsigned long long index, unsigned long long value);
    void *arg;
    unsigned line_log2;             /* of the instruction cache */
    unsigned long long sites;       /* size of the list of calls, a power of two */
};

/* The address of the table word of pa's line; 0: pa is in no text segment. */
static inline unsigned long long monitor_table_word(const struct monitor_access *m,
                                                    unsigned long long pa)
{
    for (unsigned i = 0; i < PROF_SEGMENTS; i++) {
        unsigned long long start = m->get(m->arg, PROF_REG_SEGMENT + 4 * i);

        if (m->get(m->arg, PROF_REG_SEGMENT + 4 * i + 3) == PROF_SEGMENT_TEXT &&
            pa - start < m->get(m->arg, PROF_REG_SEGMENT + 4 * i + 1))
            return m->get(m->arg, PROF_REG_SEGMENT + 4 * i + 2) +
                   8 * ((pa >> m->line_log2) - (start >> m->line_log2));
    }
    return 0;
}

/* Writes the flags of a compact block to each item in its bitmap. */
static inline void monitor_spread(const struct monitor_access *m, unsigned long long block,
                                  unsigned long long head, unsigned long long bitmap,
                                  unsigned items)
{
    unsigned granule_log2 = (unsigned)(head >> 48) & 7;

    for (unsigned i = 0; i < items; i++)
        if ((bitmap >> ((i << MONITOR_TEXT_GRANULE_LOG2) >> granule_log2 & 63) & 1) != 0)
            m->write(m->arg, block + MONITOR_BLOCK_BYTES + i * MONITOR_ITEM_BYTES,
                     (head >> 32 & 0xffff) | head >> 56 << 16);
}

/* Makes a full block with the flags of `old`, a compact block, or 0 for none. 0: no room. */
static inline unsigned long long monitor_make_block(const struct monitor_access *m,
                                                    struct monitor_callers *callers,
                                                    unsigned long long old)
{
    unsigned items = 1u << (m->line_log2 - MONITOR_TEXT_GRANULE_LOG2);
    unsigned long long block = callers->next;
    unsigned long long end = block + MONITOR_BLOCK_BYTES + items * MONITOR_ITEM_BYTES;
    unsigned long long head = old != 0 ? m->read(m->arg, old) : 0;
    unsigned long long bitmap = old != 0 ? m->read(m->arg, old + 8) : 0;

    if (end > callers->end)
        return 0;
    callers->next = end;
    if (bitmap != 0)
        monitor_spread(m, block, head, bitmap, items);
    else
        head &= 0xff00ffff00000000ull;
    m->write(m->arg, block, (bitmap != 0 ? 0 : head) | items |
                                (unsigned long long)MONITOR_TEXT_GRANULE_LOG2 << 48);
    return block;
}

/* The item of pa, in a new block if necessary; 0: no room. */
static inline unsigned long long monitor_item(const struct monitor_access *m,
                                              struct monitor_callers *callers,
                                              unsigned long long pa)
{
    unsigned long long word = monitor_table_word(m, pa), block, head;
    unsigned offset = (unsigned)pa & ((1u << m->line_log2) - 1);

    if (word == 0)
        return 0;
    block = m->read(m->arg, word);
    if (block == 0 || (unsigned)m->read(m->arg, block) == 0) {
        block = monitor_make_block(m, callers, block);
        if (block == 0)
            return 0;
        m->write(m->arg, word, block);
    }
    head = m->read(m->arg, block);
    return block + MONITOR_BLOCK_BYTES + (offset >> (head >> 48 & 7)) * MONITOR_ITEM_BYTES;
}

#endif
