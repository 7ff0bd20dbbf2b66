/* One set-associative cache: tags, replacement, line states, miss registers. No data: memory holds
 * it.
 *
 * A line that is still on its way is present with the cycle in which it arrives. Such a line is
 * never replaced, so the tags are also the addresses of the miss registers; `pending` holds only
 * the cycle in which each is free again.
 * Replacement is true LRU, kept here, or a policy of replace.h. Sets are any number (power of two:
 * indexed by bits, else by the remainder), ways any up to 64 (tree_plru: a power of two). Frames
 * that change without an access of their owner are noted, so that arrays with an element for each
 * frame (shadow frames) can follow (cache_next_change).
 * Invariants (cache_is_sane): no block is twice in a set; a block is in the set of its address;
 * with LRU recent[set] is the way with the highest stamp of the set. */
#ifndef SIM_MEM_CACHE_H
#define SIM_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/cache/replace.h"
#include "sim/mem/known_lines.h"

#define CACHE_NO_FRAME UINT32_MAX
#define CACHE_NO_BLOCK UINT64_MAX

/* Coherence state of a line (MESI). In L2 and L3 a line is exclusive (clean) or modified. */
enum cache_state { CACHE_INVALID, CACHE_SHARED, CACHE_EXCLUSIVE, CACHE_MODIFIED };

struct cache {
    uint64_t *tag;          /* [frames + 1] block number (address >> line_shift), or
                               CACHE_NO_BLOCK; the last always */
    uint64_t *ready;        /* [frames] cycle in which the line is there */
    uint64_t *stamp;        /* [frames] time of the last use or (not LRU) of the fill; 0 = empty */
    uint8_t *state;         /* [frames] enum cache_state */
    uint8_t *recent;        /* [sets] way used last: found first, and needs no new stamp; or `ways`:
                               the next use must be noted */
    uint64_t *pending;      /* [miss_registers] cycle in which the register is free again */
    uint32_t *changed;      /* [frames] queue of frames to follow; NULL = not followed */
    uint8_t *change;        /* [frames] CACHE_CHANGED | CACHE_QUEUED */
    uint64_t clock;         /* of the stamps */
    struct replace replace;
    uint32_t set_mask, odd_sets;    /* odd_sets: their number when it is no power of two, or 0 */
    uint32_t ways, frames, miss_registers;
    uint32_t change_head, change_count;
    unsigned line_shift;
    struct known_lines known;
    struct known_lines *known_beside;   /* also dropped when a frame is noted to have changed; or
                                         * NULL */
};
enum { CACHE_CHANGED = 1, CACHE_QUEUED = 2 };

struct cache_shape {
    uint64_t bytes;             /* a multiple of ways * line_bytes */
    uint32_t ways, line_bytes, miss_registers;
    uint32_t replacement;       /* enum replace_policy */
    uint64_t seed;              /* of random replacement */
    bool is_followed;           /* changes are noted */
};
/* False: no memory. */
bool cache_init(struct cache *cache, const struct cache_shape *shape);
void cache_free(struct cache *cache);
/* Drops every line, dirty or not. */
void cache_flush(struct cache *cache);

/* The frame for a new block: an empty one, else the policy's victim among the lines that have
 * arrived at `now`. CACHE_NO_FRAME, without a change, if the whole set is in flight. */
uint32_t cache_victim(struct cache *cache, uint64_t block, uint64_t now);
/* Begins a miss. False: every register is busy, or there is no frame; nothing has changed. */
struct cache_place { uint32_t frame, miss_register; };
bool cache_find_place(struct cache *cache, uint64_t block, uint64_t now,
                      struct cache_place *place);
/* Puts a block there: clean, in no other cache, and most recently used. */
void cache_fill(struct cache *cache, uint32_t frame, uint64_t block, uint64_t ready);
/* The old content of a frame that was given to a block in flight. */
struct cache_line { uint64_t tag, stamp; uint8_t state; };
static inline struct cache_line cache_line_at(const struct cache *cache, uint32_t frame)
{
    return (struct cache_line){cache->tag[frame], cache->stamp[frame], cache->state[frame]};
}
/* Moves the block in flight in frame `from` to frame `to` of its set. `from` gets its previous
 * content back; `displaced` receives that of `to`. Not with policies that grow older. */
void cache_move(struct cache *cache, uint32_t from, uint32_t to, struct cache_line *displaced);
/* Drops the line in the frame. */
void cache_drop(struct cache *cache, uint32_t frame);
/* The miss register that is free first; it is free at `now` when pending[] <= now. */
uint32_t cache_register(const struct cache *cache);
/* Tells a policy other than LRU that the way was hit, unless it was already the last one used. */
void cache_note_use(struct cache *cache, uint32_t set, uint32_t way);

/* The frame changed without an access of its owner. */
void cache_note_change(struct cache *cache, uint32_t frame);
/* Clears the note that this frame changed. */
static inline void cache_change_seen(struct cache *cache, uint32_t frame)
{
    if (cache->change_count != 0)
        cache->change[frame] &= (uint8_t)~CACHE_CHANGED;
}
/* A changed frame that was not returned before, or CACHE_NO_FRAME. */
uint32_t cache_next_change(struct cache *cache);

bool cache_is_sane(const struct cache *cache);
static inline uint64_t cache_block(const struct cache *cache, uint64_t pa)
{
    return pa >> cache->line_shift;
}
static inline uint32_t cache_set(const struct cache *cache, uint64_t block)
{
    return __builtin_expect(cache->odd_sets != 0, 0) ? (uint32_t)(block % cache->odd_sets)
                                                     : (uint32_t)block & cache->set_mask;
}

/* The way, of the set with first frame `first`, that holds the block; `ways`: none. No branches: a
 * host cannot predict the way. */
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
    uint32_t set = cache_set(cache, block), first = set * cache->ways;
    if (cache->tag[first + cache->recent[set]] == block)
        return first + cache->recent[set];
    uint32_t way = cache_way(cache, first, block);
    return way < cache->ways ? first + way : CACHE_NO_FRAME;
}

/* As cache_find, and makes the line the most recently used one. */
static inline uint32_t cache_use(struct cache *cache, uint64_t block)
{
    uint32_t set = cache_set(cache, block), first = set * cache->ways;
    if (cache->tag[first + cache->recent[set]] == block)
        return first + cache->recent[set];
    uint32_t way = cache_way(cache, first, block);
    if (way == cache->ways)
        return CACHE_NO_FRAME;
    known_lines_drop(&cache->known, set);
    cache->recent[set] = (uint8_t)way;
    cache->stamp[first + way] = ++cache->clock;
    if (!cache->replace.is_lru)
        cache_note_use(cache, set, way);
    return first + way;
}

#endif
