/* See memsys_code.h. */
#include "sim/mem/memsys_code.h"

#include "pmu/event.h"
#include "sim/mem/cache/ahead.h"
#include "sim/mem/memsys_internal.h"

bool memsys_find_code(struct memsys *memsys, uint64_t pa, uint32_t *frame)
{
    struct cache *cache = &memsys->l1i.cache;
    *frame = cache_use(cache, cache_block(cache, pa));
    if (*frame == CACHE_NO_FRAME)
        return false;
    known_lines_add(&cache->known, cache_block(cache, pa), *frame);
    memsys->events[EVENT_L1I_ACCESS]++, memsys->events[EVENT_L1I_HIT]++;
    return true;
}

uint64_t memsys_read_code(struct memsys *memsys, uint64_t pa, uint64_t now, bool is_prefetch)
{
    uint64_t early = memsys->fetch_early_cycles;
    const struct mem_request request = {
        .pa = pa, .now = now > early ? now - early : 0, .events = memsys->events,
        .bytes = UINT32_C(1) << memsys->l1i.cache.line_shift,
        .is_fetch = true, .is_prefetch = is_prefetch, .is_kept = true,
    };
    if (!is_prefetch) {
        memsys->events[EVENT_L1I_ACCESS]++;
        memsys->events[EVENT_L1I_MISS]++;
    }
    memshared_clock(memsys->shared, now);
    uint64_t first = memshared_read(memsys->shared, &request).first;
    return first > now + early ? first - early : now + 1;
}

void memsys_keep_code(struct memsys *memsys, uint64_t pa, uint64_t now,
                      struct mem_response *response)
{
    const struct cache *cache = &memsys->l1i.cache;
    *response = (struct mem_response){
        .ready = now, .filled = true, .frame = l1_put(&memsys->l1i, pa, now),
        .block = cache_block(cache, pa) << cache->line_shift,
        .changed = (memsys->l1i.cache.change_count | memsys->l1d.cache.change_count) != 0,
    };
}

void memsys_flush_icache(struct memsys *memsys)
{
    cache_flush(&memsys->l1i.cache);
}
