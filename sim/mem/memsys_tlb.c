/* Translation in one hart's memory system: the time of TLBs and page walks. */
#include "sim/mem/memsys.h"

#include "pmu/pmu.h"
#include "sim/base/cycle.h"
#include "sim/mem/memsys_internal.h"

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
