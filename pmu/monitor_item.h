/* The perfinst item of an instruction, found or made while the program runs: the table word of its
 * line, a block in the full form in place of a compact one or of none, and the item in it.
 *
 * Works on tables and blocks in guest memory (pmu/abi_metadata.h), with blocks from the area that
 * the installer of the monitor reserved; one that was replaced is not used again. Freestanding. */
#ifndef PMU_MONITOR_ITEM_H
#define PMU_MONITOR_ITEM_H

#include <stdbool.h>

#include "pmu/abi.h"

enum { MONITOR_ITEM_BYTES = 32, MONITOR_BLOCK_BYTES = 16, MONITOR_TEXT_GRANULE_LOG2 = 1 };

/* How the monitor reaches what it works on. Addresses of read and write are physical, of aligned
 * doublewords. */
struct monitor_access {
    bool (*locate)(void *arg, unsigned long long va, unsigned long long *pa);   /* of code */
    unsigned long long (*read)(void *arg, unsigned long long pa);
    void (*write)(void *arg, unsigned long long pa, unsigned long long value);
    unsigned long long (*get)(void *arg, unsigned long long index);     /* PROF_REG_* */
    void (*set)(void *arg, unsigned long long index, unsigned long long value);
    void *arg;
    unsigned line_log2;             /* of the instruction cache */
    unsigned long long sites;       /* places in the list of calls, a power of two */
};

/* The table word of the line that pa is in; 0: no text segment has it. */
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

/* The flags of a compact block for the items in its bitmap, item by item. */
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

/* A block in the full form that says what `old` does, which is compact, or 0. 0: no room. */
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

/* The item of pa, in a block made for it where there is none; 0: none can be had. */
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
