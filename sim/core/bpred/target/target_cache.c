/* Target cache: the last target of an indirect jump for its pc and the history before it, in one
 * table without tags (Chang, Hao, Patt, "Target Prediction for Indirect Jumps", ISCA 1997).
 *
 * With part_indirect_index = path the pc is not used: as in the C910 (ct_ifu_ind_btb.v), the index
 * is two bits of each of the last four targets, different ones for each, and as many directions. */
#include "sim/core/bpred/target/targets.h"

enum { OLDEST = 5 };                    /* branches that the index sees only folded */

static void init(void *self, const struct predictor_parts *parts)
{
    struct target_cache *cache = self;
    const struct config *config = parts->config;
    cache->entries = config->bpred_indirect_entries;
    cache->mask = low_bits(UINT64_MAX, index_bits_of(cache->entries));
    cache->by_path = config->part_indirect_index != 0;
    if (cache->entries != 0)
        cache->target = arena_take(parts->arena, cache->entries, sizeof cache->target[0]);
}

/* The lowest bits of the last target, the highest of the fourth. */
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
    uint64_t index = cache->by_path ? of_path(path) ^ history
                                    : (pc >> 1) ^ (history << 2) ^ (history >> OLDEST);
    return entry_at(index & cache->mask, cache->entries);
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

/* ---- as predictor.h has it ------------------------------------------------------------------- */

static uint64_t predict(void *self, uint64_t pc, uint64_t history, uint32_t path,
                        struct record *record)
{
    (void)record;
    return target_cache_predict(self, pc, history, path);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, uint64_t target)
{
    (void)record;
    target_cache_train(self, pc, snapshot->history, snapshot->path, target);
}

static uint64_t storage(const void *self)
{
    const struct target_cache *cache = self;
    return (uint64_t)cache->entries * ADDRESS_BITS;
}

static uint32_t reach(const struct config *config)
{
    unsigned index_bits = index_bits_of(config->bpred_indirect_entries);
    return index_bits != 0 ? index_bits + OLDEST : 0;
}

const struct indirect_predictor indirect_target_cache = {
    .state_bytes = sizeof(struct target_cache),
    .init = init, .predict = predict, .train = train, .storage = storage, .reach = reach,
};
