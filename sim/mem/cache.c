/* See cache.h. Tags of a set lie together, in one line of the host's cache up to eight ways. */
#include "sim/mem/cache.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_LINE_BYTES = 64 };

bool cache_init(struct cache *cache, uint64_t bytes, uint32_t ways, uint32_t line_bytes,
                uint32_t miss_registers)
{
    uint32_t frames = (uint32_t)(bytes / line_bytes), sets = frames / ways;
    size_t tag_bytes = (frames * sizeof(uint64_t) + HOST_LINE_BYTES - 1) / HOST_LINE_BYTES;
    *cache = (struct cache){
        .tag = aligned_alloc(HOST_LINE_BYTES, tag_bytes * HOST_LINE_BYTES),
        .ready = calloc(frames, sizeof cache->ready[0]),
        .stamp = calloc(frames, sizeof cache->stamp[0]),
        .state = calloc(frames, sizeof cache->state[0]),
        .recent = calloc(sets, sizeof cache->recent[0]),
        .pending = calloc(miss_registers, sizeof cache->pending[0]),
        .set_mask = sets - 1, .ways = ways, .frames = frames, .miss_registers = miss_registers,
        .line_shift = (unsigned)__builtin_ctz(line_bytes),
    };
    if (!cache->tag || !cache->ready || !cache->stamp || !cache->state || !cache->recent ||
        !cache->pending) {
        cache_free(cache);
        return false;
    }
    cache_flush(cache);
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
    *cache = (struct cache){0};
}

void cache_flush(struct cache *cache)
{
    for (uint32_t frame = 0; frame < cache->frames; frame++)
        cache_drop(cache, frame);
}

uint32_t cache_victim(const struct cache *cache, uint64_t block, uint64_t now)
{
    uint32_t first = ((uint32_t)block & cache->set_mask) * cache->ways, victim = CACHE_NO_FRAME;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t frame = first; frame < first + cache->ways; frame++)
        if (cache->stamp[frame] < oldest && cache->ready[frame] <= now) {
            oldest = cache->stamp[frame];
            victim = frame;
        }
    return victim;
}

void cache_fill(struct cache *cache, uint32_t frame, uint64_t block, uint64_t ready)
{
    uint32_t set = (uint32_t)block & cache->set_mask;
    cache->tag[frame] = block;
    cache->ready[frame] = ready;
    cache->stamp[frame] = ++cache->clock;
    cache->state[frame] = 0;
    cache->recent[set] = (uint8_t)(frame - set * cache->ways);
}

void cache_drop(struct cache *cache, uint32_t frame)
{
    cache->tag[frame] = CACHE_NO_BLOCK;
    cache->ready[frame] = 0;
    cache->stamp[frame] = 0;
    cache->state[frame] = 0;
}

uint32_t cache_register(const struct cache *cache)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < cache->miss_registers; i++)
        if (cache->pending[i] < cache->pending[first])
            first = i;
    return first;
}

bool cache_find_place(const struct cache *cache, uint64_t block, uint64_t now,
                      struct cache_place *place)
{
    place->miss_register = cache_register(cache);
    if (cache->pending[place->miss_register] > now)
        return false;
    place->frame = cache_victim(cache, block, now);
    return place->frame != CACHE_NO_FRAME;
}

static bool set_is_sane(const struct cache *cache, uint32_t set)
{
    uint32_t first = set * cache->ways, newest = first;
    for (uint32_t i = first; i < first + cache->ways; i++) {
        if (cache->stamp[i] > cache->stamp[newest])
            newest = i;
        if ((cache->tag[i] == CACHE_NO_BLOCK) != (cache->stamp[i] == 0))
            return false;
        if (cache->tag[i] == CACHE_NO_BLOCK)
            continue;
        if (((uint32_t)cache->tag[i] & cache->set_mask) != set)
            return false;
        for (uint32_t j = first; j < i; j++)
            if (cache->tag[j] == cache->tag[i])
                return false;
    }
    uint32_t recent = first + cache->recent[set];
    return cache->tag[recent] == CACHE_NO_BLOCK || recent == newest;
}

bool cache_is_sane(const struct cache *cache)
{
    for (uint32_t set = 0; set <= cache->set_mask; set++)
        if (!set_is_sane(cache, set))
            return false;
    return true;
}
