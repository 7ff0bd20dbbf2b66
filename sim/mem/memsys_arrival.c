/* Arrival times of lines in flight to the data cache, which banked memory or the bus may change;
 * kept miss registers; the identity of the next load, for the prefetcher; lookups and evictions of
 * single lines. */
#include "sim/base/cycle.h"
#include "sim/mem/memsys_internal.h"

uint64_t memsys_moves(const struct memsys *memsys)
{
    return memsys->l1d.moves;
}

uint64_t memsys_arrival(const struct memsys *memsys, uint64_t block, uint32_t frame)
{
    const struct cache *cache = &memsys->l1d.cache;
    bool is_there = frame < cache->frames && cache->tag[frame] == cache_block(cache, block);
    return is_there ? cache->ready[frame] : 0;
}

uint8_t memsys_keep_register(struct memsys *memsys)
{
    uint8_t taken = memsys->taken_register;
    memsys->taken_register = NO_MISS_REGISTER;
    if (taken != NO_MISS_REGISTER)
        memsys->l1d.cache.pending[taken] = UINT64_MAX;
    return taken;
}

void memsys_free_register(struct memsys *memsys, uint8_t miss_register, uint64_t cycle)
{
    memsys->l1d.cache.pending[miss_register] = cycle;
    memsys->refused.until = 0;
    memsys->l1d.last_arrival = later(memsys->l1d.last_arrival, cycle);
}

uint64_t memsys_register_arrival(const struct memsys *memsys, uint8_t miss_register)
{
    return memsys->l1d.fill[miss_register].first;
}

void memsys_order_load(struct memsys *memsys, uint64_t id, uint64_t seq, uint64_t committed)
{
    memsys->l1d.load_id = id;
    memsys->l1d.load_seq = seq;
    memsys->l1d.committed = committed;
}

void memsys_give_up(struct memsys *memsys, uint64_t pa, uint64_t now)
{
    l1_give_up(&memsys->l1d, pa, now);
}

enum mem_level memsys_probe(const struct memsys *memsys, uint64_t pa)
{
    if (memsys_find_dframe(memsys, pa) != MEM_NO_FRAME)
        return MEM_L1;
    return memshared_probe(memsys->shared, pa);
}
