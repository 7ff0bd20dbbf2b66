/* Which L1 has which line, and who must give it up: MESI by snooping. Private to this folder and
 * memsys. */
#ifndef SIM_MEM_COHERENCE_H
#define SIM_MEM_COHERENCE_H

#include "sim/mem/cache/memshared.h"

/* A data cache misses: others' copies become shared, or go when it is to write. */
struct mem_answer memshared_read_coherent(struct memshared *shared,
                                          const struct mem_request *request);
/* The others lose the block. True: some had it. */
bool memshared_invalidate(struct memshared *shared, const struct shared_hart *hart, uint64_t block,
                          uint64_t now);
/* The hart hit the block, which it shares, and wants it alone; others lose it now. Returns the
 * cycle in which all have said so. */
uint64_t memshared_upgrade(struct memshared *shared, const struct shared_hart *hart,
                           uint64_t block, uint64_t now);
/* Every L1 loses what it has of [pa, pa + bytes). True: some of it was modified. */
bool memshared_recall(struct memshared *shared, uint64_t pa, uint64_t bytes);
/* Does an L1 have the line of pa? */
bool memshared_is_held(const struct memshared *shared, uint64_t pa);

#endif
