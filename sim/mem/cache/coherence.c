/* The L1 caches that have each line, and those that must give it up: MESI by snooping. See
 * memshared.h.
 *
 * A line is exclusive or modified in at most one L1D, and then in no other; a line that others may
 * have is shared. A load that misses makes other copies shared; a store that misses invalidates
 * them, and so does a store that hits a shared line (upgrade). Becoming modified from exclusive is
 * silent.
 * With coherence.transfer direct, a line that another L1D has exclusive or modified comes from that
 * L1D. For a reader a modified line is also written back, as MESI has no owner of shared lines; a
 * writer receives it modified. Else (through_l2) it is written back first and read from L2. A line
 * that others only share comes from L2, for a writer not before the others have given it up. A
 * request waits while the owner itself waits for the line or its upgrade, so every store makes
 * progress however many harts want the line. Instruction caches are not coherent (fence.i), but an
 * inclusive level that evicts a line invalidates it there too. Left out: a filter that knows which
 * caches have a line, contention of requests, and the time that an inclusive level takes to recall
 * lines. */
#include "sim/mem/cache/coherence.h"

#include <assert.h>

#include "pmu/event.h"
#include "sim/base/cycle.h"

struct shared_hart *memshared_join(struct memshared *shared, struct cache *l1i, struct cache *l1d,
                                   uint64_t *events)
{
    unsigned slot = 0;
    while (slot < shared->harts && shared->hart[slot].l1d != NULL)
        slot++;
    assert(slot < MEMSHARED_HARTS_MAX);
    shared->hart[slot] = (struct shared_hart){
        .l1i = l1i, .l1d = l1d, .events = events, .upgrade_block = CACHE_NO_BLOCK,
    };
    shared->harts += slot == shared->harts;
    return &shared->hart[slot];
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

/* ---- requests -------------------------------------------------------------------------------- */

/* The answers of the other caches. */
struct snoop {
    bool is_found, is_dirty;
    bool has_owner;             /* the line was exclusive or modified there */
    uint64_t owner_ready;       /* and can leave that cache from this cycle on */
};

/* The frame of another hart's L1D that holds the block, or CACHE_NO_FRAME. */
static uint32_t find_copy(const struct shared_hart *other, const struct shared_hart *hart,
                          uint64_t block)
{
    return other == hart || other->l1d == NULL ? CACHE_NO_FRAME : cache_find(other->l1d, block);
}

static void write_back(struct memshared *shared, const struct shared_hart *other, uint64_t block,
                       uint64_t now)
{
    other->events[EVENT_L1D_WRITEBACK]++;
    memshared_take(shared, block << other->l1d->line_shift, true, now, other->events);
}

static void take_away(const struct shared_hart *other, uint32_t frame, uint64_t *events)
{
    drop(other->l1d, frame);
    other->events[EVENT_INVALIDATION_RECEIVED]++;
    events[EVENT_INVALIDATION_SENT]++;
}

static void find_owner(const struct shared_hart *other, uint32_t frame, uint64_t *events,
                       struct snoop *snoop)
{
    const struct cache *cache = other->l1d;
    if (cache->state[frame] == CACHE_SHARED)
        return;
    snoop->has_owner = true;
    snoop->owner_ready = cache->ready[frame];
    if (other->upgrade_block == cache->tag[frame])
        snoop->owner_ready = later(snoop->owner_ready, other->upgrade_ready);
    snoop->owner_ready = cycles_before(snoop->owner_ready, other->ahead);
    other->events[EVENT_TRANSFER_OUT]++;
    events[EVENT_TRANSFER_IN]++;
}

/* One L1D answers the snoop: it invalidates the line, or makes it shared. */
static void ask(struct memshared *shared, const struct shared_hart *other, uint32_t frame,
                const struct mem_request *request, struct snoop *snoop)
{
    struct cache *cache = other->l1d;
    uint64_t block = cache->tag[frame];
    bool is_dirty = cache->state[frame] == CACHE_MODIFIED;
    bool goes_modified = request->is_write && shared->coherence.is_direct;
    snoop->is_found = true;
    snoop->is_dirty |= is_dirty;
    other->events[EVENT_SNOOP_HIT]++;
    find_owner(other, frame, request->events, snoop);
    if (request->is_write)
        take_away(other, frame, request->events);
    else
        cache->state[frame] = CACHE_SHARED;
    if (is_dirty && !goes_modified)
        write_back(shared, other, block, request->now);
}

static struct snoop ask_all(struct memshared *shared, const struct mem_request *request)
{
    struct snoop snoop = {0};
    uint64_t block = cache_block(request->hart->l1d, request->pa);
    for (unsigned i = 0; i < shared->harts; i++) {
        uint32_t frame = find_copy(&shared->hart[i], request->hart, block);
        if (frame != CACHE_NO_FRAME)
            ask(shared, &shared->hart[i], frame, request, &snoop);
    }
    return snoop;
}

/* The owner sends the line. In the statistics it counts as answered by the first shared level. */
static struct mem_answer transfer(const struct memshared *shared,
                                  const struct mem_request *request, const struct snoop *snoop)
{
    return (struct mem_answer){
        .first = later(request->now, snoop->owner_ready) + shared->coherence.transfer_cycles,
        .level = shared->levels != 0 ? shared->level[0].name : MEM_DRAM,
        .is_dirty = snoop->is_dirty && request->is_write,
    };
}

static struct mem_answer read_below(struct memshared *shared, const struct mem_request *request,
                                     const struct snoop *snoop)
{
    struct mem_request below = *request;
    below.hart = NULL;
    if (snoop->has_owner)
        below.now = later(request->now, snoop->owner_ready) + shared->coherence.transfer_cycles;
    struct mem_answer answer = memshared_read(shared, &below);
    if (snoop->is_found && request->is_write)
        answer.first = later(answer.first, request->now + shared->coherence.invalidate_cycles);
    return answer;
}

struct mem_answer memshared_read_coherent(struct memshared *shared,
                                          const struct mem_request *request)
{
    struct snoop snoop = ask_all(shared, request);
    struct mem_answer answer = snoop.has_owner && shared->coherence.is_direct
                                   ? transfer(shared, request, &snoop)
                                   : read_below(shared, request, &snoop);
    answer.is_shared = snoop.is_found && !request->is_write;
    answer.is_peers = snoop.has_owner;
    return answer;
}

bool memshared_invalidate(struct memshared *shared, const struct shared_hart *hart, uint64_t block,
                          uint64_t now)
{
    bool is_found = false;
    for (unsigned i = 0; i < shared->harts; i++) {
        const struct shared_hart *other = &shared->hart[i];
        uint32_t frame = find_copy(other, hart, block);
        if (frame == CACHE_NO_FRAME)
            continue;
        bool is_dirty = other->l1d->state[frame] == CACHE_MODIFIED;
        is_found = true;
        other->events[EVENT_SNOOP_HIT]++;
        take_away(other, frame, hart->events);
        if (is_dirty)
            write_back(shared, other, block, now);  /* in the time of the hart that asks */
    }
    return is_found;
}

uint64_t memshared_upgrade(struct memshared *shared, const struct shared_hart *hart,
                           uint64_t block, uint64_t now)
{
    hart->events[EVENT_UPGRADE]++;
    memshared_invalidate(shared, hart, block, now);
    return now + shared->coherence.invalidate_cycles;
}

/* ---- giving up for an inclusive level -------------------------------------------------------- */

/* One cache invalidates its lines of the range. */
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
