/* See memsys.h. One hart's caches, TLBs and walker; L2, L3 and memory are in memshared.c.
 *
 * A miss takes a miss register and asks L2. All times are known at once, so the line gets its frame
 * in the call, with the cycle of its arrival. A miss that finds no register, or a set whose lines
 * are all on their way, must retry. Accesses count when they are accepted.
 * Prefetches, of instructions and of data, fill L2 only: without L2 there are none. A page walk
 * reads one entry after the other through L2; a hart has one walker. Metadata moves on the memory
 * bus, past L2. A store to a line that other harts have takes it from them; the store itself does
 * not wait for that. */
#include "sim/mem/memsys.h"

#include <stdlib.h>

#include "pmu/pmu.h"
#include "sim/mem/cache.h"
#include "sim/mem/memshared.h"
#include "sim/mem/prefetch.h"
#include "sim/mem/tlb.h"

enum { PAGE_BITS = 12 };

struct memsys {
    struct cache l1i, l1d;
    struct memshared *shared;
    uint64_t *events;
    uint32_t load_cycles;
    bool has_next_prefetch, has_stride_prefetch;
    struct tlb itlb, dtlb;
    struct tlb_l2 l2tlb;
    uint32_t l2tlb_cycles;
    uint32_t metadata_bytes_per_cycle;
    uint64_t walker_free;
    struct prefetch prefetch;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- construction ---------------------------------------------------------------------------- */

static bool make_caches(struct memsys *memsys, const struct config *config)
{
    const struct cache_shape l1i = {
        .bytes = (uint64_t)config->l1i_kib << 10, .ways = config->l1i_ways,
        .line_bytes = config->l1i_line_bytes, .miss_registers = config->l1i_mshrs,
        .replacement = (enum replace_policy)config->l1i_replacement,
        .seed = config->machine_seed, .is_followed = true,
    };
    const struct cache_shape l1d = {
        .bytes = (uint64_t)config->l1d_kib << 10, .ways = config->l1d_ways,
        .line_bytes = config->l1d_line_bytes, .miss_registers = config->l1d_mshrs,
        .replacement = (enum replace_policy)config->l1d_replacement,
        .seed = config->machine_seed, .is_followed = true,
    };
    return cache_init(&memsys->l1i, &l1i) && cache_init(&memsys->l1d, &l1d) &&
           tlb_init(&memsys->itlb, config->itlb_entries) &&
           tlb_init(&memsys->dtlb, config->dtlb_entries) &&
           tlb_l2_init(&memsys->l2tlb, config->l2tlb_entries);
}

struct memsys *memsys_new(const struct config *config, struct memshared *shared, uint64_t *events)
{
    struct memsys *memsys = calloc(1, sizeof *memsys);
    if (memsys == NULL)
        return NULL;
    memsys->shared = shared;
    memsys->events = events;
    memsys->load_cycles = config->latency_load;
    memsys->has_next_prefetch = config->l1i_prefetch_next != 0;
    memsys->has_stride_prefetch = config->l1d_prefetch_stride != 0;
    memsys->l2tlb_cycles = config->l2tlb_entries != 0 ? config->l2tlb_cycles : 0;
    memsys->metadata_bytes_per_cycle = config->shadow_bytes_per_cycle;
    if (!make_caches(memsys, config)) {
        memsys_free(memsys);
        return NULL;
    }
    memshared_join(shared, &memsys->l1i, &memsys->l1d, events);
    return memsys;
}

void memsys_free(struct memsys *memsys)
{
    if (memsys == NULL)
        return;
    memshared_leave(memsys->shared, &memsys->l1d);
    cache_free(&memsys->l1i);
    cache_free(&memsys->l1d);
    tlb_free(&memsys->itlb);
    tlb_free(&memsys->dtlb);
    tlb_l2_free(&memsys->l2tlb);
    free(memsys);
}

uint32_t memsys_iframes(const struct memsys *memsys)
{
    return memsys->l1i.frames;
}

uint32_t memsys_dframes(const struct memsys *memsys)
{
    return memsys->l1d.frames;
}

/* ---- L1 -------------------------------------------------------------------------------------- */

static void answer_hit(const struct cache *cache, uint32_t frame, uint64_t now, uint64_t cycles,
                       struct mem_response *response)
{
    uint64_t ready = cache->ready[frame];
    *response = (struct mem_response){
        .ready = later(ready, now + cycles), .level = MEM_L1, .merged = ready > now,
        .frame = frame, .block = cache->tag[frame] << cache->line_shift,
    };
}

/* The line leaves the frame. */
static void evict(struct memsys *memsys, struct cache *cache, uint32_t frame, uint64_t now)
{
    bool is_dirty = cache->state[frame] == CACHE_MODIFIED;
    if (!is_dirty && !memsys->shared->wants_clean_victims)
        return;
    if (cache->state[frame] == CACHE_INVALID)
        return;
    uint64_t pa = cache->tag[frame] << cache->line_shift;
    cache_drop(cache, frame);
    memsys->events[EVENT_L1D_WRITEBACK] += is_dirty;
    memshared_take(memsys->shared, pa, is_dirty, now, memsys->events);
}

static bool has_changes(const struct memsys *memsys)
{
    return (memsys->l1i.change_count | memsys->l1d.change_count) != 0;
}

static bool find_place(struct memsys *memsys, struct cache *cache, uint64_t block,
                       uint64_t now, struct cache_place *place)
{
    if (cache_find_place(cache, block, now, place))
        return true;
    memsys->events[EVENT_MSHR_FULL]++;
    return false;
}

/* The L1 looked at `now` and did not find it. */
static void begin_miss(struct memsys *memsys, struct cache *cache, const struct cache_place *place,
                       uint64_t block, uint64_t now, struct mem_response *response)
{
    const struct mem_request request = {
        .pa = block << cache->line_shift, .now = now, .events = memsys->events, .is_kept = true,
        .takes_modified = cache == &memsys->l1d,
    };
    struct mem_answer answer = memshared_read(memsys->shared, &request);
    evict(memsys, cache, place->frame, now);
    cache->pending[place->miss_register] = answer.ready;
    cache_fill(cache, place->frame, block, answer.ready);
    if (answer.is_dirty)
        cache->state[place->frame] = CACHE_MODIFIED;
    cache_change_seen(cache, place->frame);
    *response = (struct mem_response){
        .ready = answer.ready, .level = (uint8_t)answer.level, .miss = true, .filled = true,
        .changed = has_changes(memsys), .frame = place->frame, .block = request.pa,
    };
}

static void prefetch_next(struct memsys *memsys, uint64_t block, uint64_t now)
{
    unsigned shift = memsys->l1i.line_shift;
    if (block >> (PAGE_BITS - shift) == (block + 1) >> (PAGE_BITS - shift))
        memshared_prefetch(memsys->shared, (block + 1) << shift, now, memsys->events);
}

bool memsys_fetch(struct memsys *memsys, uint64_t pa, uint64_t now, struct mem_response *response)
{
    struct cache *l1i = &memsys->l1i;
    uint64_t block = cache_block(l1i, pa);
    uint32_t frame = cache_use(l1i, block);
    if (frame != CACHE_NO_FRAME) {
        answer_hit(l1i, frame, now, 0, response);
    } else {
        struct cache_place place;
        if (!find_place(memsys, l1i, block, now, &place))
            return false;
        begin_miss(memsys, l1i, &place, block, now, response);
        memsys->events[EVENT_L1I_MISS]++;
        if (memsys->has_next_prefetch)
            prefetch_next(memsys, block, now + memshared_cycles(memsys->shared));
    }
    memsys->events[EVENT_L1I_ACCESS]++;
    return true;
}

static void prefetch_strided(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now)
{
    uint64_t next[PREFETCH_DEGREE];
    unsigned count = prefetch_train(&memsys->prefetch, pc, pa, next);
    for (unsigned i = 0; i < count; i++)
        memshared_prefetch(memsys->shared, next[i], now, memsys->events);
}

/* A data miss. Other harts' copies become shared, or go when this hart is going to write. */
static bool begin_data_miss(struct memsys *memsys, uint64_t block, bool is_write, uint64_t now,
                            struct mem_response *response)
{
    struct cache *l1d = &memsys->l1d;
    struct memshared *shared = memsys->shared;
    struct cache_place place;
    if (!find_place(memsys, l1d, block, now, &place))
        return false;
    bool elsewhere = shared->harts > 1 && memshared_snoop(shared, l1d, block, is_write, now);
    begin_miss(memsys, l1d, &place, block, now + memsys->load_cycles, response);
    if (elsewhere && !is_write)
        l1d->state[place.frame] = CACHE_SHARED;
    return true;
}

bool memsys_load(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                 struct mem_response *response)
{
    struct cache *l1d = &memsys->l1d;
    uint64_t block = cache_block(l1d, pa);
    uint32_t frame = cache_use(l1d, block), cycles = memsys->load_cycles;
    if (frame != CACHE_NO_FRAME) {
        answer_hit(l1d, frame, now, cycles, response);
    } else {
        if (!begin_data_miss(memsys, block, false, now, response))
            return false;
        memsys->events[EVENT_L1D_READ_MISS]++;
        if (memsys->has_stride_prefetch)
            prefetch_strided(memsys, pc, pa, now + cycles + memshared_cycles(memsys->shared));
    }
    memsys->events[EVENT_L1D_READ]++;
    return true;
}

bool memsys_store(struct memsys *memsys, uint64_t pc, uint64_t pa, uint64_t now,
                  struct mem_response *response)
{
    (void)pc;
    struct cache *l1d = &memsys->l1d;
    uint64_t block = cache_block(l1d, pa);
    uint32_t frame = cache_use(l1d, block);
    if (frame != CACHE_NO_FRAME) {
        answer_hit(l1d, frame, now, memsys->load_cycles, response);
        if (l1d->state[frame] == CACHE_SHARED)
            memshared_snoop(memsys->shared, l1d, block, true, now);
    } else {
        if (!begin_data_miss(memsys, block, true, now, response))
            return false;
        frame = response->frame;
        memsys->events[EVENT_L1D_WRITE_MISS]++;
    }
    l1d->state[frame] = CACHE_MODIFIED;
    memsys->events[EVENT_L1D_WRITE]++;
    return true;
}

uint32_t memsys_find_iframe(const struct memsys *memsys, uint64_t pa)
{
    return cache_find(&memsys->l1i, cache_block(&memsys->l1i, pa));
}

uint32_t memsys_find_dframe(const struct memsys *memsys, uint64_t pa)
{
    return cache_find(&memsys->l1d, cache_block(&memsys->l1d, pa));
}

enum mem_level memsys_probe(const struct memsys *memsys, uint64_t pa)
{
    if (memsys_find_dframe(memsys, pa) != MEM_NO_FRAME)
        return MEM_L1;
    return memshared_probe(memsys->shared, pa);
}

void memsys_flush_icache(struct memsys *memsys)
{
    cache_flush(&memsys->l1i);
}

bool memsys_next_change(struct memsys *memsys, struct mem_change *change)
{
    const struct cache *cache = &memsys->l1d;
    uint32_t frame = cache_next_change(&memsys->l1d);
    if (frame == CACHE_NO_FRAME) {
        cache = &memsys->l1i;
        frame = cache_next_change(&memsys->l1i);
    }
    if (frame == CACHE_NO_FRAME)
        return false;
    bool is_filled = cache->tag[frame] != CACHE_NO_BLOCK;
    *change = (struct mem_change){
        .frame = frame, .is_fetch = cache == &memsys->l1i, .is_filled = is_filled,
        .block = is_filled ? cache->tag[frame] << cache->line_shift : 0,
    };
    return true;
}

/* ---- translation ----------------------------------------------------------------------------- */

static uint64_t walk(struct memsys *memsys, const uint64_t *pte, unsigned levels, uint64_t now)
{
    now = later(now, memsys->walker_free);
    for (unsigned i = 0; i < levels; i++) {
        const struct mem_request request = {.pa = pte[i], .now = now, .events = memsys->events};
        now = memshared_read(memsys->shared, &request).ready;
    }
    return memsys->walker_free = now;
}

static uint64_t miss_tlb(struct memsys *memsys, struct tlb *tlb, uint64_t va, unsigned page_bits,
                         const uint64_t *pte, unsigned levels, uint64_t now, uint64_t *walks)
{
    now += memsys->l2tlb_cycles;
    if (!tlb_l2_use(&memsys->l2tlb, va, page_bits)) {
        ++*walks;
        now = walk(memsys, pte, levels, now);
        tlb_l2_fill(&memsys->l2tlb, va, page_bits);
    }
    tlb_fill(tlb, va, page_bits, now);
    return now;
}

static uint64_t translate(struct memsys *memsys, struct tlb *tlb, uint64_t va, unsigned page_bits,
                          const uint64_t *pte, unsigned levels, uint64_t now, uint64_t *walks,
                          bool *miss)
{
    *miss = false;
    if (levels == 0)
        return now;
    const struct tlb_entry *entry = tlb_use(tlb, va);
    if (entry != NULL)
        return later(now, entry->ready);
    *miss = true;
    return miss_tlb(memsys, tlb, va, page_bits, pte, levels, now, walks);
}

uint64_t memsys_itlb(struct memsys *memsys, uint64_t va, unsigned page_bits, const uint64_t *pte,
                     unsigned levels, uint64_t now, bool *miss)
{
    return translate(memsys, &memsys->itlb, va, page_bits, pte, levels, now,
                     &memsys->events[EVENT_ITLB_WALK], miss);
}

uint64_t memsys_dtlb(struct memsys *memsys, uint64_t va, unsigned page_bits, const uint64_t *pte,
                     unsigned levels, uint64_t now, bool *miss)
{
    return translate(memsys, &memsys->dtlb, va, page_bits, pte, levels, now,
                     &memsys->events[EVENT_DTLB_WALK], miss);
}

bool memsys_itlb_hit(struct memsys *memsys, uint64_t va)
{
    return tlb_use(&memsys->itlb, va) != NULL;
}

bool memsys_dtlb_hit(struct memsys *memsys, uint64_t va)
{
    return tlb_use(&memsys->dtlb, va) != NULL;
}

void memsys_flush_tlbs(struct memsys *memsys)
{
    tlb_flush(&memsys->itlb);
    tlb_flush(&memsys->dtlb);
    tlb_l2_flush(&memsys->l2tlb);
}

/* ---- metadata -------------------------------------------------------------------------------- */

uint64_t memsys_metadata(struct memsys *memsys, uint64_t pa, uint32_t bytes, uint64_t now)
{
    (void)pa;       /* memory is equally far everywhere */
    uint32_t width = memsys->metadata_bytes_per_cycle;
    if (width == 0 || bytes == 0)
        return now;
    struct dram *dram = &memsys->shared->dram;
    uint64_t cycles = (bytes + width - 1) / width;
    return dram_occupy(dram, now, cycles) + dram->latency_cycles + cycles;
}
