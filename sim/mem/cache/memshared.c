/* See memshared.h. */
#include "sim/mem/cache/memshared.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/cache/ahead.h"
#include "sim/mem/cache/coherence.h"
#include "sim/mem/phys.h"

/* ---- construction ---------------------------------------------------------------------------- */

/* The settings of the level `l2` or `l3`, which have the same names. */
#define LEVEL(l, NAME, its_banks) (struct shared_level){                                           \
    .cycles = config->l##_cycles, .banks = its_banks,                                              \
    .bank_cycles = config->part_bank_cycles, .inclusion = (enum inclusion)config->l##_inclusion,   \
    .name = MEM_##NAME,                                                                            \
    .event = {EVENT_##NAME##_ACCESS, EVENT_##NAME##_ACCESS_MISS, EVENT_##NAME##_WRITEBACK,         \
              EVENT_##NAME##_BANK_WAIT},                                                           \
}
#define SHAPE(l) (struct cache_shape){                                                             \
    .bytes = (uint64_t)config->l##_kib << 10, .ways = config->l##_ways,                            \
    .line_bytes = config->l2_line_bytes, .miss_registers = config->l##_mshrs,                      \
    .replacement = config->l##_replacement, .seed = config->machine_seed,                          \
}

static bool add_level(struct memshared *shared, const struct shared_level *level,
                      const struct cache_shape *shape)
{
    struct shared_level *place = &shared->level[shared->levels++];
    *place = *level;
    if (level->snoop_cycles != 0 &&
        (place->was_read = calloc(shape->bytes / shape->line_bytes, 1)) == NULL)
        return false;
    return cache_init(&place->cache, shape) && banks_init(&place->again) &&
           prefetch_track_init(&place->track, place->cache.frames);
}

static void free_level(struct shared_level *level)
{
    cache_free(&level->cache);
    prefetch_track_free(&level->track);
    banks_free(&level->again);
    free(level->was_read);
}

struct memshared *memshared_new(const struct config *config)
{
    struct memshared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    shared->l1d_line_bytes = config->l1d_line_bytes;
    shared->coherence = (struct coherence){
        .transfer_cycles = config->coherence_transfer_cycles,
        .invalidate_cycles = config->coherence_invalidate_cycles,
        .is_direct = config->coherence_transfer == 0,
    };
    struct shared_level l2 = LEVEL(l2, L2, config->part_banks);
    l2.again = (struct banks){
        .count = config->part_banks, .cycles = config->part_bank_cycles,
        .place = config->part_bank_place, .fill = config->part_bank_fill,
        .share = config->part_bank_share, .reads = config->part_bank_reads,
        .lead = config->part_bank_lead, .look_lead = config->part_bank_look_lead,
    };
    l2.victim_cycles = config->part_victim_cycles;
    l2.fetch_miss_cycles = config->part_fetch_miss_cycles;
    l2.snoop_cycles = config->part_snoop_cycles;
    if (!bus_init(&shared->bus, config) ||
        (config->l2_kib != 0 && !add_level(shared, &l2, &SHAPE(l2))) ||
        (config->l3_kib != 0 && !add_level(shared, &LEVEL(l3, L3, 1), &SHAPE(l3)))) {
        memshared_free(shared);
        return NULL;
    }
    shared->code_ahead.lines = config->part_fetch_ahead;
    shared->wants_clean_victims = shared->levels != 0 && shared->level[0].inclusion == EXCLUSIVE;
    return shared;
}

void memshared_free(struct memshared *shared)
{
    if (shared == NULL)
        return;
    for (unsigned i = 0; i < shared->levels; i++)
        free_level(&shared->level[i]);
    bus_free(&shared->bus);
    free(shared);
}

/* ---- giving up lines ------------------------------------------------------------------------- */

/* An evicted line. */
struct victim {
    uint64_t pa;
    uint32_t bytes;
    bool is_dirty;
};

static void put(struct memshared *shared, unsigned at, const struct victim *victim, uint64_t now,
                uint64_t *events);

static uint32_t line_bytes(const struct cache *cache)
{
    return UINT32_C(1) << cache->line_shift;
}

static uint64_t write_memory(struct memshared *shared, uint64_t pa, uint32_t bytes, uint64_t now,
                             uint64_t *events)
{
    events[EVENT_DRAM_WRITE]++;
    const struct bus_request request = {.pa = pa, .now = now, .events = events, .bytes = bytes};
    uint64_t taken = bus_write(&shared->bus, &request);
    memshared_follow_memory(shared);
    return taken;
}

/* Invalidates the line in the levels before `at` and in every L1. True: it was modified. */
static bool recall(struct memshared *shared, unsigned at, uint64_t pa, uint64_t bytes)
{
    bool was_dirty = memshared_recall(shared, pa, bytes);
    for (unsigned i = 0; i < at; i++) {
        struct cache *cache = &shared->level[i].cache;
        for (uint64_t part = pa; part < pa + bytes; part += UINT64_C(1) << cache->line_shift) {
            uint32_t frame = cache_find(cache, cache_block(cache, part));
            if (frame == CACHE_NO_FRAME)
                continue;
            was_dirty |= cache->state[frame] == CACHE_MODIFIED;
            cache_drop(cache, frame);
        }
    }
    return was_dirty;
}

static void evict(struct memshared *shared, unsigned at, uint32_t frame, uint64_t now,
                  uint64_t *events)
{
    struct shared_level *level = &shared->level[at];
    struct cache *cache = &level->cache;
    if (cache->state[frame] == CACHE_INVALID)
        return;
    struct victim victim = {
        .pa = cache->tag[frame] << cache->line_shift, .bytes = line_bytes(cache),
        .is_dirty = cache->state[frame] == CACHE_MODIFIED,
    };
    if (level->inclusion == INCLUSIVE)
        victim.is_dirty |= recall(shared, at, victim.pa, victim.bytes);
    events[level->event.writeback] += victim.is_dirty;
    put(shared, at + 1, &victim, now, events);
}

/* Invalidates the line in exclusive levels beyond `at`, because it came to `at` without being read
 * from them. True: it was modified there. */
static bool take_out(struct memshared *shared, unsigned at, uint64_t pa)
{
    bool was_dirty = false;
    for (unsigned i = at + 1; i < shared->levels; i++) {
        struct cache *cache = &shared->level[i].cache;
        uint32_t frame = cache_find(cache, cache_block(cache, pa));
        if (shared->level[i].inclusion != EXCLUSIVE || frame == CACHE_NO_FRAME)
            continue;
        was_dirty |= cache->state[frame] == CACHE_MODIFIED;
        cache_drop(cache, frame);
    }
    return was_dirty;
}

/* An exclusive level takes the line evicted by the level before. False: it has no room now. */
static bool keep_victim(struct memshared *shared, unsigned at, uint64_t block, bool is_dirty,
                        uint64_t now, uint64_t *events)
{
    struct cache *cache = &shared->level[at].cache;
    uint32_t frame = cache_victim(cache, block, now);
    if (frame == CACHE_NO_FRAME)
        return false;
    evict(shared, at, frame, now, events);
    prefetch_track_fill(&shared->level[at].track, cache, frame, false, events);
    cache_fill(cache, frame, block, now);
    if (take_out(shared, at, block << cache->line_shift) || is_dirty)
        cache->state[frame] = CACHE_MODIFIED;
    return true;
}

/* A victim comes to level `at` from the level before. An exclusive level does not take a line that
 * an L1 still has. */
static void put(struct memshared *shared, unsigned at, const struct victim *victim, uint64_t now,
                uint64_t *events)
{
    bool is_dirty = victim->is_dirty;
    if (at == shared->levels) {
        if (is_dirty)
            write_memory(shared, victim->pa, victim->bytes, now, events);
        return;
    }
    struct shared_level *level = &shared->level[at];
    bool is_exclusive = level->inclusion == EXCLUSIVE;
    if (!is_dirty && !is_exclusive)
        return;
    uint64_t block = cache_block(&level->cache, victim->pa);
    uint32_t frame = cache_use(&level->cache, block);
    if (frame != CACHE_NO_FRAME) {
        if (is_dirty)
            level->cache.state[frame] = CACHE_MODIFIED;
        return;
    }
    bool takes = is_exclusive && !(at == 0 && memshared_is_held(shared, victim->pa));
    if (!(takes && keep_victim(shared, at, block, is_dirty, now, events)) && is_dirty)
        put(shared, at + 1, victim, now, events);
}

void memshared_take(struct memshared *shared, uint64_t pa, bool is_dirty, uint64_t now,
                    uint64_t *events)
{
    const struct victim victim = {pa, shared->l1d_line_bytes, is_dirty};
    put(shared, 0, &victim, now - shared->ahead, events);
}

/* The request's modified line goes to level `at`. */
static void put_read(struct memshared *shared, unsigned at, const struct mem_request *request,
                     uint64_t now)
{
    const struct victim victim = {request->pa, request->bytes, true};
    put(shared, at, &victim, now, request->events);
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct mem_answer read_level(struct memshared *shared, unsigned at,
                                    const struct mem_request *request);

static struct mem_answer read_memory(struct memshared *shared, const struct mem_request *request)
{
    struct bus *bus = &shared->bus;
    const struct bus_request line = {
        .pa = request->pa, .now = request->now, .events = request->events,
        .bytes = request->bytes, .is_fetch = request->is_fetch,
    };
    request->events[EVENT_DRAM_READ]++;
    uint64_t first = bus_read(bus, &line);
    memshared_follow_memory(shared);
    return (struct mem_answer){
        .first = first, .level = MEM_DRAM, .beat_cycles = bus_beat_cycles(bus),
        .beat_bytes = bus->bytes,
    };
}

/* A read looks up its line, in a level whose accesses come back to their bank. A line in flight is
 * looked up when it arrives, before the waiting cache receives it. frame: that of the line, or
 * CACHE_NO_FRAME. Returns the cycle in which the lookup is complete. */
static uint64_t look_up(struct shared_level *level, uint64_t block, uint32_t frame, uint64_t now,
                        uint64_t *events)
{
    uint64_t ready = frame == CACHE_NO_FRAME ? 0 : level->cache.ready[frame];
    uint64_t from = later(now, cycles_before(ready, level->again.look_lead));
    uint64_t start = banks_come(&level->again, block, banks_room(&level->again, block, from), 1);
    events[level->event.bank_wait] += start > from;
    return start + level->cycles;
}

/* The read is answered at `now` and uses its bank `accesses` times more. */
static void come_back(struct shared_level *level, uint64_t block, uint64_t now, uint32_t accesses)
{
    if (level->again.bank == NULL)
        return;
    banks_leave(&level->again, block, now);
    banks_come(&level->again, block, cycles_before(now, level->again.lead), accesses);
}

static uint64_t wait_for_bank(struct shared_level *level, uint64_t block,
                              const struct mem_request *request)
{
    if (level->bank_cycles == 0)
        return request->now;
    uint64_t *free = &level->bank_free[block & (level->banks - 1)];
    uint64_t start = later(request->now, *free);
    request->events[level->event.bank_wait] += start > request->now;
    *free = start + level->bank_cycles;
    return start;
}

/* Notes that a cache before this level may have the line. A fetch of such a line snoops that cache
 * first, because the cache may have written the line. Returns the cycle in which the snoop is
 * answered. */
static uint64_t note_reader(struct shared_level *level, uint32_t frame,
                            const struct mem_request *request, uint64_t now)
{
    if (level->was_read == NULL)
        return now;
    uint32_t snoop = request->is_fetch && level->was_read[frame] ? level->snoop_cycles : 0;
    level->was_read[frame] |= request->is_kept;
    return now + snoop;
}

/* Answers a hit; an exclusive level gives up the line. */
static struct mem_answer hit(struct memshared *shared, unsigned at, uint32_t frame,
                             const struct mem_request *request, uint64_t now)
{
    struct shared_level *level = &shared->level[at];
    struct cache *cache = &level->cache;
    struct mem_answer answer = {.level = level->name};
    answer.first = note_reader(level, frame, request, later(now, cache->ready[frame]));
    come_back(level, cache->tag[frame], answer.first, request->is_kept ? level->again.share : 0);
    if (level->inclusion != EXCLUSIVE || !request->is_kept)
        return answer;
    bool is_dirty = cache->state[frame] == CACHE_MODIFIED;
    cache_drop(cache, frame);
    answer.is_dirty = is_dirty && request->takes_modified;
    if (is_dirty && !request->takes_modified)
        put_read(shared, at + 1, request, now);
    return answer;
}

/* A frame for the block. An inclusive level must have one, so it waits until a line of the set has
 * arrived. */
static uint32_t find_frame(struct shared_level *level, uint64_t block, uint64_t now,
                           uint64_t *start)
{
    uint32_t frame = cache_victim(&level->cache, block, now);
    if (frame == CACHE_NO_FRAME && level->inclusion == INCLUSIVE) {
        frame = cache_victim(&level->cache, block, UINT64_MAX);
        *start = later(*start, level->cache.ready[frame]);
    }
    return frame;
}

/* Level `at` has missed at cycle `now`: reads the line from the next level. */
static struct mem_answer miss(struct memshared *shared, unsigned at,
                              const struct mem_request *request, uint64_t now)
{
    struct shared_level *level = &shared->level[at];
    struct cache *cache = &level->cache;
    bool keeps = level->inclusion != EXCLUSIVE ||
                 (!request->is_kept && !(at == 0 && memshared_is_held(shared, request->pa)));
    uint64_t block = cache_block(cache, request->pa);
    uint64_t *pending = &cache->pending[cache_register(cache)], start = later(now, *pending);
    uint32_t frame = keeps ? find_frame(level, block, now, &start) : CACHE_NO_FRAME;
    if (level->again.bank != NULL)
        start = banks_come(&level->again, block, start, level->again.place);
    const struct mem_request below = {
        .pa = request->pa, .now = start + (request->is_fetch ? level->fetch_miss_cycles : 0),
        .events = request->events, .bytes = line_bytes(cache), .is_fetch = request->is_fetch,
        .is_prefetch = request->is_prefetch,
        .is_kept = keeps || request->is_kept, .takes_modified = keeps || request->takes_modified,
    };
    struct mem_answer answer = read_level(shared, at + 1, &below);
    if (frame != CACHE_NO_FRAME && cache->state[frame] == CACHE_MODIFIED)
        answer.first += level->victim_cycles;
    uint64_t end = mem_answer_end(&answer, below.bytes);
    *pending = end;
    come_back(level, block, end, level->again.fill);
    if (!keeps)
        return answer;
    if (frame != CACHE_NO_FRAME) {
        evict(shared, at, frame, now, request->events);
        prefetch_track_fill(&level->track, cache, frame, request->is_prefetch && !request->is_kept,
                            request->events);
        cache_fill(cache, frame, block, end);
        if (level->was_read != NULL)
            level->was_read[frame] = request->is_kept;
        if (answer.is_dirty)
            cache->state[frame] = CACHE_MODIFIED;
    } else if (answer.is_dirty) {
        put_read(shared, at + 1, request, now);
    }
    answer.is_dirty = false;
    return answer;
}

static struct mem_answer read_level(struct memshared *shared, unsigned at,
                                    const struct mem_request *request)
{
    if (at == shared->levels)
        return read_memory(shared, request);
    struct shared_level *level = &shared->level[at];
    uint64_t block = cache_block(&level->cache, request->pa);
    uint32_t frame = cache_use(&level->cache, block);
    uint64_t now = level->again.bank == NULL
                       ? wait_for_bank(level, block, request) + level->cycles
                       : look_up(level, block, frame, request->now, request->events);
    request->events[level->event.access]++;
    if (frame != CACHE_NO_FRAME) {
        if (!request->is_prefetch)
            prefetch_track_use(&level->track, &level->cache, frame, now, request->events);
        return hit(shared, at, frame, request, now);
    }
    request->events[level->event.miss]++;
    if (!request->is_prefetch)
        prefetch_track_miss(&level->track, block, request->events);
    return miss(shared, at, request, now);
}

uint64_t memshared_write(struct memshared *shared, const struct mem_request *request)
{
    if (shared->ahead != 0)
        return memshared_write_ahead(shared, request);
    if (shared->levels == 0)
        return write_memory(shared, request->pa, request->bytes, request->now, request->events);
    const struct shared_level *level = &shared->level[0];
    if (level->inclusion != EXCLUSIVE)
        read_level(shared, 0, request);
    put_read(shared, 0, request, request->now);
    return request->now + (level->bank_cycles != 0 ? level->bank_cycles : 1);
}

uint64_t memshared_prefetch(struct memshared *shared, uint64_t pa, uint64_t now, uint64_t *events)
{
    if (shared->levels == 0)
        return 0;
    if (shared->ahead != 0)
        return memshared_prefetch_ahead(shared, pa, now, events);
    struct shared_level *level = &shared->level[0];
    const struct cache *cache = &level->cache;
    uint64_t block = cache_block(cache, pa);
    uint32_t frame = cache_find(cache, block);
    if (level->again.bank != NULL && now >= level->cycles)
        now = look_up(level, block, frame, now - level->cycles, events);
    if (frame != CACHE_NO_FRAME)
        come_back(level, block, now, 0);
    if (frame != CACHE_NO_FRAME ||
        cache->pending[cache_register(cache)] > now ||
        (shared->wants_clean_victims && memshared_is_held(shared, pa)))
        return 0;
    const struct mem_request request = {
        .pa = pa, .now = now, .events = events, .bytes = line_bytes(cache),
        .is_prefetch = true,
    };
    struct mem_answer answer = miss(shared, 0, &request, now);
    return mem_answer_end(&answer, request.bytes);
}

uint64_t memshared_room(const struct memshared *shared, uint64_t pa, uint64_t now)
{
    const struct shared_level *level = &shared->level[0];
    const struct cache *cache = &level->cache;
    if (shared->levels == 0)
        return now;
    now = banks_room(&level->again, cache_block(cache, pa), now - shared->ahead);
    return later(now, cache->pending[cache_register(cache)]) + shared->ahead;
}

struct mem_answer memshared_read(struct memshared *shared, const struct mem_request *request)
{
    if (shared->ahead != 0)
        return memshared_read_ahead(shared, request, memshared_read);
    if (request->hart != NULL && shared->harts > 1)
        return memshared_read_coherent(shared, request);
    if (shared->code_ahead.count != 0)
        code_ahead_run(shared, request->now);
    struct mem_answer answer = read_level(shared, 0, request);
    if (request->is_fetch && shared->code_ahead.lines != 0 && answer.level != MEM_L2)
        code_ahead_begin(shared, request);
    return answer;
}

struct mem_answer memshared_read_past(struct memshared *shared, const struct mem_request *request)
{
    if (shared->ahead != 0)
        return memshared_read_ahead(shared, request, memshared_read_past);
    return read_memory(shared, request);
}

enum mem_level memshared_probe(const struct memshared *shared, uint64_t pa)
{
    for (unsigned i = 0; i < shared->levels; i++) {
        const struct cache *cache = &shared->level[i].cache;
        if (cache_find(cache, cache_block(cache, pa)) != CACHE_NO_FRAME)
            return shared->level[i].name;
    }
    return MEM_DRAM;
}
