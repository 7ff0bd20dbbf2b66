/* See walker.h. */
#include "sim/mem/translate/walker.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "sim/base/cycle.h"

bool walker_init(struct walker *walker, const struct config *config, struct memshared *shared,
                 uint64_t *events)
{
    *walker = (struct walker){
        .shared = shared, .events = events, .entry_bytes = WALK_ENTRY_BYTES,
        .count = config->walker_count,
        .entries = config->walker_cache_entries,
        .cache = calloc(config->walker_cache_entries + 1, sizeof walker->cache[0]),
    };
    return walker->cache != NULL;
}

void walker_free(struct walker *walker)
{
    free(walker->cache);
    walker->cache = NULL;
}

void walker_flush(struct walker *walker)
{
    for (uint32_t i = 0; i < walker->entries; i++)
        walker->cache[i] = (struct walk_entry){0};
}

static struct walk_entry *find(struct walker *walker, uint64_t pa)
{
    for (uint32_t i = 0; i < walker->entries; i++)
        if (walker->cache[i].used != 0 && walker->cache[i].pa == pa)
            return &walker->cache[i];
    return NULL;
}

static void keep(struct walker *walker, uint64_t pa, uint64_t ready)
{
    struct walk_entry *victim = &walker->cache[0];
    for (uint32_t i = 1; i < walker->entries; i++)
        if (walker->cache[i].used < victim->used)
            victim = &walker->cache[i];
    *victim = (struct walk_entry){pa, ready, ++walker->clock};
}

static uint64_t read_memory(struct walker *walker, uint64_t pa, uint64_t now)
{
    if (walker->through != NULL)
        return memsys_read_entry(walker->through, pa, now);
    const struct mem_request request = {
        .pa = pa, .now = now, .events = walker->events, .bytes = walker->entry_bytes,
    };
    return memshared_read(walker->shared, &request).first;
}

/* Reads one entry. is_leaf: the last of the walk, which goes into the TLBs and not into the
 * page-walk cache. */
static uint64_t read_entry(struct walker *walker, uint64_t pa, bool is_leaf, uint64_t now)
{
    struct walk_entry *entry = is_leaf ? NULL : find(walker, pa);
    if (entry != NULL) {
        walker->events[EVENT_WALK_CACHE_HIT]++;
        entry->used = ++walker->clock;
        return later(now, entry->ready) + WALK_CACHE_CYCLES;
    }
    uint64_t ready = read_memory(walker, pa, now);
    if (!is_leaf && walker->entries != 0)
        keep(walker, pa, ready);
    return ready;
}

uint64_t walker_walk(struct walker *walker, const uint64_t *pte, unsigned levels, uint64_t now)
{
    uint64_t *first = first_free(walker->free, walker->count);
    now = later(now, *first);
    for (unsigned i = 0; i < levels; i++)
        now = read_entry(walker, pte[i], i + 1 == levels, now);
    return *first = now;
}
