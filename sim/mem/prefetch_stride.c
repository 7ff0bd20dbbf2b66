/* Stride: see prefetch.h. A distance seen STRIDE_TRUST times in a row is trusted; then the next
 * addresses of the sequence are proposed. With patience the first accesses of an instruction only
 * count, and again when its distance changes: in the C910 a table of instructions is in front of
 * that of distances (ct_lsu_pfu_pmb_entry.v, ct_lsu_pfu_sdb_entry.v). */
#include "sim/mem/prefetch.h"

unsigned prefetch_stride(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa)
{
    uint64_t pc = access->pc, at = access->pa;
    struct stride_entry *entry =
        &prefetcher->stride.entries[(pc >> 1 ^ pc >> 7) % STRIDE_ENTRIES];
    int64_t stride = (int64_t)(at - entry->pa);
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
    unsigned count = 0;
    for (uint64_t next = at + (uint64_t)stride;
         count < prefetcher->degree && prefetch_same_page(next, at); next += (uint64_t)stride)
        pa[count++] = next;
    return count;
}
