/* See replace.h. */
#include "sim/mem/cache/replace.h"

#include <stdlib.h>

enum { LFSR_START = 0xff, LFSR_TAPS = 0xfa };

bool replace_init(struct replace *replace, enum replace_policy policy, uint32_t sets, uint32_t ways,
                  uint64_t seed)
{
    *replace = (struct replace){
        .policy = policy, .ways = ways, .votes = REPLACE_VOTES_START,
        .duel = sets / REPLACE_LEADERS > REPLACE_DUEL ? sets / REPLACE_LEADERS : REPLACE_DUEL,
        .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1,
    };
    if (policy == REPLACE_LFSR)
        replace->random = LFSR_START;
    if (policy == REPLACE_TREE_PLRU || policy == REPLACE_NRU)
        return (replace->tree = calloc(sets, sizeof replace->tree[0])) != NULL;
    if (replace_ages(replace))
        return (replace->rrpv = calloc((size_t)sets * ways, sizeof replace->rrpv[0])) != NULL;
    if (policy == REPLACE_FIFO || policy == REPLACE_ROTATE)
        return (replace->next = calloc(policy == REPLACE_FIFO ? sets : 1, 1)) != NULL;
    return true;
}

void replace_free(struct replace *replace)
{
    free(replace->tree);
    free(replace->rrpv);
    free(replace->next);
    *replace = (struct replace){0};
}

/* ---- tree ------------------------------------------------------------------------------------ */

/* Every node on the way to the leaf points to the other side. */
static void tree_point_away(struct replace *replace, uint32_t set, uint32_t way)
{
    uint64_t tree = replace->tree[set];
    uint32_t node = 1;
    for (uint32_t half = replace->ways / 2; half != 0; half /= 2) {
        bool right = (way & half) != 0;
        tree = right ? tree & ~(UINT64_C(1) << node) : tree | UINT64_C(1) << node;
        node = 2 * node + right;
    }
    replace->tree[set] = tree;
}

static uint64_t ways_from(uint32_t first, uint32_t count)
{
    return (count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

/* Follows the pointers; where one leads to nothing that may go, to the other side. */
static uint32_t tree_victim(const struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint32_t node = 1, way = 0;
    for (uint32_t half = replace->ways / 2; half != 0; half /= 2) {
        bool right = replace->tree[set] >> node & 1;
        if ((candidates & ways_from(right ? way + half : way, half)) == 0)
            right = !right;
        way += right ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

/* ---- re-reference prediction ----------------------------------------------------------------- */

static uint8_t bimodal_rrpv(struct replace *replace)
{
    return ++replace->fills % REPLACE_BIMODAL == 0 ? REPLACE_LONG : REPLACE_DISTANT;
}

static uint8_t rrpv_of_fill(struct replace *replace, uint32_t set)
{
    if (replace->policy == REPLACE_SRRIP)
        return REPLACE_LONG;
    uint32_t place = set % replace->duel;
    if (place == 0) {
        replace->votes += replace->votes < REPLACE_VOTES_MAX;
        return REPLACE_LONG;
    }
    if (place == replace->duel / 2) {
        replace->votes -= replace->votes > 0;
        return bimodal_rrpv(replace);
    }
    return replace->votes > REPLACE_VOTES_START ? bimodal_rrpv(replace) : REPLACE_LONG;
}

/* The first candidate with the highest value, which then is REPLACE_DISTANT: all grow older. */
static uint32_t rrip_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint8_t *rrpv = &replace->rrpv[(size_t)set * replace->ways];
    uint32_t victim = (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(rest);
        if (rrpv[way] > rrpv[victim])
            victim = way;
    }
    unsigned age = REPLACE_DISTANT - rrpv[victim];
    for (uint32_t way = 0; age != 0 && way < replace->ways; way++)
        rrpv[way] = (uint8_t)(rrpv[way] + age > REPLACE_DISTANT ? REPLACE_DISTANT
                                                                : rrpv[way] + age);
    return victim;
}

/* ---- random ---------------------------------------------------------------------------------- */

/* Marsaglia, "Xorshift RNGs", 2003; multiplied as Vigna, 2016, proposes. */
static uint32_t draw(struct replace *replace, uint32_t below)
{
    uint64_t x = replace->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    replace->random = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d) >> 32) * below >> 32);
}

static uint32_t random_victim(struct replace *replace, uint64_t candidates)
{
    for (uint32_t n = draw(replace, (uint32_t)__builtin_popcountll(candidates)); n != 0; n--)
        candidates &= candidates - 1;
    return (uint32_t)__builtin_ctzll(candidates);
}

/* ---- shift register -------------------------------------------------------------------------- */

static uint32_t lfsr_victim(struct replace *replace, uint64_t candidates)
{
    uint32_t way = (uint32_t)(replace->random % replace->ways);
    replace->random = replace->random >> 1 ^ (replace->random & 1 ? LFSR_TAPS : 0);
    return candidates >> way & 1 ? way : (uint32_t)__builtin_ctzll(candidates);
}

/* ---- in turn --------------------------------------------------------------------------------- */

static uint8_t *pointer_of(const struct replace *replace, uint32_t set)
{
    return &replace->next[replace->policy == REPLACE_FIFO ? set : 0];
}

/* The first candidate from the pointer on. */
static uint32_t turn_victim(const struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint64_t from_here = candidates & ~UINT64_C(0) << *pointer_of(replace, set);
    return (uint32_t)__builtin_ctzll(from_here != 0 ? from_here : candidates);
}

/* ---- not recently used ----------------------------------------------------------------------- */

static void mark(struct replace *replace, uint32_t set, uint32_t way)
{
    uint64_t marks = replace->tree[set] | UINT64_C(1) << way;
    replace->tree[set] = marks == ways_from(0, replace->ways) ? UINT64_C(1) << way : marks;
}

static uint32_t unmarked_victim(const struct replace *replace, uint32_t set, uint64_t candidates)
{
    uint64_t unmarked = candidates & ~replace->tree[set];
    return (uint32_t)__builtin_ctzll(unmarked != 0 ? unmarked : candidates);
}

/* ---- by policy ------------------------------------------------------------------------------- */

void replace_touch(struct replace *replace, uint32_t set, uint32_t way)
{
    if (replace->policy == REPLACE_TREE_PLRU)
        tree_point_away(replace, set, way);
    else if (replace->policy == REPLACE_NRU)
        mark(replace, set, way);
    else if (replace_ages(replace))
        replace->rrpv[(size_t)set * replace->ways + way] = 0;
}

void replace_fill(struct replace *replace, uint32_t set, uint32_t way)
{
    if (replace->policy == REPLACE_TREE_PLRU)
        tree_point_away(replace, set, way);
    else if (replace_ages(replace))
        replace->rrpv[(size_t)set * replace->ways + way] = rrpv_of_fill(replace, set);
    else if (replace->next != NULL)
        *pointer_of(replace, set) = (uint8_t)((way + 1) % replace->ways);
}

uint32_t replace_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    switch (replace->policy) {
    case REPLACE_TREE_PLRU:
        return tree_victim(replace, set, candidates);
    case REPLACE_SRRIP:
    case REPLACE_DRRIP:
        return rrip_victim(replace, set, candidates);
    case REPLACE_FIFO:
    case REPLACE_ROTATE:
        return turn_victim(replace, set, candidates);
    case REPLACE_NRU:
        return unmarked_victim(replace, set, candidates);
    case REPLACE_LFSR:
        return lfsr_victim(replace, candidates);
    default:
        return random_victim(replace, candidates);
    }
}

uint64_t replace_storage_bits(enum replace_policy policy, uint32_t sets, uint32_t ways)
{
    uint64_t way_bits = ways == 1 ? 0 : (uint64_t)(32 - __builtin_clz(ways - 1));
    switch (policy) {
    case REPLACE_LRU:                               /* each way's place in the order */
        return way_bits * ways * sets;
    case REPLACE_FIFO:
        return way_bits * sets;
    case REPLACE_ROTATE:
        return way_bits;
    case REPLACE_NRU:
        return (uint64_t)ways * sets;
    case REPLACE_TREE_PLRU:
        return (uint64_t)(ways - 1) * sets;
    case REPLACE_SRRIP:
        return UINT64_C(2) * ways * sets;
    case REPLACE_DRRIP:
        return UINT64_C(2) * ways * sets + 10 + 5;  /* votes, BRRIP's count */
    case REPLACE_LFSR:
        return 8;
    default:
        return 64;
    }
}
