/* Reads that memory delayed or advanced: the arrival times in the caches follow. */
#include "sim/mem/cache/l1.h"
#include "sim/mem/cache/memshared.h"

/* Delays answers for cycle `from` or later by `cycles`, modulo 2^64. */
static void move_arrival(struct cache *cache, uint64_t pa, uint64_t from, uint64_t cycles)
{
    uint32_t frame = cache_find(cache, cache_block(cache, pa));
    if (frame == CACHE_NO_FRAME || cache->ready[frame] < from)
        return;
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        if (cache->pending[i] == cache->ready[frame]) {
            cache->pending[i] += cycles;
            break;
        }
    cache->ready[frame] += cycles;
}

/* Applies a change of arrival to every cache in which the line is in flight. */
static void move_line(struct memshared *shared, const struct dram_change *change)
{
    uint64_t cycles = change->to - change->from, end = change->pa + shared->bus.dram.line_bytes;
    for (unsigned i = 0; i < shared->levels; i++) {
        struct cache *cache = &shared->level[i].cache;
        for (uint64_t pa = change->pa; pa < end; pa += UINT64_C(1) << cache->line_shift)
            move_arrival(cache, pa, change->from, cycles);
    }
    for (unsigned i = 0; i < shared->harts; i++)
        if (shared->hart[i].data != NULL) {
            uint64_t from = change->from + shared->hart[i].ahead;
            l1_move_arrivals(shared->hart[i].fetch, change->pa, end, from, cycles);
            l1_move_arrivals(shared->hart[i].data, change->pa, end, from, cycles);
        }
}

void memshared_follow_memory(struct memshared *shared)
{
    struct dram_change change;
    while (shared->bus.dram.changes != 0 && dram_next_change(&shared->bus.dram, &change))
        move_line(shared, &change);
}
