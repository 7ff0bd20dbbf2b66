/* Target cache: the last target of an indirect jump for its pc and the history before it, in one
 * table without tags (Chang, Hao, Patt, "Target Prediction for Indirect Jumps", ISCA 1997). */
#include "sim/core/bpred/targets.h"

void target_cache_init(struct target_cache *cache, const struct config *config,
                       struct arena *arena)
{
    cache->entries = config->bpred_indirect_entries;
    cache->mask = cache->entries - 1u;
    if (cache->entries != 0)
        cache->target = arena_take(arena, cache->entries, sizeof cache->target[0]);
}

static uint64_t index_of(const struct target_cache *cache, uint64_t pc, uint64_t history)
{
    return ((pc >> 1) ^ (history << 2) ^ (history >> 5)) & cache->mask;
}

uint64_t target_cache_predict(const struct target_cache *cache, uint64_t pc, uint64_t history)
{
    return cache->target == NULL ? 0 : cache->target[index_of(cache, pc, history)];
}

void target_cache_train(struct target_cache *cache, uint64_t pc, uint64_t history,
                        uint64_t target)
{
    if (cache->target != NULL)
        cache->target[index_of(cache, pc, history)] = target;
}

uint64_t target_cache_storage(const struct target_cache *cache)
{
    return (uint64_t)cache->entries * ADDRESS_BITS;
}
