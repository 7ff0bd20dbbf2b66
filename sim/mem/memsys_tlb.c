/* Timing of translation in one hart's memory system: TLBs and page walks. */
#include "sim/mem/memsys.h"

#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/mem/memsys_internal.h"
#include "sim/mem/phys.h"

static uint64_t read_past(struct memsys *memsys, uint64_t pa, uint64_t now)
{
    const struct mem_request request = {
        .pa = pa, .now = now, .events = memsys->events, .bytes = memsys->walker.entry_bytes,
    };
    return memshared_read(memsys->shared, &request).first;
}

/* Reads a page-table entry through the data cache. Walks are timed ahead of the clock, and their
 * changes are visible to all accesses from now on. Their lines are not answers to accesses, so
 * shadow frames follow later. If every miss register is kept indefinitely, the entry is read past
 * the cache. */
uint64_t memsys_read_entry(struct memsys *memsys, uint64_t pa, uint64_t now)
{
    struct l1 *l1d = &memsys->l1d;
    struct cache *cache = &l1d->cache;
    struct mem_response response;
    uint32_t frame = cache_use(cache, cache_block(cache, pa));
    uint8_t taken = memsys->taken_register;
    memsys->events[EVENT_L1D_READ]++;
    if (frame != CACHE_NO_FRAME)
        return later(cache->ready[frame], now + l1d->set.hit_cycles);
    memsys->events[EVENT_L1D_READ_MISS]++;
    while (!memsys_begin_data_miss(memsys, pa, L1_READ, now, &response)) {
        uint64_t next = cache->pending[cache_register(cache)];
        if (next == UINT64_MAX)
            return read_past(memsys, pa, now);
        now = later(next, now + 1);
    }
    memsys->taken_register = taken;
    cache_note_change(cache, response.frame);
    return response.ready;
}

static uint64_t miss_tlb(struct memsys *memsys, struct tlb *tlb, uint64_t va, unsigned page_bits,
                         const uint64_t *pte, unsigned levels, uint64_t now, uint64_t *walks)
{
    now += memsys->l2tlb_cycles;
    const struct tlb_l2_entry *entry = tlb_l2_use(&memsys->l2tlb, va, page_bits);
    if (entry != NULL) {
        now = later(now, entry->ready);
    } else {
        ++*walks;
        now = walker_walk(&memsys->walker, pte, levels, now);
        tlb_l2_fill(&memsys->l2tlb, va, page_bits, now);
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

void memsys_set_entry_bytes(struct memsys *memsys, uint32_t bytes)
{
    memsys->walker.entry_bytes = bytes;
}

static bool find_translation(struct tlb *tlb, uint64_t va, uint64_t now, uint64_t *ready)
{
    const struct tlb_entry *entry = tlb_use(tlb, va);
    if (entry == NULL)
        return false;
    *ready = later(now, entry->ready);
    return true;
}

bool memsys_itlb_hit(struct memsys *memsys, uint64_t va, uint64_t now, uint64_t *ready)
{
    return find_translation(&memsys->itlb, va, now, ready);
}

bool memsys_dtlb_hit(struct memsys *memsys, uint64_t va, uint64_t now, uint64_t *ready)
{
    return find_translation(&memsys->dtlb, va, now, ready);
}

/* Marks physical pages in the TLB: no canonical address has this bit set and the next one clear. */
#define BARE_BIT 62

static uint64_t bare(uint64_t pa)
{
    return pa | UINT64_C(1) << BARE_BIT;
}

bool memsys_dtlb_hit_bare(struct memsys *memsys, uint64_t pa, uint64_t now, uint64_t *ready)
{
    return find_translation(&memsys->dtlb, bare(pa), now, ready);
}

void memsys_dtlb_fill_bare(struct memsys *memsys, uint64_t pa, uint64_t ready)
{
    tlb_fill(&memsys->dtlb, bare(pa), PHYS_PAGE_BITS, ready);
}

void memsys_flush_tlbs(struct memsys *memsys)
{
    tlb_flush(&memsys->itlb);
    tlb_flush(&memsys->dtlb);
    tlb_l2_flush(&memsys->l2tlb);
    walker_flush(&memsys->walker);
}

void memsys_exchange_tlbs(struct memsys *a, struct memsys *b)
{
    struct tlb itlb = a->itlb, dtlb = a->dtlb;
    struct tlb_l2 l2tlb = a->l2tlb;

    a->itlb = b->itlb;
    a->dtlb = b->dtlb;
    a->l2tlb = b->l2tlb;
    b->itlb = itlb;
    b->dtlb = dtlb;
    b->l2tlb = l2tlb;
}
