/* Replacement policies of a set-associative cache, except LRU, which is in cache.h beside the tags.
 * Rows of sim/base/replacement.def name the policies (docs/extending.md makes one):
 *
 *   tree_plru  a binary tree of bits for each set points away from the last used line.
 *   srrip      each line has a re-reference prediction value (RRPV) of two bits: a hit makes it 0,
 *              a fill 2, and a line with 3 goes; when there is none, all grow older. Source:
 *              Jaleel, Theobald, Steely, Emer, "High performance cache replacement using
 *              re-reference interval prediction (RRIP)", ISCA 2010: SRRIP-HP.
 *   drrip      the same paper: sets duel whether fills get 2, or (BRRIP) 3 and each 32nd time 2.
 *   random     xorshift64* from a seed: the same seed, the same victims.
 *   fifo       a pointer for each set: the way after the one filled last.
 *   rotate     one such pointer for all sets, which asks for no empty way either.
 *   nru        not recently used: a hit marks its way, and clears the other marks when all would be
 *              set; the first way without a mark goes, whether it is empty or not. A fill marks
 *              nothing: the access that waited for the line does.
 *   lfsr       the low bits of a shift register of eight with feedback, all ones at reset, which
 *              moves when a line goes. Source: CVA6, lfsr.sv of its common cells.
 * Owns the policy's memory. The cache says which lines are empty or must not be replaced now. Left
 * out: the random choice of BRRIP; here it takes every 32nd fill, so that runs repeat. */
#ifndef SIM_MEM_REPLACE_H
#define SIM_MEM_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Policies by name, for the parts that only some of them have. */
#define REPLACEMENT(id, name, meaning) REPLACE_##id,
enum replace_policy {
#include "sim/base/replacement.def"
};
#undef REPLACEMENT

struct replace {
    const struct replacement *policy;
    bool is_lru;
    uint32_t sets, ways;
    uint64_t random;        /* state of random policies, from the seed; a dropped line restores
                             * it */
    void *state;            /* private state of the policy */
};

/* A policy: the object replacement_NAME of its file. set, way: of a line. */
struct replacement {
    size_t (*state_bytes)(uint32_t sets, uint32_t ways);    /* bytes of state, zeroed; NULL: none */
    void (*init)(struct replace *replace);                  /* NULL: zeros suffice */
    /* touch: the line was hit. fill: a new block was put there. NULL: no effect. */
    void (*touch)(struct replace *replace, uint32_t set, uint32_t way);
    void (*fill)(struct replace *replace, uint32_t set, uint32_t way);
    uint32_t (*victim)(struct replace *replace, uint32_t set, uint64_t candidates);
    uint64_t (*storage_bits)(uint32_t sets, uint32_t ways); /* storage that hardware needs */
    bool ages;              /* a repeated hit of the same way must be reported */
    bool notes_first_hit;   /* the first hit after a fill must be reported */
    bool takes_any_way;     /* an empty way is not preferred */
};

/* policy: the place in the table; ways: a power of two for tree_plru. False: no memory. */
bool replace_init(struct replace *replace, uint32_t policy, uint32_t sets, uint32_t ways,
                  uint64_t seed);
void replace_free(struct replace *replace);
/* The line was hit; a new block was put there. */
static inline void replace_touch(struct replace *replace, uint32_t set, uint32_t way)
{
    if (replace->policy->touch != NULL)
        replace->policy->touch(replace, set, way);
}
static inline void replace_fill(struct replace *replace, uint32_t set, uint32_t way)
{
    if (replace->policy->fill != NULL)
        replace->policy->fill(replace, set, way);
}
/* The way to evict among `candidates` (bit n: way n; not 0). The set is full. Not for LRU. */
static inline uint32_t replace_victim(struct replace *replace, uint32_t set, uint64_t candidates)
{
    return replace->policy->victim(replace, set, candidates);
}
/* Bits of storage the policy needs in hardware; LRU: an order of the ways of each set. */
uint64_t replace_storage_bits(uint32_t policy, uint32_t sets, uint32_t ways);

static inline unsigned replace_way_bits(uint32_t ways)
{
    return ways == 1 ? 0 : 32u - (unsigned)__builtin_clz(ways - 1);
}

/* ---- re-reference prediction ----------------------------------------------------------------- */

enum { REPLACE_DISTANT = 3, REPLACE_LONG = 2, REPLACE_BIMODAL = 32 };
/* Set dueling: REPLACE_LEADERS sets follow SRRIP and as many BRRIP, spread over the cache; where it
 * has fewer than 1024 sets, one of each in REPLACE_DUEL. A miss in one of them speaks for the other
 * policy. The counter has 10 bits. */
enum {
    REPLACE_LEADERS = 32, REPLACE_DUEL = 32, REPLACE_VOTES_MAX = 1023, REPLACE_VOTES_START = 512
};

struct replace_rrip {
    uint32_t duel;          /* drrip: one set in `duel` follows SRRIP, one BRRIP */
    uint32_t fills;         /* BRRIP's count of fills */
    uint32_t votes;         /* misses in SRRIP's sets minus misses in BRRIP's */
    uint8_t rrpv[];         /* [sets * ways] */
};

#endif
