/* What harts share: L2, memory behind it, and the agreement about who has which line in L1D.
 * Private to memsys.c.
 *
 * L2 on its miss takes one of its own miss registers and asks memory; a request that finds none
 * waits for one. L2 holds what was read through it; it includes nothing and excludes nothing: a
 * line written back that it no longer has goes on to memory.
 * Coherence: a line is dirty in at most one L1D, and then nowhere else. A read miss makes copies
 * elsewhere shared, and has a dirty one written back first; a write drops them. Instruction caches
 * stay outside, as fence.i has it. Left out: L2 ports and banks, the time invalidations take. */
#ifndef SIM_MEM_MEMSHARED_H
#define SIM_MEM_MEMSHARED_H

#include "sim/mem/cache.h"
#include "sim/mem/dram.h"
#include "sim/mem/memsys.h"

enum { MEMSHARED_HARTS_MAX = 64 };

struct memshared {
    struct cache l2;
    struct dram dram;
    uint32_t l2_cycles;
    bool has_l2;
    unsigned harts;                             /* slots in use; who left has NULL */
    struct cache *l1d[MEMSHARED_HARTS_MAX];
    uint64_t *events[MEMSHARED_HARTS_MAX];
};

void memshared_join(struct memshared *shared, struct cache *l1d, uint64_t *events);
void memshared_leave(struct memshared *shared, const struct cache *l1d);

/* A line or page-table entry wanted at `now`: when it comes, and from where. Counts go to the
 * events of the hart that asks. */
uint64_t memshared_read(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events,
                        enum mem_level *level);
/* A dirty L1 line comes back. */
void memshared_write(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events);
/* Reads the line into L2, when it is not there and a miss register is free. */
void memshared_prefetch(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events);
bool memshared_has(const struct memshared *shared, uint64_t pa);
/* The hart with `own` is going to read the block, or to write it. True: others had it. */
bool memshared_snoop(struct memshared *shared, const struct cache *own, uint64_t block,
                     bool is_write, uint64_t now);

#endif
