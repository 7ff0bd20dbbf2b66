/* Stride: see prefetch.h. A distance seen STRIDE_TRUST times in a row is trusted; then the next
 * addresses of the sequence are proposed. With patience the first accesses of an instruction only
 * count, and again when its distance changes: in the C910 a table of instructions is in front of
 * that of distances (ct_lsu_pfu_pmb_entry.v, ct_lsu_pfu_sdb_entry.v).
 * With a distance, a trusted sequence runs ahead of the program from its next miss on, line by line
 * or by the lines of a longer step, as fast as there is room, to the end of the page (C906:
 * aq_lsu_pfb.v, PF_INIT, PF_REQ, PF_SUSP). */
#include "sim/mem/prefetch.h"

#include <stddef.h>

static int64_t step_of(const struct prefetcher *prefetcher, const struct stride_entry *entry)
{
    int64_t lines = entry->stride / (INT64_C(1) << prefetcher->line_shift);
    return lines != 0 ? lines : entry->stride > 0 ? 1 : -1;
}

/* Steps from the last access to the line proposed last; negative: it has been overtaken. */
static int64_t lead_of(const struct prefetcher *prefetcher, const struct stride_entry *entry)
{
    return (int64_t)(entry->ahead - (entry->pa >> prefetcher->line_shift)) /
           step_of(prefetcher, entry);
}

static unsigned run_ahead(const struct prefetcher *prefetcher, struct stride_entry *entry,
                          bool is_miss, uint64_t *pa)
{
    unsigned shift = prefetcher->line_shift, count = 0;
    int64_t lead = lead_of(prefetcher, entry);
    if (entry->ahead == 0 && !is_miss)
        return 0;
    if (entry->ahead == 0 || lead < 0 || lead > (int64_t)prefetcher->distance) {
        entry->ahead = entry->pa >> shift;
        lead = 0;
    }
    while (count < prefetcher->degree && lead < (int64_t)prefetcher->distance) {
        uint64_t next = entry->ahead + (uint64_t)step_of(prefetcher, entry);
        if (!prefetch_same_page(next << shift, entry->pa))
            break;
        entry->ahead = next;
        pa[count++] = next << shift;
        lead++;
    }
    return count;
}

void prefetch_stride_refuse(struct prefetcher *prefetcher, uint64_t pa)
{
    struct stride_entry *entry = prefetcher->stride.trained;
    if (entry != NULL && entry->stride != 0)
        entry->ahead = (pa >> prefetcher->line_shift) - (uint64_t)step_of(prefetcher, entry);
}

unsigned prefetch_stride(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa)
{
    uint64_t pc = access->pc, at = access->pa;
    struct stride_entry *entry =
        &prefetcher->stride.entries[(pc >> 1 ^ pc >> 7) % STRIDE_ENTRIES];
    int64_t stride = (int64_t)(at - entry->pa);
    prefetcher->stride.trained = entry;
    if (entry->pc != pc) {
        *entry = (struct stride_entry){.pc = pc, .pa = at, .wait = prefetcher->patience};
        return 0;
    }
    if (entry->wait != 0) {
        entry->wait--;
        entry->pa = at;
        return 0;
    }
    if (stride != entry->stride || stride == 0) {
        if (prefetcher->patience != 0 && entry->confidence != 0) {
            *entry = (struct stride_entry){.pc = pc, .pa = at, .wait = prefetcher->patience};
            return 0;
        }
        entry->confidence = 0;
    }
    entry->stride = stride;
    entry->pa = at;
    if (++entry->confidence < STRIDE_TRUST)
        return 0;
    entry->confidence = STRIDE_TRUST;
    if (prefetcher->distance != 0)
        return run_ahead(prefetcher, entry, access->is_miss, pa);
    unsigned count = 0;
    for (uint64_t next = at + (uint64_t)stride;
         count < prefetcher->degree && prefetch_same_page(next, at); next += (uint64_t)stride)
        pa[count++] = next;
    return count;
}
