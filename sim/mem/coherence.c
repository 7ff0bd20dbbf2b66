/* Which L1 has which line, and who must give it up. See memshared.h.
 *
 * A line is modified in at most one L1D, and then in no other. A read miss makes copies elsewhere
 * shared, and has a modified one written back first; a write drops them. Instruction caches stay
 * outside, as fence.i has it; but an inclusive level that gives up a line takes it from them too.
 * Left out: the time that invalidations and interventions take. */
#include "sim/mem/memshared.h"

#include <assert.h>

#include "pmu/pmu.h"

void memshared_join(struct memshared *shared, struct cache *l1i, struct cache *l1d,
                    uint64_t *events)
{
    unsigned slot = 0;
    while (slot < shared->harts && shared->hart[slot].l1d != NULL)
        slot++;
    assert(slot < MEMSHARED_HARTS_MAX);
    shared->hart[slot] = (struct shared_hart){l1i, l1d, events};
    shared->harts += slot == shared->harts;
}

void memshared_leave(struct memshared *shared, const struct cache *l1d)
{
    for (unsigned i = 0; i < shared->harts; i++)
        if (shared->hart[i].l1d == l1d)
            shared->hart[i] = (struct shared_hart){0};
}

static void drop(struct cache *cache, uint32_t frame)
{
    cache_drop(cache, frame);
    cache_note_change(cache, frame);
}

bool memshared_snoop(struct memshared *shared, const struct cache *own, uint64_t block,
                     bool is_write, uint64_t now)
{
    bool found = false;
    for (unsigned i = 0; i < shared->harts; i++) {
        struct cache *other = shared->hart[i].l1d;
        uint32_t frame = other == NULL || other == own ? CACHE_NO_FRAME : cache_find(other, block);
        if (frame == CACHE_NO_FRAME)
            continue;
        found = true;
        bool was_dirty = other->state[frame] == CACHE_MODIFIED;
        if (is_write)
            drop(other, frame);
        else
            other->state[frame] = CACHE_SHARED;
        if (was_dirty) {
            shared->hart[i].events[EVENT_L1D_WRITEBACK]++;
            memshared_take(shared, block << other->line_shift, true, now, shared->hart[i].events);
        }
    }
    return found;
}

/* What one cache has of the range goes. */
static bool recall_from(struct cache *cache, uint64_t pa, uint64_t bytes)
{
    bool was_dirty = false;
    for (uint64_t at = pa; at < pa + bytes; at += UINT64_C(1) << cache->line_shift) {
        uint32_t frame = cache_find(cache, cache_block(cache, at));
        if (frame == CACHE_NO_FRAME)
            continue;
        was_dirty |= cache->state[frame] == CACHE_MODIFIED;
        drop(cache, frame);
    }
    return was_dirty;
}

bool memshared_recall(struct memshared *shared, uint64_t pa, uint64_t bytes)
{
    bool was_dirty = false;
    for (unsigned i = 0; i < shared->harts; i++) {
        struct shared_hart *hart = &shared->hart[i];
        if (hart->l1d == NULL)
            continue;
        recall_from(hart->l1i, pa, bytes);
        if (recall_from(hart->l1d, pa, bytes)) {
            hart->events[EVENT_L1D_WRITEBACK]++;
            was_dirty = true;
        }
    }
    return was_dirty;
}

bool memshared_is_held(const struct memshared *shared, uint64_t pa)
{
    for (unsigned i = 0; i < shared->harts; i++) {
        const struct shared_hart *hart = &shared->hart[i];
        if (hart->l1d != NULL &&
            (cache_find(hart->l1i, cache_block(hart->l1i, pa)) != CACHE_NO_FRAME ||
             cache_find(hart->l1d, cache_block(hart->l1d, pa)) != CACHE_NO_FRAME))
            return true;
    }
    return false;
}
