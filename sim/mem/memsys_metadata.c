/* Metadata between shadow frames and memory: past L2 on the bus, through L2 like lines, or in no
 * time. Private to one hart; its accesses to L2 count there like others. Also finds the L1 frame of
 * an address: shadow frames have the same numbers. */
#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/memsys_internal.h"

static uint64_t move_on_bus(struct memsys *memsys, uint32_t bytes, uint64_t now)
{
    uint32_t width = memsys->metadata_bytes_per_cycle;
    uint64_t cycles = width != 0 ? (bytes + width - 1) / width : 0;

    if (cycles == 0)
        return now;
    memsys->events[EVENT_META_BUS] += cycles;
    struct memshared *shared = memsys->shared;
    return bus_metadata(&shared->bus, now - shared->ahead, cycles, memsys->events) + shared->ahead;
}

/* Lines are requested one a cycle. */
static uint64_t move_through_l2(struct memsys *memsys, uint64_t pa, uint32_t bytes, bool is_write,
                                uint64_t now)
{
    uint32_t line = UINT32_C(1) << memsys->l1d.cache.line_shift;
    uint64_t ready = now, end = pa + bytes;

    for (uint64_t at = pa & ~(uint64_t)(line - 1); at < end; at += line, now++) {
        const struct mem_request request = {
            .pa = at, .now = now, .events = memsys->events, .bytes = line,
        };
        struct mem_answer answer;
        if (is_write) {
            memshared_write(memsys->shared, &request);
            continue;
        }
        answer = memshared_read(memsys->shared, &request);
        ready = later(ready, mem_answer_end(&answer, line));
    }
    return ready;
}

uint64_t memsys_metadata(struct memsys *memsys, uint64_t pa, uint32_t bytes, bool is_write,
                         uint64_t now)
{
    switch (memsys->metadata_traffic) {
    case TRAFFIC_BUS: return move_on_bus(memsys, bytes, now);
    case TRAFFIC_L2: return move_through_l2(memsys, pa, bytes, is_write, now);
    default: return now;
    }
}

void memsys_delay(struct memsys *memsys, bool is_fetch, const struct mem_response *response)
{
    struct cache *cache = is_fetch ? &memsys->l1i.cache : &memsys->l1d.cache;

    uint64_t was = cache->ready[response->frame];
    known_lines_drop_all(&cache->known);
    if (response->ready <= was)
        return;
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        if (was != 0 && cache->pending[i] == was) {
            cache->pending[i] = response->ready;
            break;
        }
    cache->ready[response->frame] = response->ready;
}

bool memsys_next_change(struct memsys *memsys, struct mem_change *change)
{
    struct cache *cache = &memsys->l1d.cache;
    uint32_t frame = cache_next_change(cache);
    if (frame == CACHE_NO_FRAME) {
        cache = &memsys->l1i.cache;
        frame = cache_next_change(cache);
    }
    if (frame == CACHE_NO_FRAME)
        return false;
    bool is_filled = cache->tag[frame] != CACHE_NO_BLOCK;
    *change = (struct mem_change){
        .frame = frame, .is_fetch = cache == &memsys->l1i.cache, .is_filled = is_filled,
        .block = is_filled ? cache->tag[frame] << cache->line_shift : 0,
    };
    return true;
}

uint32_t memsys_iframes(const struct memsys *memsys)
{
    return memsys->l1i.cache.frames;
}

uint32_t memsys_dframes(const struct memsys *memsys)
{
    return memsys->l1d.cache.frames;
}

uint32_t memsys_find_iframe(const struct memsys *memsys, uint64_t pa)
{
    return cache_find(&memsys->l1i.cache, cache_block(&memsys->l1i.cache, pa));
}

uint32_t memsys_find_dframe(const struct memsys *memsys, uint64_t pa)
{
    return cache_find(&memsys->l1d.cache, cache_block(&memsys->l1d.cache, pa));
}
