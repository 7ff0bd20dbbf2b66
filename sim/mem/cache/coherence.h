/* The L1 caches that have each line, and those that must give it up: MESI by snooping. Private to
 * this folder and memsys. */
#ifndef SIM_MEM_COHERENCE_H
#define SIM_MEM_COHERENCE_H

#include "sim/mem/cache/memshared.h"

/* A miss of a data cache. Other copies become shared, or invalid for a write. */
struct mem_answer memshared_read_coherent(struct memshared *shared,
                                          const struct mem_request *request);
/* Invalidates the block in all other harts. True: one had it. */
bool memshared_invalidate(struct memshared *shared, const struct shared_hart *hart, uint64_t block,
                          uint64_t now);
/* A hart writes a block it shares: others are invalidated now. Returns when all have answered. */
uint64_t memshared_upgrade(struct memshared *shared, const struct shared_hart *hart,
                           uint64_t block, uint64_t now);
/* Invalidates [pa, pa + bytes) in every L1. True: some of it was modified. */
bool memshared_recall(struct memshared *shared, uint64_t pa, uint64_t bytes);
/* True if an L1 has the line of pa. */
bool memshared_is_held(const struct memshared *shared, uint64_t pa);

#endif
