/* Page-table walkers of a hart: how long a walk takes.
 *
 * A walk reads one entry after the other, through L2 or through the data cache. There are `count`
 * walkers; a walk that finds all of them busy waits. A read of the data cache that finds no miss
 * register waits for one. A page-walk cache keeps entries of the upper levels by their physical
 * address (the unified page-table cache of Barr, Cox, Rixner, "Translation caching: skip, don't
 * walk (the page table)", ISCA 2010); a walk waits for an entry in flight. Fully associative, LRU.
 * Left out: walks that are cut short by a fault; leaf entries in the page-walk cache; ports and
 * banks of the data cache that walks take from loads. Private to memsys.c. */
#ifndef SIM_MEM_WALKER_H
#define SIM_MEM_WALKER_H

#include "sim/mem/cache/memshared.h"

enum { WALKERS_MAX = 16, WALK_ENTRY_BYTES = 8, WALK_CACHE_CYCLES = 1 };

struct memsys;

struct walk_entry {
    uint64_t pa;                /* of the page-table entry */
    uint64_t ready, used;       /* cycle of its arrival; time of the last use, 0 = empty */
};

struct walker {
    struct memshared *shared;
    uint64_t *events;
    uint64_t free[WALKERS_MAX];         /* cycle from which each walker is free */
    struct walk_entry *cache;           /* [entries] */
    uint64_t clock;
    uint32_t count, entries;
    uint32_t entry_bytes;               /* WALK_ENTRY_BYTES; 4 where XLEN is 32 */
    struct memsys *through;             /* memory system through whose data cache entries are read;
                                         * NULL: through L2 */
};

/* False: no memory. */
bool walker_init(struct walker *walker, const struct config *config, struct memshared *shared,
                 uint64_t *events);
void walker_free(struct walker *walker);
void walker_flush(struct walker *walker);
/* In memsys_tlb.c: reads the entry through the data cache from `now` on; returns the cycle of its
 * arrival. */
uint64_t memsys_read_entry(struct memsys *memsys, uint64_t pa, uint64_t now);
/* Reads the entries pte[], root first, from `now` on. Returns the cycle in which the last has
 * arrived. */
uint64_t walker_walk(struct walker *walker, const uint64_t *pte, unsigned levels, uint64_t now);

#endif
