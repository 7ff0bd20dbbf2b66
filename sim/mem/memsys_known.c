/* See memsys_known.h. */
#include "sim/mem/memsys_known.h"

#include "pmu/event.h"
#include "sim/mem/memsys_internal.h"

void memsys_keep_known(struct memsys *memsys)
{
    struct cache *code = &memsys->l1i.cache, *data = &memsys->l1d.cache;
    code->known.is_kept = memsys->l1i.is_plain || memsys->l1i.is_quiet;
    data->known.is_kept = memsys->l1d.is_plain || memsys->l1d.is_calm;
    data->known.hit_cycles = memsys->l1d.set.hit_cycles;
    data->known_beside = &code->known;          /* the next access reports the change */
    code->known_beside = &data->known;
}

void memsys_note_known(struct memsys *memsys, uint32_t frame, uint64_t now)
{
    struct cache *cache = &memsys->l1d.cache;
    uint32_t set = cache_set(cache, cache->tag[frame]);
    bool has_changes = (cache->change_count | memsys->l1i.cache.change_count) != 0;
    if (cache->ready[frame] <= now && !has_changes &&
        frame == set * cache->ways + cache->recent[set])
        known_lines_add(&cache->known, cache->tag[frame], frame);
}

const struct known_lines *memsys_known_code(const struct memsys *memsys)
{
    return &memsys->l1i.cache.known;
}

const struct known_lines *memsys_known_data(const struct memsys *memsys)
{
    return &memsys->l1d.cache.known;
}

const struct tlb *memsys_dtlb_of(const struct memsys *memsys)
{
    return &memsys->dtlb;
}

/* The frame of the block's set that was used last; a number beyond the cache if the frame is not
 * known. */
static uint32_t last_used(const struct cache *cache, uint64_t block)
{
    uint32_t set = cache_set(cache, block);
    return set * cache->ways + cache->recent[set];
}

bool memsys_fetch_at_once(struct memsys *memsys, uint64_t pa, uint64_t now, uint32_t *frame)
{
    const struct l1 *l1i = &memsys->l1i;
    const struct cache *cache = &l1i->cache;
    uint64_t block = cache_block(cache, pa);
    uint32_t last = last_used(cache, block);
    bool is_quiet = l1i->is_plain ||        /* a hit changes nothing, and is not refused */
                    (l1i->is_quiet && (cache->change_count | memsys->l1d.cache.change_count) == 0 &&
                     (l1i->set.has_hit_under_miss || now >= l1i->blocked_until));
    if (!is_quiet || cache->tag[last] != block || cache->ready[last] > now ||
        l1i->set.hit_cycles != 0)
        return false;
    known_lines_add(&memsys->l1i.cache.known, block, last);
    *frame = last;
    memsys->events[EVENT_L1I_ACCESS]++, memsys->events[EVENT_L1I_HIT]++;
    return true;
}
