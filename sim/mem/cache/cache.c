/* See cache.h. The tags of a set are contiguous: with up to eight ways they fit one line of the
 * host's cache. */
#include "sim/mem/cache/cache.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_LINE_BYTES = 64 };

static bool make_arrays(struct cache *cache, uint32_t sets, bool is_followed)
{
    uint32_t frames = cache->frames;
    size_t tag_bytes = ((frames + 1) * sizeof(uint64_t) + HOST_LINE_BYTES - 1) / HOST_LINE_BYTES;
    cache->tag = aligned_alloc(HOST_LINE_BYTES, tag_bytes * HOST_LINE_BYTES);
    cache->ready = calloc(frames, sizeof cache->ready[0]);
    cache->stamp = calloc(frames, sizeof cache->stamp[0]);
    cache->state = calloc(frames, sizeof cache->state[0]);
    cache->recent = calloc(sets, sizeof cache->recent[0]);
    cache->pending = calloc(cache->miss_registers, sizeof cache->pending[0]);
    if (is_followed) {
        cache->changed = calloc(frames, sizeof cache->changed[0]);
        cache->change = calloc(frames, sizeof cache->change[0]);
    }
    return cache->tag && cache->ready && cache->stamp && cache->state && cache->recent &&
           cache->pending && (!is_followed || (cache->changed && cache->change));
}

bool cache_init(struct cache *cache, const struct cache_shape *shape)
{
    uint32_t frames = (uint32_t)(shape->bytes / shape->line_bytes), sets = frames / shape->ways;
    *cache = (struct cache){
        .set_mask = sets - 1, .odd_sets = (sets & (sets - 1)) != 0 ? sets : 0,
        .ways = shape->ways, .frames = frames,
        .miss_registers = shape->miss_registers,
        .line_shift = (unsigned)__builtin_ctz(shape->line_bytes),
    };
    bool has_arrays = make_arrays(cache, sets, shape->is_followed);
    if (!replace_init(&cache->replace, shape->replacement, sets, shape->ways, shape->seed) ||
        !has_arrays) {
        cache_free(cache);
        return false;
    }
    for (uint32_t frame = 0; frame <= frames; frame++)      /* the rest is from calloc */
        cache->tag[frame] = CACHE_NO_BLOCK;
    cache->known.line_shift = (uint8_t)cache->line_shift;
    cache->known.mask = cache->odd_sets != 0 ? 0 : cache->set_mask & (KNOWN_LINES - 1);
    known_lines_drop_all(&cache->known);
    return true;
}

void cache_free(struct cache *cache)
{
    free(cache->tag);
    free(cache->ready);
    free(cache->stamp);
    free(cache->state);
    free(cache->recent);
    free(cache->pending);
    free(cache->changed);
    free(cache->change);
    replace_free(&cache->replace);
    *cache = (struct cache){0};
}

void cache_flush(struct cache *cache)
{
    for (uint32_t frame = 0; frame < cache->frames; frame++)
        cache_drop(cache, frame);
    known_lines_drop_all(&cache->known);
}

/* ---- replacement ----------------------------------------------------------------------------- */

static uint32_t lru_victim(const struct cache *cache, uint32_t first, uint64_t now)
{
    uint32_t victim = CACHE_NO_FRAME;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t frame = first; frame < first + cache->ways; frame++)
        if (cache->stamp[frame] < oldest && cache->ready[frame] <= now) {
            oldest = cache->stamp[frame];
            victim = frame;
        }
    return victim;
}

uint32_t cache_victim(struct cache *cache, uint64_t block, uint64_t now)
{
    uint32_t set = cache_set(cache, block), first = set * cache->ways;
    uint64_t candidates = 0;
    if (cache->replace.is_lru)
        return lru_victim(cache, first, now);
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (cache->tag[first + way] == CACHE_NO_BLOCK && !cache->replace.policy->takes_any_way)
            return first + way;
        candidates |= (uint64_t)(cache->ready[first + way] <= now) << way;
    }
    if (candidates == 0)
        return CACHE_NO_FRAME;
    if (cache->replace.policy->ages) {
        known_lines_drop(&cache->known, set);
        cache->recent[set] = (uint8_t)cache->ways;
    }
    return first + replace_victim(&cache->replace, set, candidates);
}

void cache_note_use(struct cache *cache, uint32_t set, uint32_t way)
{
    replace_touch(&cache->replace, set, way);
}

void cache_fill(struct cache *cache, uint32_t frame, uint64_t block, uint64_t ready)
{
    uint32_t set = cache_set(cache, block), way = frame - set * cache->ways;
    known_lines_drop(&cache->known, set);
    cache->known.fills++;
    cache->tag[frame] = block;
    cache->ready[frame] = ready;
    cache->stamp[frame] = ++cache->clock;
    cache->state[frame] = CACHE_EXCLUSIVE;
    cache->recent[set] = (uint8_t)way;
    if (cache->replace.is_lru)
        return;
    replace_fill(&cache->replace, set, way);
    if (cache->replace.policy->notes_first_hit)
        cache->recent[set] = (uint8_t)cache->ways;
}

void cache_drop(struct cache *cache, uint32_t frame)
{
    known_lines_drop(&cache->known, frame / cache->ways);
    cache->tag[frame] = CACHE_NO_BLOCK;
    cache->ready[frame] = 0;
    cache->stamp[frame] = 0;
    cache->state[frame] = CACHE_INVALID;
}

void cache_move(struct cache *cache, uint32_t from, uint32_t to, struct cache_line *displaced)
{
    struct cache_line there = cache_line_at(cache, to);
    cache_fill(cache, to, cache->tag[from], cache->ready[from]);
    cache->tag[from] = displaced->tag;
    cache->stamp[from] = displaced->stamp;
    cache->state[from] = displaced->state;
    cache->ready[from] = 0;
    *displaced = there;
    cache_note_change(cache, from);
    cache_note_change(cache, to);
}

/* ---- miss registers -------------------------------------------------------------------------- */

uint32_t cache_register(const struct cache *cache)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < cache->miss_registers; i++)
        if (cache->pending[i] < cache->pending[first])
            first = i;
    return first;
}

bool cache_find_place(struct cache *cache, uint64_t block, uint64_t now,
                      struct cache_place *place)
{
    place->miss_register = cache_register(cache);
    if (cache->pending[place->miss_register] > now)
        return false;
    place->frame = cache_victim(cache, block, now);
    return place->frame != CACHE_NO_FRAME;
}

/* ---- changes --------------------------------------------------------------------------------- */

void cache_note_change(struct cache *cache, uint32_t frame)
{
    if (cache->changed == NULL)
        return;
    known_lines_drop_all(&cache->known);
    if (cache->known_beside != NULL)
        known_lines_drop_all(cache->known_beside);
    if ((cache->change[frame] & CACHE_QUEUED) == 0) {
        uint32_t at = cache->change_head + cache->change_count++;
        cache->changed[at < cache->frames ? at : at - cache->frames] = frame;
    }
    cache->change[frame] = CACHE_CHANGED | CACHE_QUEUED;
}

uint32_t cache_next_change(struct cache *cache)
{
    while (cache->change_count != 0) {
        uint32_t frame = cache->changed[cache->change_head];
        bool is_news = (cache->change[frame] & CACHE_CHANGED) != 0;
        cache->change_head = cache->change_head + 1 < cache->frames ? cache->change_head + 1 : 0;
        cache->change_count--;
        cache->change[frame] = 0;
        if (is_news)
            return frame;
    }
    return CACHE_NO_FRAME;
}

/* ---- invariants ------------------------------------------------------------------------------ */

static bool set_is_sane(const struct cache *cache, uint32_t set)
{
    uint32_t first = set * cache->ways, newest = first;
    for (uint32_t i = first; i < first + cache->ways; i++) {
        bool is_empty = cache->tag[i] == CACHE_NO_BLOCK;
        if (cache->stamp[i] > cache->stamp[newest])
            newest = i;
        if (is_empty != (cache->stamp[i] == 0) || is_empty != (cache->state[i] == CACHE_INVALID))
            return false;
        if (is_empty)
            continue;
        if (cache_set(cache, cache->tag[i]) != set)
            return false;
        for (uint32_t j = first; j < i; j++)
            if (cache->tag[j] == cache->tag[i])
                return false;
    }
    if (!cache->replace.is_lru || cache->recent[set] >= cache->ways)
        return cache->recent[set] <= cache->ways;
    uint32_t recent = first + cache->recent[set];
    return cache->tag[recent] == CACHE_NO_BLOCK || recent == newest;
}

bool cache_is_sane(const struct cache *cache)
{
    for (uint32_t set = 0; set < cache->frames / cache->ways; set++)
        if (!set_is_sane(cache, set))
            return false;
    return true;
}
