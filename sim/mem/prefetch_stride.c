/* Stride: see prefetch.h. A distance seen STRIDE_TRUST times in a row is trusted; then the next
 * addresses of the sequence are proposed. */
#include "sim/mem/prefetch.h"

unsigned prefetch_stride(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa)
{
    uint64_t pc = access->pc, at = access->pa;
    struct stride_entry *entry =
        &prefetcher->stride.entries[(pc >> 1 ^ pc >> 7) % STRIDE_ENTRIES];
    int64_t stride = (int64_t)(at - entry->pa);
    if (entry->pc != pc) {
        *entry = (struct stride_entry){.pc = pc, .pa = at};
        return 0;
    }
    if (stride != entry->stride || stride == 0)
        entry->confidence = 0;
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
