/* Lines of a first-level cache whose next access is answered at once and changes only counts: each
 * was used last in its set, and has arrived. The core looks here before it calls the memory system;
 * only the memory system changes the list.
 *
 * A line has one place, by the low bits of its set, so that the use of another line of the set
 * removes it. Any other change that makes a line answer otherwise removes that line, or all
 * lines. */
#ifndef SIM_MEM_KNOWN_LINES_H
#define SIM_MEM_KNOWN_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { KNOWN_LINES = 64 };

struct known_lines {
    uint64_t block[KNOWN_LINES];    /* address >> line_shift; UINT64_MAX: none */
    uint32_t frame[KNOWN_LINES];    /* that holds it */
    uint64_t fills;                 /* number of lines that came into the cache so far: while it
                                     * stays the same, an absent line stays absent */
    uint32_t mask;                  /* of a set or block: its place */
    uint32_t hit_cycles;
    uint8_t line_shift;
    bool is_kept;                   /* false: the list is always empty */
};

/* True if the line of pa is known; *frame: that holds it. */
static inline bool known_lines_find(const struct known_lines *known, uint64_t pa, uint32_t *frame)
{
    uint64_t block = pa >> known->line_shift, at = block & known->mask;
    if (known->block[at] != block)
        return false;
    *frame = known->frame[at];
    return true;
}

static inline void known_lines_add(struct known_lines *known, uint64_t block, uint32_t frame)
{
    known->block[block & known->mask] = block;
    known->frame[block & known->mask] = frame;
}

static inline void known_lines_drop(struct known_lines *known, uint64_t set)
{
    known->block[set & known->mask] = UINT64_MAX;
}

static inline void known_lines_drop_all(struct known_lines *known)
{
    for (unsigned i = 0; i < KNOWN_LINES; i++)
        known->block[i] = UINT64_MAX;
}

#endif
