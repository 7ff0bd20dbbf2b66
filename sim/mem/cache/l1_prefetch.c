/* A first-level cache and its prefetcher. See l1.h.
 *
 * A prefetch into L1 takes a miss register and a frame like a miss, never the last ones of a set
 * that is all on its way; one into L2 takes a register there. The prefetcher learns from misses;
 * unless it trains on demand alone, from the first use of each line it brought into L1; and, when
 * it trains on hits, from every read. The staged prefetcher makes requests by itself, independently
 * of the accesses of L1. */
#include "sim/mem/cache/l1.h"

#include "pmu/event.h"
#include "sim/mem/cache/prefetch_staged.h"

/* Returns the cycle in which the line arrives, or 0 if it is not requested. */
static uint64_t bring_here(struct l1 *l1, uint64_t pa, uint64_t now, uint64_t from)
{
    struct cache *cache = &l1->cache;
    uint64_t block = cache_block(cache, pa);
    struct cache_place place;
    struct mem_response response;
    if (cache_find(cache, block) != CACHE_NO_FRAME || !cache_find_place(cache, block, now, &place))
        return 0;
    l1_begin_miss(l1, &place, pa, from, L1_PREFETCH, &response);
    cache_note_change(cache, place.frame);
    return cache->ready[place.frame];
}

static bool is_here(const struct l1 *l1, uint64_t pa)
{
    return cache_find(&l1->cache, cache_block(&l1->cache, pa)) != CACHE_NO_FRAME;
}

static void train(struct l1 *l1, uint64_t pc, uint64_t pa, uint64_t now, bool is_miss)
{
    const struct prefetch_access access = {.pc = pc, .pa = pa, .now = now, .is_miss = is_miss};
    uint64_t wanted[PREFETCH_DEGREE_MAX], from = now + l1->set.hit_cycles;
    unsigned count = prefetch_train(&l1->prefetcher, &access, wanted);
    for (unsigned i = 0; i < count; i++) {
        uint64_t ready = l1->set.prefetches_into_l1
                             ? bring_here(l1, wanted[i], now, from)
                             : memshared_prefetch(l1->shared, wanted[i],
                                                  from + memshared_cycles(l1->shared), l1->events);
        if (ready != 0)
            prefetch_note_fill(&l1->prefetcher, wanted[i], true, ready);
        else if (l1->prefetcher.distance != 0 && !is_here(l1, wanted[i])) {
            prefetch_refuse(&l1->prefetcher, wanted[i]);
            break;
        }
    }
}

void l1_note_miss(struct l1 *l1, uint64_t pc, uint64_t pa, uint64_t now,
                  const struct mem_response *response)
{
    if (l1->set.prefetch == PREFETCH_NONE)
        return;
    if (l1->set.prefetches_into_l1)
        prefetch_track_miss(&l1->track, cache_block(&l1->cache, pa), l1->events);
    prefetch_note_fill(&l1->prefetcher, pa, false, l1->cache.ready[response->frame]);
    if (l1->set.prefetch != PREFETCH_STAGED)
        train(l1, pc, pa, now, true);
}

bool l1_note_hit(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now)
{
    bool is_first = prefetch_track_use(&l1->track, &l1->cache, frame, now, l1->events);
    bool trains = l1->set.trains_on_hits || (is_first && l1->set.trains_on_use);
    if (l1->set.prefetch != PREFETCH_NONE && l1->set.prefetch != PREFETCH_STAGED && trains)
        train(l1, pc, pa, now, false);
    return is_first;
}

/* ---- the staged prefetcher ------------------------------------------------------------------- */

/* True if l1_waits_for_fill would mistake a line in flight for this one; the request is then
 * dropped. */
static bool meets_fill(const struct l1 *l1, uint64_t pa, uint64_t at)
{
    const struct cache *cache = &l1->cache;
    uint64_t block = cache_block(cache, pa);
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        if (cache->pending[i] >= at && l1_fill_matches(l1, i, block))
            return true;
    return false;
}

static bool bring_to_l1(struct l1 *l1, uint64_t pa, uint64_t at)
{
    struct cache_place place;
    struct mem_response response;
    if (is_here(l1, pa))
        return true;
    if (meets_fill(l1, pa, at) ||
        !cache_find_place(&l1->cache, cache_block(&l1->cache, pa), at, &place))
        return false;
    l1_begin_miss(l1, &place, pa, at - 1, L1_PREFETCH, &response);
    cache_note_change(&l1->cache, place.frame);
    return false;
}

void l1_run_prefetcher(struct l1 *l1, uint64_t until)
{
    struct prefetch_staged *staged = l1->prefetcher.state;
    struct staged_request request;
    while (staged_next(staged, l1->cache.pending, l1->cache.miss_registers, until, &request)) {
        uint64_t taken = memshared_room(l1->shared, request.pa, request.at);
        bool was_here = false;
        if (request.is_for_l1)
            was_here = bring_to_l1(l1, request.pa, taken);
        else
            memshared_prefetch(l1->shared, request.pa,
                               taken - 1 + memshared_cycles(l1->shared), l1->events);
        staged_done(staged, &request, taken, was_here);
    }
}

bool l1_note_load(struct l1 *l1, uint32_t frame, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response)
{
    bool waits = l1_waits_for_fill(l1, frame, pa, now, response);
    if (l1->set.prefetch != PREFETCH_STAGED)
        return !waits;
    if (l1->load_id == 0)
        l1->load_seq++;
    const struct staged_load load = {
        .pc = pc, .pa = pa, .id = l1->load_id, .seq = l1->load_seq, .committed = l1->committed,
        .now = now + l1->set.hit_cycles, .begins_miss = !waits && frame == CACHE_NO_FRAME,
    };
    staged_train(l1->prefetcher.state, &load);
    l1->load_id = 0;
    return !waits;
}
