/* A hart whose clock is ahead of the time of shared structures (memsys_set_ahead): requests and
 * answers are in the hart's own time. Private to this folder and memsys. */
#ifndef SIM_MEM_AHEAD_H
#define SIM_MEM_AHEAD_H

#include "sim/mem/cache/memshared.h"

/* No request of the asking hart comes before this cycle of its own time. */
static inline void memshared_clock(struct memshared *shared, uint64_t now)
{
    shared->bus.dram.clock = now - shared->ahead;
}

/* Called by the functions of memshared.h of these names while shared->ahead is not 0. */
typedef struct mem_answer ahead_read(struct memshared *shared, const struct mem_request *request);
struct mem_answer memshared_read_ahead(struct memshared *shared, const struct mem_request *request,
                                       ahead_read *read);
uint64_t memshared_write_ahead(struct memshared *shared, const struct mem_request *request);
uint64_t memshared_prefetch_ahead(struct memshared *shared, uint64_t pa, uint64_t now,
                                  uint64_t *events);

#endif
