/* NRU: see replace.h. Bit n of a set's word: way n is marked. */
#include "sim/mem/cache/replace.h"

static void touch(struct replace *replace, uint32_t set, uint32_t way)
{
    uint64_t *marked = replace->state, all = ~UINT64_C(0) >> (64 - replace->ways);
    uint64_t marks = marked[set] | UINT64_C(1) << way;
    marked[set] = marks == all ? UINT64_C(1) << way : marks;
}

static uint32_t victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    const uint64_t *marked = replace->state;
    uint64_t unmarked = candidates & ~marked[set];
    return (uint32_t)__builtin_ctzll(unmarked != 0 ? unmarked : candidates);
}

static size_t state_bytes(uint32_t sets, uint32_t ways)
{
    (void)ways;
    return sets * sizeof(uint64_t);
}

static uint64_t storage_bits(uint32_t sets, uint32_t ways)
{
    return (uint64_t)ways * sets;
}

const struct replacement replacement_nru = {
    .state_bytes = state_bytes, .touch = touch, .victim = victim, .storage_bits = storage_bits,
    .notes_first_hit = true, .takes_any_way = true,
};
