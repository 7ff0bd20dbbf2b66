/* One set-associative cache: tags, recency, line states, miss registers. No data: memory holds it.
 *
 * A line that is still on its way is present with the cycle in which it arrives. Such a line is
 * never replaced, so the tags are also the addresses of the miss registers; `pending` holds only
 * when each is free again.
 * Replacement is true LRU. Sets are a power of two, ways any number up to 64.
 * Invariants (cache_is_sane): no block is twice in a set; a block is in the set of its address;
 * recent[set] is the way with the highest stamp of the set. */
#ifndef SIM_MEM_CACHE_H
#define SIM_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_NO_FRAME UINT32_MAX
#define CACHE_NO_BLOCK UINT64_MAX

enum { CACHE_DIRTY = 1, CACHE_SHARED = 2 };     /* shared: another cache of its level has it too */

struct cache {
    uint64_t *tag;          /* [frames] block number (address >> line_shift), or CACHE_NO_BLOCK */
    uint64_t *ready;        /* [frames] cycle in which the line is there */
    uint64_t *stamp;        /* [frames] time of the last use; 0 = empty */
    uint8_t *state;         /* [frames] CACHE_DIRTY | CACHE_SHARED */
    uint8_t *recent;        /* [sets] way used last: found first, and needs no new stamp */
    uint64_t *pending;      /* [miss_registers] cycle in which the register is free again */
    uint64_t clock;         /* of the stamps */
    uint32_t set_mask, ways, frames, miss_registers;
    unsigned line_shift;
};

/* bytes / (ways * line_bytes) must be a power of two. False: no memory. */
bool cache_init(struct cache *cache, uint64_t bytes, uint32_t ways, uint32_t line_bytes,
                uint32_t miss_registers);
void cache_free(struct cache *cache);
/* Drops every line, dirty or not. */
void cache_flush(struct cache *cache);

/* The frame to put a new block into: an empty one, else the least recently used line that is there
 * at `now`. CACHE_NO_FRAME when the whole set is on its way. */
uint32_t cache_victim(const struct cache *cache, uint64_t block, uint64_t now);
/* What a miss takes. False: every register is busy, or there is no frame. Changes nothing. */
struct cache_place { uint32_t frame, miss_register; };
bool cache_find_place(const struct cache *cache, uint64_t block, uint64_t now,
                      struct cache_place *place);
/* Puts a block there, clean, unshared and most recently used. */
void cache_fill(struct cache *cache, uint32_t frame, uint64_t block, uint64_t ready);
/* Drops the line in the frame. */
void cache_drop(struct cache *cache, uint32_t frame);
/* The miss register that is free first; it is free at `now` when pending[] <= now. */
uint32_t cache_register(const struct cache *cache);

bool cache_is_sane(const struct cache *cache);

static inline uint64_t cache_block(const struct cache *cache, uint64_t pa)
{
    return pa >> cache->line_shift;
}

/* The way of the set that starts at frame `first` and holds the block; `ways` when none does. All
 * ways are compared without a branch between them: which one it is cannot be predicted. */
static inline uint32_t cache_way(const struct cache *cache, uint32_t first, uint64_t block)
{
    uint64_t match = 0;
    for (uint32_t way = 0; way < cache->ways; way++)
        match |= (uint64_t)(cache->tag[first + way] == block) << way;
    return match != 0 ? (uint32_t)__builtin_ctzll(match) : cache->ways;
}

/* The frame of a block, or CACHE_NO_FRAME. Changes nothing. */
static inline uint32_t cache_find(const struct cache *cache, uint64_t block)
{
    uint32_t set = (uint32_t)block & cache->set_mask, first = set * cache->ways;
    if (cache->tag[first + cache->recent[set]] == block)
        return first + cache->recent[set];
    uint32_t way = cache_way(cache, first, block);
    return way < cache->ways ? first + way : CACHE_NO_FRAME;
}

/* The same, and the line is now the most recently used one. */
static inline uint32_t cache_use(struct cache *cache, uint64_t block)
{
    uint32_t set = (uint32_t)block & cache->set_mask, first = set * cache->ways;
    if (cache->tag[first + cache->recent[set]] == block)
        return first + cache->recent[set];
    uint32_t way = cache_way(cache, first, block);
    if (way == cache->ways)
        return CACHE_NO_FRAME;
    cache->recent[set] = (uint8_t)way;
    cache->stamp[first + way] = ++cache->clock;
    return first + way;
}

#endif
