/* Replacement in one set-associative cache, but for LRU, which is in cache.h beside the tags.
 *
 *   tree_plru  a binary tree of bits for each set points away from what was used last.
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
 * Owns what the policy remembers. Which lines are empty, or not to be replaced now, the cache says.
 * Left out: the dice of BRRIP; each 32nd fill is counted, so that runs repeat. */
#ifndef SIM_MEM_REPLACE_H
#define SIM_MEM_REPLACE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the settings *.replacement. */
enum replace_policy {
    REPLACE_LRU, REPLACE_TREE_PLRU, REPLACE_SRRIP, REPLACE_DRRIP, REPLACE_RANDOM,
    REPLACE_FIFO, REPLACE_ROTATE, REPLACE_NRU, REPLACE_LFSR
};

enum { REPLACE_DISTANT = 3, REPLACE_LONG = 2, REPLACE_BIMODAL = 32 };
/* Set dueling: REPLACE_LEADERS sets follow SRRIP and as many BRRIP, spread over the cache; where it
 * has fewer than 1024 sets, one of each in REPLACE_DUEL. A miss in one of them speaks for the other
 * policy. The counter has 10 bits. */
enum {
    REPLACE_LEADERS = 32, REPLACE_DUEL = 32, REPLACE_VOTES_MAX = 1023, REPLACE_VOTES_START = 512
};

struct replace {
    enum replace_policy policy;
    uint32_t ways;
    uint32_t duel;          /* drrip: one set in this many follows SRRIP, one BRRIP */
    uint64_t *tree;         /* [sets] bit n: node n of the tree points right; the root is node 1;
                               nru: way n is marked */
    uint8_t *rrpv;          /* [sets * ways] */
    uint8_t *next;          /* fifo: [sets] way to go next; rotate: [1] */
    uint64_t random;        /* of random, lfsr */
    uint32_t fills;         /* BRRIP's count */
    uint32_t votes;         /* misses in SRRIP's sets less those in BRRIP's */
};

/* ways: a power of two for tree_plru. False: no memory. */
bool replace_init(struct replace *replace, enum replace_policy policy, uint32_t sets, uint32_t ways,
                  uint64_t seed);
void replace_free(struct replace *replace);
/* The line was hit; a new block was put there. */
void replace_touch(struct replace *replace, uint32_t set, uint32_t way);
void replace_fill(struct replace *replace, uint32_t set, uint32_t way);
/* Which of `candidates` (bit n: way n; not 0) goes. The set is full. */
uint32_t replace_victim(struct replace *replace, uint32_t set, uint64_t candidates);
/* May the way hit last be found again without replace_touch? Not when lines grow older. */
static inline bool replace_ages(const struct replace *replace)
{
    return replace->policy == REPLACE_SRRIP || replace->policy == REPLACE_DRRIP;
}
/* Must the first hit after a fill be noted? */
static inline bool replace_notes_first_hit(const struct replace *replace)
{
    return replace_ages(replace) || replace->policy == REPLACE_NRU;
}
/* Does an empty way go first? */
static inline bool replace_fills_gaps(const struct replace *replace)
{
    return replace->policy != REPLACE_ROTATE && replace->policy != REPLACE_NRU;
}
/* Bits of storage the policy needs in hardware; LRU: an order of the ways of each set. */
uint64_t replace_storage_bits(enum replace_policy policy, uint32_t sets, uint32_t ways);

#endif
