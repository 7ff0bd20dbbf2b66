/* See memsys_look.h. */
#include "sim/mem/memsys_look.h"

#include "sim/mem/memsys_internal.h"

/* NULL: the machine has no such cache. */
static const struct cache *cache_of(const struct memsys *memsys, enum memsys_part part)
{
    const struct memshared *shared = memsys->shared;

    switch (part) {
    case MEMSYS_L1I: return &memsys->l1i.cache;
    case MEMSYS_L1D: return &memsys->l1d.cache;
    default: break;
    }
    for (unsigned i = 0; i < shared->levels; i++)
        if (shared->level[i].name == (part == MEMSYS_L2 ? MEM_L2 : MEM_L3))
            return &shared->level[i].cache;
    return NULL;
}

bool memsys_look(const struct memsys *memsys, enum memsys_part part, struct memsys_shape *shape)
{
    const struct cache *cache = cache_of(memsys, part);

    if (cache == NULL || cache->frames == 0)
        return false;
    *shape = (struct memsys_shape){cache->frames / cache->ways, cache->ways,
                                   UINT32_C(1) << cache->line_shift};
    return true;
}

enum memsys_line memsys_look_line(const struct memsys *memsys, enum memsys_part part,
                                  uint32_t frame, uint64_t now, uint64_t *pa)
{
    const struct cache *cache = cache_of(memsys, part);

    *pa = cache->tag[frame] << cache->line_shift;
    if (cache->tag[frame] == CACHE_NO_BLOCK || cache->state[frame] == CACHE_INVALID)
        return MEMSYS_EMPTY;
    if (cache->ready[frame] > now)
        return MEMSYS_COMING;
    switch ((enum cache_state)cache->state[frame]) {
    case CACHE_SHARED: return MEMSYS_SHARED;
    case CACHE_MODIFIED: return MEMSYS_MODIFIED;
    default: return MEMSYS_CLEAN;
    }
}

uint32_t memsys_look_misses(const struct memsys *memsys, enum memsys_part part, uint64_t now,
                            uint32_t *registers)
{
    const struct cache *cache = cache_of(memsys, part);
    uint32_t taken = 0;

    *registers = cache->miss_registers;
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        taken += cache->pending[i] > now;
    return taken;
}

static uint32_t count_first(const struct tlb *tlb, uint32_t *entries)
{
    uint32_t taken = 0;

    *entries = tlb->count;
    for (uint32_t i = 0; i < tlb->count; i++)
        taken += tlb->entries[i].key != TLB_EMPTY;
    return taken;
}

static uint32_t count_second(const struct tlb_l2 *tlb, uint32_t *entries)
{
    uint32_t taken = 0;

    *entries = tlb->is_present ? tlb->sets * tlb->ways : 0;
    for (uint32_t i = 0; i < *entries; i++)
        taken += tlb->entries[i].key != TLB_EMPTY;
    return taken;
}

uint32_t memsys_look_tlb(const struct memsys *memsys, enum memsys_tlb which, uint32_t *entries)
{
    switch (which) {
    case MEMSYS_ITLB: return count_first(&memsys->itlb, entries);
    case MEMSYS_DTLB: return count_first(&memsys->dtlb, entries);
    default: return count_second(&memsys->l2tlb, entries);
    }
}
