/* See prefetch_track.h. */
#include "sim/mem/cache/prefetch_track.h"

#include <stdlib.h>

#include "pmu/event.h"

bool prefetch_track_init(struct prefetch_track *track, uint32_t frames)
{
    *track = (struct prefetch_track){
        .is_prefetched = calloc(frames, sizeof track->is_prefetched[0]),
    };
    return track->is_prefetched != NULL;
}

void prefetch_track_free(struct prefetch_track *track)
{
    free(track->is_prefetched);
    track->is_prefetched = NULL;
}

void prefetch_track_fill(struct prefetch_track *track, const struct cache *cache, uint32_t frame,
                         bool is_prefetch, uint64_t *events)
{
    uint64_t block = cache->tag[frame];
    bool is_unused = block != CACHE_NO_BLOCK && track->is_prefetched[frame];
    events[EVENT_PREFETCH_UNUSED] += is_unused;
    events[EVENT_PREFETCH_ISSUED] += is_prefetch;
    if (is_prefetch && block != CACHE_NO_BLOCK && !is_unused)
        track->victim[block % PREFETCH_VICTIMS] = block + 1;
    track->is_prefetched[frame] = is_prefetch;
}

void prefetch_track_miss(struct prefetch_track *track, uint64_t block, uint64_t *events)
{
    uint64_t *victim = &track->victim[block % PREFETCH_VICTIMS];
    if (*victim != block + 1)
        return;
    *victim = 0;
    events[EVENT_PREFETCH_POLLUTING]++;
}

void prefetch_track_first_use(struct prefetch_track *track, uint32_t frame, bool is_late,
                              uint64_t *events)
{
    track->is_prefetched[frame] = 0;
    events[EVENT_PREFETCH_USEFUL]++;
    events[EVENT_PREFETCH_LATE] += is_late;
}
