/* When lines on their way to the data cache come, which memory with banks may put off. */
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
