/* See memsys.h. One hart's caches, TLBs and walker; L2, L3 and memory are in memshared.c.
 *
 * A miss takes a miss register and asks L2. All times are known at once, so the line gets its frame
 * in the call, with the cycle of its arrival. A refused access must be retried; see l1.h for the
 * reasons. Accesses count when they are accepted. A store that hits a line which other harts may
 * have invalidates their copies, and is refused until they have answered; then it completes, even
 * if other harts request the line again. A store that misses is held by its miss register and does
 * not wait. Stores that go past the data cache (write-through, or a miss that does not allocate)
 * leave through the write buffer; a store is accepted when it has an entry there. Translation is in
 * memsys_tlb.c. */
#include "sim/mem/memsys.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/cache/ahead.h"
#include "sim/mem/cache/coherence.h"
#include "sim/mem/memsys_internal.h"

enum { FETCH_PC = 1 };      /* the pc of all fetches: they train as one sequence */
enum { WRITE_THROUGH = 1, WRITE_AROUND = 2 };    /* bits of l1d.write */
enum { WALK_THROUGH_L2, WALK_THROUGH_L1D };     /* as walker.level */
enum { TRAIN_MISSES, TRAIN_ACCESSES, TRAIN_DEMAND };    /* as *.prefetch_train */
enum { BANK_BYTES = 8 };                        /* width of a bank of the data cache */

/* ---- construction ---------------------------------------------------------------------------- */

/* The settings of `l1i` or `l1d`, which have the same names. */
#define L1_SETTINGS(l1) (struct l1_settings){                                                      \
    .shape = {                                                                                     \
        .bytes = (uint64_t)config->l1##_kib << 10, .ways = config->l1##_ways,                      \
        .line_bytes = config->l1##_line_bytes, .miss_registers = config->l1##_mshrs,               \
        .replacement = config->l1##_replacement, .seed = config->machine_seed, .is_followed = true,\
    },                                                                                             \
    .banks = 1, .bank_bytes = BANK_BYTES, .refill = (enum refill)config->bus_refill,               \
    .has_hit_under_miss = config->l1##_hit_under_miss != 0,                                        \
    .prefetch = config->l1##_prefetch, .prefetch_degree = 1,                                       \
}

static void set_prefetch(struct l1_settings *l1, uint32_t into, uint32_t train)
{
    l1->prefetches_into_l1 = into != 0;
    l1->trains_on_hits = train == TRAIN_ACCESSES;
    l1->trains_on_use = train != TRAIN_DEMAND;
}

static bool make_caches(struct memsys *memsys, const struct config *config)
{
    struct l1_settings l1i = L1_SETTINGS(l1i), l1d = L1_SETTINGS(l1d);
    set_prefetch(&l1i, config->part_prefetch_into, config->part_prefetch_train);
    l1i.by_block = config->part_by_block != 0;
    set_prefetch(&l1d, config->l1d_prefetch_into, config->l1d_prefetch_train);
    l1d.ports = config->l1d_ports;
    l1d.banks = config->l1d_banks;
    l1d.merges = config->l1d_merges;
    l1d.fill_buffers = config->l1d_fill_buffers;
    l1d.fill_cycles = config->part_fill_cycles;
    l1d.prefetch_degree = config->l1d_prefetch_degree;
    l1d.prefetch_all_hits = config->part_prefetch_all_hits;
    l1d.prefetch_distance = config->part_prefetch_distance;
    l1d.hit_cycles = config->latency_load;
    l1d.is_data = true;
    l1d.locks_sets = config->part_misses_lock_set != 0;
    l1d.arrival_cycles = config->part_arrival_cycles;
    l1d.fill_lead = config->part_fill_lead;
    l1d.victim_buffers = config->part_victim_buffers;
    l1d.victim_read_cycles = config->part_victim_read_cycles;
    l1d.victim_buffer_cycles = config->part_victim_buffer_cycles;
    l1d.fill_match_bits = config->part_fill_match_bits;
    bool has_caches = l1_init(&memsys->l1i, &l1i, memsys->shared, memsys->events);
    has_caches &= l1_init(&memsys->l1d, &l1d, memsys->shared, memsys->events);
    if (config->part_write_stream != 0 || memsys->is_write_through || !memsys->has_write_allocate)
        has_caches &= write_buffer_init(&memsys->write_buffer, config);
    return has_caches && tlb_init(&memsys->itlb, config->itlb_entries, config->itlb_ways) &&
           tlb_init(&memsys->dtlb, config->dtlb_entries, config->dtlb_ways) &&
           tlb_l2_init(&memsys->l2tlb, config->l2tlb_entries, config->l2tlb_ways) &&
           walker_init(&memsys->walker, config, memsys->shared, memsys->events);
}

struct memsys *memsys_new(const struct config *config, struct memshared *shared, uint64_t *events)
{
    struct memsys *memsys = calloc(1, sizeof *memsys);
    if (memsys == NULL)
        return NULL;
    memsys->shared = shared;
    memsys->events = events;
    memsys->is_write_through = (config->l1d_write & WRITE_THROUGH) != 0;
    memsys->has_write_allocate = (config->l1d_write & WRITE_AROUND) == 0;
    memsys->write_stream.needed = config->part_write_stream * config->l1d_line_bytes;
    memsys->miss_cycles = config->l1d_miss_cycles;
    memsys->victim_cycles = config->l1d_victim_cycles;
    memsys->early_victim_cycles = config->part_reply_cycles;
    memsys->store_miss_cycles = config->part_drain_blocks != 0 ? config->part_store_miss_cycles : 0;
    memsys->fetch_miss_cycles = config->l1i_miss_cycles;
    memsys->fetch_early_cycles = config->part_early_cycles;
    memsys->steers_fetch = config->part_victim_at_fill != 0 && config->l1i_hit_under_miss == 0;
    memsys->l2tlb_cycles = config->l2tlb_entries != 0 ? config->l2tlb_cycles : 0;
    memsys->taken_register = NO_MISS_REGISTER;
    memsys->metadata_bytes_per_cycle = config->shadow_bytes_per_cycle;
    memsys->metadata_traffic = (enum metadata_traffic)config->shadow_traffic;
    if (!make_caches(memsys, config)) {
        memsys_free(memsys);
        return NULL;
    }
    if (config->walker_level == WALK_THROUGH_L1D) {
        memsys->walker.through = memsys;
        memsys->l1d.is_plain = false;           /* page walks bring lines that no access asked
                                                 * for */
    }
    memsys_keep_known(memsys);
    memsys->hart = memshared_join(shared, &memsys->l1i.cache, &memsys->l1d.cache, events);
    memsys->hart->fetch = &memsys->l1i;
    memsys->hart->data = &memsys->l1d;
    memsys->l1d.hart = memsys->hart;
    return memsys;
}

void memsys_set_ahead(struct memsys *memsys, uint64_t cycles)
{
    memsys->hart->ahead = memsys->shared->ahead = cycles;
}

void memsys_free(struct memsys *memsys)
{
    if (memsys == NULL)
        return;
    memshared_leave(memsys->shared, &memsys->l1d.cache);
    l1_free(&memsys->l1i);
    l1_free(&memsys->l1d);
    write_buffer_free(&memsys->write_buffer);
    tlb_free(&memsys->itlb);
    tlb_free(&memsys->dtlb);
    tlb_l2_free(&memsys->l2tlb);
    walker_free(&memsys->walker);
    free(memsys);
}

/* ---- L1 -------------------------------------------------------------------------------------- */

/* Takes port and bank; false: the cache blocks. Needed only where accesses can be refused. */
static inline bool is_open(struct l1 *l1, uint64_t pa, uint64_t now)
{
    return l1->is_open || l1_open(l1, pa, now);
}

static inline bool answer_hit(struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
                              struct mem_response *response)
{
    const struct cache *cache = &l1->cache;
    if (cache->ready[frame] > now)
        return l1_join(l1, frame, pa, now, response);
    *response = (struct mem_response){
        .ready = now + l1->set.hit_cycles, .level = MEM_L1, .frame = frame,
        .block = cache->tag[frame] << cache->line_shift,
    };
    return true;
}

static void tell_changes(const struct memsys *memsys, struct mem_response *response)
{
    response->changed = (memsys->l1i.cache.change_count | memsys->l1d.cache.change_count) != 0;
}

/* Answers a read hit. */
static inline bool answer_read(struct memsys *memsys, struct l1 *l1, uint32_t frame, uint64_t pc,
                               uint64_t pa, uint64_t now, struct mem_response *response)
{
    if (!answer_hit(l1, frame, pa, now, response))
        return false;
    if (!l1->is_plain) {
        l1_note_hit(l1, frame, pc, pa, now);
        tell_changes(memsys, response);
    }
    return true;
}

static struct replaced replaced_at(const struct cache *cache, uint32_t frame)
{
    return (struct replaced){
        .tag = cache->tag[frame], .ready = cache->ready[frame], .stamp = cache->stamp[frame],
        .state = cache->state[frame], .frame = frame,
    };
}

static bool miss_fetch(struct memsys *memsys, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    struct l1 *l1i = &memsys->l1i;
    uint64_t block = cache_block(&l1i->cache, pa);
    uint64_t random = l1i->cache.replace.random;    /* before the frame was chosen */
    struct cache_place place;
    if (!l1_find_place(l1i, block, now, &place))
        return false;
    memsys->fetch_replaced = replaced_at(&l1i->cache, place.frame);
    memsys->fetch_replaced.random = random;
    l1_begin_miss(l1i, &place, pa, now + memsys->fetch_miss_cycles, L1_READ, response);
    memsys->events[EVENT_L1I_MISS]++;
    l1_note_miss(l1i, FETCH_PC, pa, now, response);
    tell_changes(memsys, response);
    return true;
}

bool memsys_fetch(struct memsys *memsys, uint64_t pa, uint64_t now, struct mem_response *response)
{
    struct l1 *l1i = &memsys->l1i;
    if (!is_open(l1i, pa, now)) {
        if (memsys->steers_fetch)
            l1_steer(l1i, pa, now);
        return false;
    }
    uint32_t frame = cache_use(&l1i->cache, cache_block(&l1i->cache, pa));
    bool is_read = frame != CACHE_NO_FRAME
                       ? answer_read(memsys, l1i, frame, FETCH_PC, pa, now, response)
                       : miss_fetch(memsys, pa, now, response);
    memsys->events[EVENT_L1I_ACCESS] += is_read;
    memsys->events[EVENT_L1I_HIT] += is_read && !response->miss && !response->merged;
    return is_read;
}

void memsys_drop_fetch(struct memsys *memsys)
{
    struct cache *cache = &memsys->l1i.cache;
    const struct replaced *was = &memsys->fetch_replaced;
    uint32_t frame = was->frame;
    cache_drop(cache, frame);
    if (memsys->shared->levels == 0) {
        cache->tag[frame] = was->tag;
        cache->ready[frame] = was->ready;
        cache->stamp[frame] = was->stamp;
        cache->state[frame] = was->state;
        cache->replace.random = was->random;
    }
    cache->recent[frame / cache->ways] = (uint8_t)cache->ways;
    cache_note_change(cache, frame);
}

/* Writes back the frame's line, from `now` on, before another is read in its place. Returns the
 * cycle in which that read can begin. */
static uint64_t write_victim_first(struct memsys *memsys, uint32_t frame, uint64_t now)
{
    struct bus *bus = &memsys->shared->bus;
    uint64_t ahead = memsys->shared->ahead, start = bus_write_start(bus, now - ahead) + ahead;
    bool seems_done = bus_write_seems_done(bus);
    l1_write_back(&memsys->l1d, frame, now);
    return start + (seems_done ? memsys->early_victim_cycles : memsys->victim_cycles);
}

/* A store found no free miss register. If nothing else notes that it asked, it need not look again
 * before a register is free, or a line comes. */
static void note_refused(struct memsys *memsys, uint64_t block, uint64_t until)
{
    if (memsys->l1d.is_open && memsys->write_stream.needed == 0)
        memsys->refused = (struct refused){block, until, memsys->l1d.cache.known.fills};
}

bool memsys_begin_data_miss(struct memsys *memsys, uint64_t pa, enum l1_intent intent,
                            uint64_t now, struct mem_response *response)
{
    struct l1 *l1d = &memsys->l1d;
    struct cache *cache = &l1d->cache;
    uint64_t block = cache_block(cache, pa);
    uint64_t from = memsys->was_looked_up ? now
                                          : now + l1d->set.hit_cycles + memsys->miss_cycles;
    if (intent == L1_WRITE && memsys->store_miss_cycles != 0)
        from = now + memsys->store_miss_cycles;
    struct cache_place place;
    if (!l1_find_place(l1d, block, now, &place)) {
        if (intent == L1_WRITE)
            note_refused(memsys, block, cache->pending[place.miss_register]);
        return false;
    }
    if (cache->state[place.frame] == CACHE_MODIFIED && memsys->victim_cycles != 0)
        from = write_victim_first(memsys, place.frame, from);
    from = write_buffer_clear_of(&memsys->write_buffer, block << cache->line_shift,
                                 UINT32_C(1) << cache->line_shift, from);
    l1_begin_miss(l1d, &place, pa, from, intent, response);
    if (intent == L1_READ)
        memsys->taken_register = (uint8_t)place.miss_register;
    return true;
}

static bool miss_load(struct memsys *memsys, uint64_t pc, uint64_t pa, enum l1_intent intent,
                      uint64_t now, struct mem_response *response)
{
    if (!memsys_begin_data_miss(memsys, pa, intent, now, response))
        return false;
    memsys->events[EVENT_L1D_READ_MISS]++;
    l1_note_miss(&memsys->l1d, pc, pa, now, response);
    tell_changes(memsys, response);
    return true;
}

/* A load where accesses can be refused, or train a prefetcher. */
static __attribute__((noinline)) bool load_otherwise(struct memsys *memsys, uint64_t pc,
                                                     uint64_t pa, enum l1_intent intent,
                                                     uint64_t now, struct mem_response *response)
{
    struct l1 *l1d = &memsys->l1d;
    if (!is_open(l1d, pa, now))
        return false;
    if (l1d->set.prefetch == PREFETCH_STAGED)
        l1_run_prefetcher(l1d, now + l1d->set.hit_cycles);
    uint32_t frame = cache_use(&l1d->cache, cache_block(&l1d->cache, pa));
    if (!l1_note_load(l1d, frame, pc, pa, now, response))
        return false;
    if (!(frame != CACHE_NO_FRAME ? answer_read(memsys, l1d, frame, pc, pa, now, response)
                                  : miss_load(memsys, pc, pa, intent, now, response)))
        return false;
    memsys->events[EVENT_L1D_READ]++;
    if (l1d->is_calm && frame != CACHE_NO_FRAME)
        memsys_note_known(memsys, frame, now);
    return true;
}

static inline bool load(struct memsys *memsys, uint64_t pc, uint64_t pa, enum l1_intent intent,
                        uint64_t now, struct mem_response *response)
{
    struct l1 *l1d = &memsys->l1d;
    if (!l1d->is_plain)
        return load_otherwise(memsys, pc, pa, intent, now, response);
    uint64_t block = cache_block(&l1d->cache, pa);
    uint32_t frame = cache_use(&l1d->cache, block);
    if (frame != CACHE_NO_FRAME && l1d->cache.ready[frame] <= now)
        known_lines_add(&l1d->cache.known, block, frame);
    if (!(frame != CACHE_NO_FRAME ? answer_hit(l1d, frame, pa, now, response)
                                  : miss_load(memsys, pc, pa, intent, now, response)))
        return false;
    memsys->events[EVENT_L1D_READ]++;
    return true;
}

bool memsys_load(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                 struct mem_response *response)
{
    return load(memsys, pc, pa, L1_READ, now, response);
}

bool memsys_load_found(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    memsys->was_looked_up = true;
    bool is_taken = load(memsys, pc, pa, L1_READ, now, response);
    memsys->was_looked_up = false;
    return is_taken;
}

bool memsys_load_own(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                     struct mem_response *response)
{
    struct cache *cache = &memsys->l1d.cache;
    if (!load(memsys, pc, pa, L1_WRITE, now, response))
        return false;
    uint32_t frame = cache_find(cache, cache_block(cache, pa));
    if (frame == CACHE_NO_FRAME || cache->state[frame] != CACHE_SHARED)
        return true;
    uint64_t alone = memshared_upgrade(memsys->shared, memsys->hart, cache->tag[frame], now);
    known_lines_drop_all(&cache->known);
    cache->state[frame] = CACHE_EXCLUSIVE;
    cache->ready[frame] = later(cache->ready[frame], alone);
    response->ready = later(response->ready, alone);
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Takes the line from other harts. False: the store waits until they have answered. */
static bool claim(struct memsys *memsys, uint32_t frame, uint8_t state, uint64_t now)
{
    struct cache *cache = &memsys->l1d.cache;
    struct shared_hart *hart = memsys->hart;
    bool was_shared = cache->state[frame] == CACHE_SHARED;
    cache->state[frame] = state;
    if (!was_shared)
        return true;
    hart->upgrade_block = cache->tag[frame];
    hart->upgrade_ready = memshared_upgrade(memsys->shared, hart, cache->tag[frame], now);
    return false;
}

/* A store that has requested its upgrade; the line may have left the cache again. False: the store
 * still waits. */
static bool finish_upgrade(struct memsys *memsys, uint64_t pa, uint64_t now,
                           struct mem_response *response)
{
    if (now < memsys->hart->upgrade_ready ||
        (memsys->is_write_through &&
         !write_buffer_put(&memsys->write_buffer, memsys->shared, pa, now, memsys->events)))
        return false;
    memsys->hart->upgrade_block = CACHE_NO_BLOCK;
    memsys->events[EVENT_L1D_WRITE]++;
    *response = (struct mem_response){
        .ready = now + memsys->l1d.set.hit_cycles, .level = MEM_L1,
        .frame = memsys_find_dframe(memsys, pa),
        .block = cache_block(&memsys->l1d.cache, pa) << memsys->l1d.cache.line_shift,
    };
    tell_changes(memsys, response);
    return true;
}

/* A store that misses and allocates no line. */
static bool store_past(struct memsys *memsys, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    struct memshared *shared = memsys->shared;
    struct cache *cache = &memsys->l1d.cache;
    uint64_t block = cache_block(cache, pa);
    if (!write_buffer_put(&memsys->write_buffer, shared, pa, now, memsys->events))
        return false;
    if (shared->harts > 1)
        memshared_invalidate(shared, memsys->hart, block, now);
    memsys->events[EVENT_L1D_WRITE_MISS]++;
    *response = (struct mem_response){
        .ready = now + memsys->l1d.set.hit_cycles, .level = MEM_L1, .miss = true,
        .frame = MEM_NO_FRAME, .block = block << cache->line_shift,
    };
    tell_changes(memsys, response);
    return true;
}

bool memsys_bring_line(struct memsys *memsys, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    if (!memsys_begin_data_miss(memsys, pa, L1_WRITE, now, response))
        return false;
    memsys->events[EVENT_L1D_WRITE_MISS]++;
    bool is_from_l2 = (response->level & ~(unsigned)MEM_PEER) == MEM_L2;
    memsys->events[is_from_l2 ? EVENT_STORE_L2_HIT : EVENT_STORE_L2_MISS]++;
    tell_changes(memsys, response);
    return true;
}

/* Write-through: every store goes to the next level; lines in L1 stay clean. */
static bool store_through(struct memsys *memsys, uint64_t pa, uint64_t now,
                          struct mem_response *response)
{
    struct l1 *l1d = &memsys->l1d;
    uint32_t frame = cache_use(&l1d->cache, cache_block(&l1d->cache, pa));
    if (frame == CACHE_NO_FRAME && !memsys->has_write_allocate)
        return store_past(memsys, pa, now, response);
    if (frame == CACHE_NO_FRAME) {      /* the line is fetched even if the store then waits */
        if (!memsys_bring_line(memsys, pa, now, response))
            return false;
        frame = response->frame;
    } else if (!answer_hit(l1d, frame, pa, now, response)) {
        return false;
    } else {
        l1_note_store(l1d, frame, now);
    }
    return claim(memsys, frame, CACHE_EXCLUSIVE, now) &&
           write_buffer_put(&memsys->write_buffer, memsys->shared, pa, now, memsys->events);
}

static bool store_back(struct memsys *memsys, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    struct l1 *l1d = &memsys->l1d;
    uint32_t frame = cache_use(&l1d->cache, cache_block(&l1d->cache, pa));
    bool is_stream = write_stream_takes(&memsys->write_stream, pa, frame == CACHE_NO_FRAME);
    if (frame == CACHE_NO_FRAME) {
        if (!memsys->has_write_allocate || is_stream)
            return store_past(memsys, pa, now, response);
        if (!memsys_bring_line(memsys, pa, now, response))
            return false;
        frame = response->frame;
    } else {
        if (!answer_hit(l1d, frame, pa, now, response))
            return false;
        l1_note_store(l1d, frame, now);
    }
    return claim(memsys, frame, CACHE_MODIFIED, now);
}

static __attribute__((noinline)) bool store_anew(struct memsys *memsys, uint64_t pa, uint64_t now,
                                                 struct mem_response *response)
{
    if (!is_open(&memsys->l1d, pa, now))
        return false;
    if (!(memsys->is_write_through ? store_through(memsys, pa, now, response)
                                   : store_back(memsys, pa, now, response)))
        return false;
    memsys->events[EVENT_L1D_WRITE]++;
    return true;
}

bool memsys_store(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response)
{
    const struct refused *refused = &memsys->refused;
    uint64_t block = cache_block(&memsys->l1d.cache, pa);
    (void)pc;
    if (memsys->hart->upgrade_block == block)
        return finish_upgrade(memsys, pa, now, response);
    if (now >= refused->until || refused->block != block ||
        refused->fills != memsys->l1d.cache.known.fills)
        return store_anew(memsys, pa, now, response);
    memshared_clock(memsys->shared, now);
    memsys->events[EVENT_MSHR_FULL]++;
    return false;
}
