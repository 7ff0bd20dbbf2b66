/* The fate of prefetched lines in one cache: counts only, no effect on time.
 *
 *   issued     lines a prefetch brought into the cache;
 *   useful     the first access to such a line; late when it was still on its way;
 *   unused     replaced without an access;
 *   polluting  a miss of a line that a prefetch had pushed out, as long as a table of
 *              PREFETCH_VICTIMS remembers it (the pollution filter of Srinath et al., HPCA 2007,
 *              with addresses for its bits).
 * The counts go to the hart whose access it is. Private to this folder. */
#ifndef SIM_MEM_PREFETCH_TRACK_H
#define SIM_MEM_PREFETCH_TRACK_H

#include "sim/mem/cache/cache.h"

enum { PREFETCH_VICTIMS = 256 };

struct prefetch_track {
    uint8_t *is_prefetched;                     /* [frames] prefetched and not used yet */
    uint64_t victim[PREFETCH_VICTIMS];          /* block + 1; 0 = none */
};

/* False: no memory. */
bool prefetch_track_init(struct prefetch_track *track, uint32_t frames);
void prefetch_track_free(struct prefetch_track *track);
/* A line will be put into the frame, replacing its present line. */
void prefetch_track_fill(struct prefetch_track *track, const struct cache *cache, uint32_t frame,
                         bool is_prefetch, uint64_t *events);
/* An access missed the block. */
void prefetch_track_miss(struct prefetch_track *track, uint64_t block, uint64_t *events);
void prefetch_track_first_use(struct prefetch_track *track, uint32_t frame, bool is_late,
                              uint64_t *events);

/* An access hit the line in the frame at `now`. True: it is the first use of a prefetched line. */
static inline bool prefetch_track_use(struct prefetch_track *track, const struct cache *cache,
                                      uint32_t frame, uint64_t now, uint64_t *events)
{
    if (!track->is_prefetched[frame])
        return false;
    prefetch_track_first_use(track, frame, cache->ready[frame] > now, events);
    return true;
}

#endif
