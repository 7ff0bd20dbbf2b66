/* See memshared.h. */
#include "sim/mem/memshared.h"

#include <assert.h>
#include <stdlib.h>

#include "pmu/pmu.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct memshared *memshared_new(const struct config *config)
{
    struct memshared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    shared->has_l2 = config->l2_kib != 0;
    shared->l2_cycles = config->l2_cycles;
    shared->dram = (struct dram){.latency_cycles = config->dram_cycles,
                                 .line_cycles = config->dram_line_cycles};
    if (shared->has_l2 && !cache_init(&shared->l2, (uint64_t)config->l2_kib << 10, config->l2_ways,
                                      config->l2_line_bytes, config->l2_mshrs)) {
        free(shared);
        return NULL;
    }
    return shared;
}

void memshared_free(struct memshared *shared)
{
    if (shared == NULL)
        return;
    if (shared->has_l2)
        cache_free(&shared->l2);
    free(shared);
}

void memshared_join(struct memshared *shared, struct cache *l1d, uint64_t *events)
{
    unsigned slot = 0;
    while (slot < shared->harts && shared->l1d[slot] != NULL)
        slot++;
    assert(slot < MEMSHARED_HARTS_MAX);
    shared->l1d[slot] = l1d;
    shared->events[slot] = events;
    shared->harts += slot == shared->harts;
}

void memshared_leave(struct memshared *shared, const struct cache *l1d)
{
    for (unsigned i = 0; i < shared->harts; i++)
        if (shared->l1d[i] == l1d)
            shared->l1d[i] = NULL;
}

/* ---- traffic --------------------------------------------------------------------------------- */

static void write_memory(struct memshared *shared, uint64_t now, uint64_t *events)
{
    events[EVENT_DRAM_WRITE]++;
    dram_write(&shared->dram, now);
}

/* Reads a block that L2 does not have from memory and keeps it. Returns when it arrives. */
static uint64_t fill_l2(struct memshared *shared, uint64_t block, uint64_t now, uint64_t *events)
{
    struct cache *l2 = &shared->l2;
    uint64_t *pending = &l2->pending[cache_register(l2)];
    uint64_t ready = dram_read(&shared->dram, later(now, *pending));
    *pending = ready;
    events[EVENT_DRAM_READ]++;
    uint32_t frame = cache_victim(l2, block, now);
    if (frame == CACHE_NO_FRAME)
        return ready;
    if (l2->state[frame] & CACHE_DIRTY) {
        events[EVENT_L2_WRITEBACK]++;
        write_memory(shared, now, events);
    }
    cache_fill(l2, frame, block, ready);
    return ready;
}

uint64_t memshared_read(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events,
                        enum mem_level *level)
{
    *level = MEM_DRAM;
    if (!shared->has_l2) {
        events[EVENT_DRAM_READ]++;
        return dram_read(&shared->dram, now);
    }
    events[EVENT_L2_ACCESS]++;
    uint64_t block = cache_block(&shared->l2, pa), answer = now + shared->l2_cycles;
    uint32_t frame = cache_use(&shared->l2, block);
    if (frame == CACHE_NO_FRAME) {
        events[EVENT_L2_ACCESS_MISS]++;
        return fill_l2(shared, block, answer, events);
    }
    *level = MEM_L2;
    return later(answer, shared->l2.ready[frame]);
}

void memshared_write(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events)
{
    uint32_t frame = CACHE_NO_FRAME;
    if (shared->has_l2)
        frame = cache_use(&shared->l2, cache_block(&shared->l2, pa));
    if (frame != CACHE_NO_FRAME)
        shared->l2.state[frame] |= CACHE_DIRTY;
    else
        write_memory(shared, now, events);
}

void memshared_prefetch(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events)
{
    struct cache *l2 = &shared->l2;
    if (shared->has_l2 && !memshared_has(shared, pa) && l2->pending[cache_register(l2)] <= now)
        fill_l2(shared, cache_block(l2, pa), now, events);
}

bool memshared_has(const struct memshared *shared, uint64_t pa)
{
    return shared->has_l2 &&
           cache_find(&shared->l2, cache_block(&shared->l2, pa)) != CACHE_NO_FRAME;
}

/* ---- coherence ------------------------------------------------------------------------------- */

bool memshared_snoop(struct memshared *shared, const struct cache *own, uint64_t block,
                     bool is_write, uint64_t now)
{
    bool found = false;
    for (unsigned i = 0; i < shared->harts; i++) {
        struct cache *other = shared->l1d[i];
        uint32_t frame = other == NULL || other == own ? CACHE_NO_FRAME : cache_find(other, block);
        if (frame == CACHE_NO_FRAME)
            continue;
        found = true;
        if (other->state[frame] & CACHE_DIRTY) {
            shared->events[i][EVENT_L1D_WRITEBACK]++;
            memshared_write(shared, block << other->line_shift, now, shared->events[i]);
        }
        if (is_write)
            cache_drop(other, frame);
        else
            other->state[frame] = CACHE_SHARED;
    }
    return found;
}
