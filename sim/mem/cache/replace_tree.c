/* Tree-PLRU: see replace.h. Bit n of a set's word: node n of its tree points right; the root is
 * node 1. */
#include "sim/mem/cache/replace.h"

/* Every node on the way to the leaf points to the other side. */
static void point_away(struct replace *replace, uint32_t set, uint32_t way)
{
    uint64_t *trees = replace->state, tree = trees[set];
    uint32_t node = 1;
    for (uint32_t half = replace->ways / 2; half != 0; half /= 2) {
        bool right = (way & half) != 0;
        tree = right ? tree & ~(UINT64_C(1) << node) : tree | UINT64_C(1) << node;
        node = 2 * node + right;
    }
    trees[set] = tree;
}

static uint64_t ways_from(uint32_t first, uint32_t count)
{
    return (count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

/* Follows the pointers; where a half has no candidate, takes the other half. */
static uint32_t victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    const uint64_t *trees = replace->state;
    uint32_t node = 1, way = 0;
    for (uint32_t half = replace->ways / 2; half != 0; half /= 2) {
        bool right = trees[set] >> node & 1;
        if ((candidates & ways_from(right ? way + half : way, half)) == 0)
            right = !right;
        way += right ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

static size_t state_bytes(uint32_t sets, uint32_t ways)
{
    (void)ways;
    return sets * sizeof(uint64_t);
}

static uint64_t storage_bits(uint32_t sets, uint32_t ways)
{
    return (uint64_t)(ways - 1) * sets;
}

const struct replacement replacement_tree_plru = {
    .state_bytes = state_bytes, .touch = point_away, .fill = point_away, .victim = victim,
    .storage_bits = storage_bits,
};
