/* See l1.h. */
#include "sim/mem/cache/l1.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/cache/ahead.h"

bool l1_init(struct l1 *l1, const struct l1_settings *set, struct memshared *shared,
             uint64_t *events)
{
    bool is_open = set->ports == 0 && set->banks == 1 && set->fill_cycles == 0 &&
                   set->has_hit_under_miss && !set->locks_sets && !set->by_block &&
                   set->fill_match_bits == 0;
    *l1 = (struct l1){
        .shared = shared, .events = events, .set = *set,
        .is_open = is_open,
        .is_plain = is_open &&
                    (set->prefetch == PREFETCH_NONE ||
                     (!set->prefetches_into_l1 && !set->trains_on_hits)),
        .is_calm = is_open && set->prefetch != PREFETCH_STAGED &&
                   (set->prefetch == PREFETCH_NONE || !set->trains_on_hits),
        .is_quiet = set->ports == 0 && set->banks == 1 && set->fill_cycles == 0 &&
                    !set->locks_sets && !set->by_block && set->fill_match_bits == 0 &&
                    set->prefetch == PREFETCH_NONE,
        .has_fill_times = bus_beat_cycles(&shared->bus) != 0 || set->merges != 0,
        .fill = calloc(set->shape.miss_registers, sizeof l1->fill[0]),
        .buffer = calloc(set->fill_buffers + 1, sizeof l1->buffer[0]),
    };
    memset(l1->bank_cycle, 0xff, sizeof l1->bank_cycle);        /* no access yet, in no cycle */
    l1->committed = UINT64_MAX;
    if (!prefetch_init(&l1->prefetcher, set->prefetch, set->shape.line_bytes,
                       set->prefetch_degree))
        return false;
    l1->prefetcher.events = events;
    l1->prefetcher.all_hits = set->prefetch_all_hits;
    l1->prefetcher.distance = set->prefetches_into_l1 ? set->prefetch_distance : 0;
    return cache_init(&l1->cache, &set->shape) && l1->fill != NULL && l1->buffer != NULL &&
           prefetch_track_init(&l1->track, l1->cache.frames);
}

void l1_free(struct l1 *l1)
{
    cache_free(&l1->cache);
    prefetch_track_free(&l1->track);
    prefetch_free(&l1->prefetcher);
    free(l1->fill);
    free(l1->buffer);
}

/* ---- refusing -------------------------------------------------------------------------------- */

/* True if one of these cycles is among the `cycles` cycles that end with `at`. Cycle 0 stands for
 * none. */
static inline bool is_any_in(const uint64_t *cycle, uint32_t count, uint64_t at, uint64_t cycles)
{
    uint64_t first = at >= cycles ? at - cycles + 1 : 1;
    for (uint32_t i = 0; i < count && first <= at; i++)
        if (cycle[i] - first <= at - first)
            return true;
    return false;
}

bool l1_array_is_busy(const struct l1 *l1, uint64_t now)
{
    const struct cache *cache = &l1->cache;
    uint64_t cycles = l1->set.fill_cycles;
    bool may_fill = cycles != 0 && l1->last_arrival + cycles > now + l1->set.fill_lead;
    if (may_fill && is_any_in(cache->pending, cache->miss_registers, now + l1->set.fill_lead,
                              cycles))
        return true;
    if (now >= l1->victim_last + l1->set.victim_read_cycles)
        return false;
    for (uint32_t i = 0; i < l1->set.victim_buffers; i++) {
        uint64_t end = l1->victim_from[i] + l1->set.victim_read_cycles;
        if (l1->victim_from[i] != 0 && now < end && end <= now + cycles)
            return true;
    }
    return false;
}

static bool port_is_free(struct l1 *l1, uint64_t now)
{
    if (l1->port_cycle != now) {
        l1->port_cycle = now;
        l1->ports_used = 0;
    }
    return (l1->set.ports == 0 || l1->ports_used < l1->set.ports) && !l1_array_is_busy(l1, now);
}

/* Several accesses may read the same word of a bank in one cycle. */
static bool bank_is_free(struct l1 *l1, uint64_t pa, uint64_t now)
{
    if (l1->set.banks == 1)
        return true;
    uint64_t word = pa / l1->set.bank_bytes, bank = word & (l1->set.banks - 1);
    if (l1->bank_cycle[bank] == now && l1->bank_word[bank] != word)
        return false;
    l1->bank_cycle[bank] = now;
    l1->bank_word[bank] = word;
    return true;
}

static bool is_blocked(const struct l1 *l1, uint64_t pa, uint64_t now)
{
    const struct cache *cache = &l1->cache;
    uint64_t block = cache_block(cache, pa);
    if (!l1->set.has_hit_under_miss && now < l1->blocked_until)
        return true;
    for (uint32_t i = 0; l1->set.locks_sets && i < cache->miss_registers; i++)
        if (cache->pending[i] > now && l1->fill[i].block != block &&
            cache_set(cache, l1->fill[i].block) == cache_set(cache, block))
            return true;
    return false;
}

bool l1_open(struct l1 *l1, uint64_t pa, uint64_t now)
{
    if (is_blocked(l1, pa, now)) {
        l1->events[EVENT_L1_BLOCKED]++;
        return false;
    }
    if (!port_is_free(l1, now)) {
        l1->events[EVENT_L1_PORT_BUSY]++;
        return false;
    }
    if (!bank_is_free(l1, pa, now)) {
        l1->events[EVENT_L1_BANK_CONFLICT]++;
        return false;
    }
    l1->ports_used++;
    return true;
}

/* If every miss register is kept for a load that must be retried, a refused access gives its port
 * and bank to that load; otherwise both would wait for each other for ever. */
static void make_way(struct l1 *l1, uint64_t block, uint64_t now)
{
    const struct cache *cache = &l1->cache;
    uint64_t first = block << cache->line_shift;
    if (cache->pending[cache_register(cache)] != UINT64_MAX || l1->port_cycle != now)
        return;
    l1->ports_used--;
    for (uint64_t pa = first; pa < first + (UINT64_C(1) << cache->line_shift);
         pa += l1->set.bank_bytes) {
        uint64_t bank = pa / l1->set.bank_bytes & (l1->set.banks - 1);
        if (l1->bank_word[bank] == pa / l1->set.bank_bytes)
            l1->bank_cycle[bank] = UINT64_MAX;
    }
}

bool l1_find_place(struct l1 *l1, uint64_t block, uint64_t now, struct cache_place *place)
{
    memshared_clock(l1->shared, now);
    if (cache_find_place(&l1->cache, block, now, place))
        return true;
    if (!l1->is_plain)
        make_way(l1, block, now);
    l1->events[EVENT_MSHR_FULL]++;
    return false;
}

/* ---- lines on their way ---------------------------------------------------------------------- */

/* The cycle in which the word at `offset` of the line arrives; `end` is the cycle of the line's
 * last beat. */
static uint64_t word_arrival(const struct l1 *l1, const struct l1_fill *fill, uint32_t offset,
                             uint64_t end)
{
    const struct bus *bus = &l1->shared->bus;
    uint32_t line = UINT32_C(1) << l1->cache.line_shift, beat_cycles = bus_beat_cycles(bus);
    if (l1->set.refill == REFILL_WHOLE_LINE || beat_cycles == 0)
        return end;
    uint32_t from = fill->offset & ~(bus->bytes - 1);
    uint32_t beats = ((offset - from) & (line - 1)) / bus->bytes;
    uint64_t arrival = fill->first + (uint64_t)beats * beat_cycles;
    return arrival < end ? arrival : end;
}

static struct l1_fill *find_fill(struct l1 *l1, uint64_t block, uint64_t now)
{
    for (uint32_t i = 0; i < l1->cache.miss_registers; i++)
        if (l1->fill[i].block == block && l1->cache.pending[i] > now)
            return &l1->fill[i];
    return NULL;
}

bool l1_join(struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
             struct mem_response *response)
{
    const struct cache *cache = &l1->cache;
    uint64_t block = cache->tag[frame], ready = cache->ready[frame];
    struct l1_fill *fill = l1->has_fill_times ? find_fill(l1, block, now) : NULL;
    if (fill != NULL) {
        if (l1->set.merges != 0 && fill->merges >= l1->set.merges) {
            l1->events[EVENT_MSHR_FULL]++;
            return false;
        }
        fill->merges++;
        ready = word_arrival(l1, fill, (uint32_t)pa & ((1u << cache->line_shift) - 1), ready);
    }
    *response = (struct mem_response){
        .ready = later(ready, now + l1->set.hit_cycles), .level = MEM_L1, .merged = true,
        .frame = frame, .block = block << cache->line_shift,
    };
    return true;
}

/* The load tests for a miss in flight in the stage in which it would have hit. A load that tests
 * before the line is written into the array is woken by the start of that write; a later one is
 * woken when the line is in the array. */
bool l1_waits_for_fill(const struct l1 *l1, uint32_t frame, uint64_t pa, uint64_t now,
                       struct mem_response *response)
{
    enum { WRITE_CYCLES = 3, WOKEN_EARLY = 1, WOKEN_LATE = 3 };
    const struct cache *cache = &l1->cache;
    uint64_t block = cache_block(cache, pa), looks = now + l1->set.hit_cycles;
    if (l1->set.fill_match_bits == 0 || (frame != CACHE_NO_FRAME && cache->ready[frame] < looks))
        return false;
    for (uint32_t i = 0; i < cache->miss_registers; i++) {
        uint64_t ready = cache->pending[i];
        if (ready < looks || ready == UINT64_MAX || !l1_fill_matches(l1, i, block))
            continue;
        response->ready = ready + (looks + WRITE_CYCLES <= ready ? WOKEN_EARLY : WOKEN_LATE);
        return true;
    }
    return false;
}

void l1_write_back(struct l1 *l1, uint32_t frame, uint64_t now)
{
    struct cache *cache = &l1->cache;
    bool is_dirty = cache->state[frame] == CACHE_MODIFIED;
    if (cache->state[frame] == CACHE_INVALID || (!is_dirty && !l1->shared->wants_clean_victims))
        return;
    uint64_t pa = cache->tag[frame] << cache->line_shift;
    cache_drop(cache, frame);
    l1->events[EVENT_L1D_WRITEBACK] += is_dirty;
    memshared_take(l1->shared, pa, is_dirty, now, l1->events);
}

void l1_give_up(struct l1 *l1, uint64_t pa, uint64_t now)
{
    struct cache *cache = &l1->cache;
    uint32_t frame = cache_find(cache, cache_block(cache, pa));
    if (frame == CACHE_NO_FRAME || cache->ready[frame] > now)
        return;
    l1_write_back(l1, frame, now);
    if (cache->state[frame] != CACHE_INVALID)
        cache_drop(cache, frame);
    cache_note_change(cache, frame);
}

/* Cycles that a burst waits for a line-fill buffer. */
static uint64_t take_buffer(struct l1 *l1, uint64_t first, uint64_t end)
{
    if (l1->set.fill_buffers == 0)
        return 0;
    uint64_t *buffer = first_free(l1->buffer, l1->set.fill_buffers);
    uint64_t delay = *buffer > first ? *buffer - first : 0;
    *buffer = end + delay + l1->set.fill_cycles;
    return delay;
}

/* A modified line moves to a victim buffer. Returns the cycle in which it has been read and another
 * line can take its frame. */
static uint64_t take_victim_buffer(struct l1 *l1, uint32_t frame, uint64_t from)
{
    if (l1->set.victim_buffers == 0 || l1->cache.state[frame] != CACHE_MODIFIED)
        return 0;
    uint64_t *taken = first_free(l1->victim_from, l1->set.victim_buffers);
    *taken = *taken == 0 ? from : later(from, *taken + l1->set.victim_buffer_cycles);
    l1->victim_last = later(l1->victim_last, *taken);
    return *taken + l1->set.victim_read_cycles;
}

void l1_begin_miss(struct l1 *l1, const struct cache_place *place, uint64_t pa, uint64_t from,
                   enum l1_intent intent, struct mem_response *response)
{
    struct cache *cache = &l1->cache;
    bool is_prefetch = intent == L1_PREFETCH;
    uint32_t line = UINT32_C(1) << cache->line_shift, offset = (uint32_t)pa & (line - 1);
    const struct mem_request request = {
        .pa = pa, .now = from, .events = l1->events, .bytes = line,
        .hart = l1->hart, .is_write = intent == L1_WRITE,
        .is_fetch = !l1->set.is_data, .is_prefetch = is_prefetch, .is_kept = true,
        .takes_modified = l1->set.is_data,
    };
    struct mem_answer answer = memshared_read(l1->shared, &request);
    uint64_t end = mem_answer_end(&answer, line), delay = take_buffer(l1, answer.first, end);
    delay += l1->set.arrival_cycles;
    uint64_t freed = take_victim_buffer(l1, place->frame, from);
    delay = freed > end + delay ? freed - end : delay;
    struct l1_fill *fill = &l1->fill[place->miss_register];
    *fill = (struct l1_fill){
        .block = cache_block(cache, pa), .first = answer.first + delay,
        .offset = l1->set.refill == REFILL_CRITICAL_WORD ? offset : 0,
    };
    end += delay;
    if (!l1->is_plain)
        prefetch_track_fill(&l1->track, cache, place->frame, is_prefetch, l1->events);
    l1_write_back(l1, place->frame, from);
    l1->displaced = cache_line_at(cache, place->frame);
    cache->pending[place->miss_register] = end;
    l1->last_arrival = later(l1->last_arrival, end);
    cache_fill(cache, place->frame, fill->block, end);
    if (answer.is_dirty)
        cache->state[place->frame] = CACHE_MODIFIED;
    else if (answer.is_shared)
        cache->state[place->frame] = CACHE_SHARED;
    cache_change_seen(cache, place->frame);
    l1->blocked_until = later(l1->blocked_until, end);
    if (!l1->set.has_hit_under_miss)    /* else hits of other sets answer as before */
        known_lines_drop_all(&cache->known);
    *response = (struct mem_response){
        .ready = answer.beat_cycles != 0 ? word_arrival(l1, fill, offset, end) : end,
        .level = (uint8_t)(answer.level | (answer.is_peers ? MEM_PEER : 0)), .miss = true,
        .filled = true, .frame = place->frame,
        .block = pa & ~(uint64_t)(line - 1),
    };
}

uint32_t l1_put(struct l1 *l1, uint64_t pa, uint64_t now)
{
    struct cache *cache = &l1->cache;
    uint64_t block = cache_block(cache, pa);
    uint32_t frame = cache_find(cache, block);
    if (frame != CACHE_NO_FRAME)
        return frame;
    frame = cache_victim(cache, block, UINT64_MAX);
    l1_write_back(l1, frame, now);
    cache_fill(cache, frame, block, now);
    cache_change_seen(cache, frame);
    return frame;
}

static void move_arrival(struct l1 *l1, uint32_t frame, uint64_t cycles)
{
    struct cache *cache = &l1->cache;
    uint64_t was = cache->ready[frame];
    known_lines_drop_all(&cache->known);
    l1->moves++;
    l1->last_arrival = later(l1->last_arrival, was + cycles);
    cache->ready[frame] += cycles;
    for (uint32_t i = 0; i < cache->miss_registers; i++)
        if (l1->fill[i].block == cache->tag[frame] &&
            (cache->pending[i] == was || cache->pending[i] == UINT64_MAX)) {
            cache->pending[i] += cache->pending[i] == was ? cycles : 0;     /* or it is kept */
            l1->fill[i].first += cycles;
        }
    for (uint32_t i = 0; i < l1->set.fill_buffers; i++)
        if (l1->buffer[i] == was + l1->set.fill_cycles)
            l1->buffer[i] += cycles;
    if (l1->blocked_until == was)
        l1->blocked_until += cycles;
}

void l1_move_arrivals(struct l1 *l1, uint64_t pa, uint64_t end, uint64_t from, uint64_t cycles)
{
    const struct cache *cache = &l1->cache;
    for (; pa < end; pa += UINT64_C(1) << cache->line_shift) {
        uint32_t frame = cache_find(cache, cache_block(cache, pa));
        if (frame != CACHE_NO_FRAME && cache->ready[frame] >= from)
            move_arrival(l1, frame, cycles);
    }
}

static uint32_t frame_on_its_way(const struct l1 *l1, uint64_t now)
{
    for (uint32_t i = 0; i < l1->cache.miss_registers; i++)
        if (l1->cache.pending[i] > now)
            return cache_find(&l1->cache, l1->fill[i].block);
    return CACHE_NO_FRAME;
}

void l1_steer(struct l1 *l1, uint64_t pa, uint64_t now)
{
    enum { CHOICE_TO_READ = 2 };    /* cycles from the choice until the line can be read */
    struct cache *cache = &l1->cache;
    uint32_t ways = cache->ways, frame = frame_on_its_way(l1, now);
    if (now + CHOICE_TO_READ > l1->blocked_until || frame == CACHE_NO_FRAME)
        return;
    uint32_t way = cache_victim(cache, cache_block(cache, pa), UINT64_MAX) % ways;
    uint32_t chosen = frame - frame % ways + way;
    if (chosen != frame)
        cache_move(cache, frame, chosen, &l1->displaced);
}
