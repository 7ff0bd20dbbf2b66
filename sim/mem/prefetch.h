/* Stride prefetcher: for each load, by its pc, the distance between the lines it missed.
 *
 * Trained by misses only, so hits cost nothing. A distance seen twice in a row is trusted; then the
 * next PREFETCH_DEGREE addresses of the sequence are proposed, within the 4 KiB page, because what
 * follows physically is unknown.
 * Source: Baer and Chen, "An effective on-chip preloading scheme to reduce data access penalty",
 * Supercomputing 1991 (reference prediction table). */
#ifndef SIM_MEM_PREFETCH_H
#define SIM_MEM_PREFETCH_H

#include <stdint.h>

enum { PREFETCH_ENTRIES = 64, PREFETCH_DEGREE = 4, PREFETCH_TRUST = 2 };

struct prefetch_entry {
    uint64_t pc, pa;        /* of the last miss; pc 0 = empty */
    int64_t stride;
    uint32_t confidence;
};

struct prefetch { struct prefetch_entry entries[PREFETCH_ENTRIES]; };

/* A load missed. Returns how many addresses it put into pa[]. */
unsigned prefetch_train(struct prefetch *prefetch, uint64_t pc, uint64_t miss_pa,
                        uint64_t pa[PREFETCH_DEGREE]);

#endif
