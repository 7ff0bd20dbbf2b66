/* Accesses that bypass the first level: single words that neither fetch nor loads keep, and stores
 * of cores that manage them themselves; see memsys.h. */
#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/cache/ahead.h"
#include "sim/mem/cache/coherence.h"
#include "sim/mem/memsys_internal.h"

uint64_t memsys_fetch_past(struct memsys *memsys, uint64_t pa, uint64_t now)
{
    struct l1 *l1i = &memsys->l1i;
    const struct mem_request request = {
        .pa = pa, .now = later(now, l1i->blocked_until) + memsys->fetch_miss_cycles,
        .events = memsys->events, .bytes = sizeof(uint64_t), .is_fetch = true,
    };
    const struct mem_answer answer = memshared_read_past(memsys->shared, &request);
    l1i->blocked_until = mem_answer_end(&answer, request.bytes);
    known_lines_drop_all(&l1i->cache.known);
    return l1i->blocked_until;
}

uint64_t memsys_load_past(struct memsys *memsys, uint64_t pa, uint32_t bytes, uint64_t now)
{
    const struct mem_request request = {.pa = pa, .now = now, .events = memsys->events,
                                        .bytes = bytes};
    const struct mem_answer answer = memshared_read_past(memsys->shared, &request);
    return mem_answer_end(&answer, bytes);
}

uint64_t memsys_line_from(const struct memsys *memsys, uint64_t pa)
{
    uint32_t frame = memsys_find_dframe(memsys, pa);
    if (memsys->hart->upgrade_block == cache_block(&memsys->l1d.cache, pa))
        return 0;
    return frame == MEM_NO_FRAME ? UINT64_MAX : memsys->l1d.cache.ready[frame];
}

bool memsys_array_is_busy(const struct memsys *memsys, uint64_t now)
{
    return l1_array_is_busy(&memsys->l1d, now);
}

/* The line is written without being read first. */
void memsys_write_past(struct memsys *memsys, uint64_t pa, uint32_t bytes, uint64_t now)
{
    struct memshared *shared = memsys->shared;
    const struct mem_request request = {
        .pa = pa, .now = now, .events = memsys->events, .bytes = bytes,
    };
    memshared_clock(shared, now);
    memsys->events[EVENT_L1D_WRITE]++;
    memsys->events[EVENT_L1D_WRITE_MISS]++;
    if (bytes != UINT32_C(1) << memsys->l1d.cache.line_shift)
        memshared_write(shared, &request);
    else
        memshared_take(shared, pa, true, now + (shared->levels != 0 ? shared->level[0].cycles : 0),
                       memsys->events);
    if (shared->harts > 1)
        memshared_invalidate(shared, memsys->hart, cache_block(&memsys->l1d.cache, pa), now);
}

uint64_t memsys_written(const struct memsys *memsys)
{
    return write_buffer_empty_from(&memsys->write_buffer);
}
