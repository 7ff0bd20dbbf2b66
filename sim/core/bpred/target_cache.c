/* Target cache: the last target of an indirect jump for its pc and the history before it, in one
 * table without tags (Chang, Hao, Patt, "Target Prediction for Indirect Jumps", ISCA 1997).
 *
 * With bpred.indirect_index = path the pc is not asked: as in the C910 (ct_ifu_ind_btb.v) the index
 * is two bits of each of the last four targets, other ones of each, and as many directions. */
#include "sim/core/bpred/targets.h"

void target_cache_init(struct target_cache *cache, const struct config *config,
                       struct arena *arena)
{
    cache->entries = config->bpred_indirect_entries;
    cache->mask = cache->entries - 1u;
    cache->by_path = config->bpred_indirect_index != 0;
    if (cache->entries != 0)
        cache->target = arena_take(arena, cache->entries, sizeof cache->target[0]);
}

/* Of the last target the lowest bits, of the fourth the highest. */
static uint64_t of_path(uint32_t path)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits |= path >> (8 * i) & UINT64_C(3) << (2 * i);
    return bits;
}

static uint64_t index_of(const struct target_cache *cache, uint64_t pc, uint64_t history,
                         uint32_t path)
{
    if (cache->by_path)
        return (of_path(path) ^ history) & cache->mask;
    return ((pc >> 1) ^ (history << 2) ^ (history >> 5)) & cache->mask;
}

uint64_t target_cache_predict(const struct target_cache *cache, uint64_t pc, uint64_t history,
                              uint32_t path)
{
    return cache->target == NULL ? 0 : cache->target[index_of(cache, pc, history, path)];
}

void target_cache_train(struct target_cache *cache, uint64_t pc, uint64_t history, uint32_t path,
                        uint64_t target)
{
    if (cache->target != NULL)
        cache->target[index_of(cache, pc, history, path)] = target;
}

uint64_t target_cache_storage(const struct target_cache *cache)
{
    return (uint64_t)cache->entries * ADDRESS_BITS;
}
