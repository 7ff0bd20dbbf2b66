/* Next line: see prefetch.h. It remembers nothing. */
#include "sim/mem/cache/prefetch.h"

unsigned prefetch_next_line(const struct prefetcher *prefetcher, uint64_t access_pa, uint64_t *pa)
{
    uint64_t bytes = UINT64_C(1) << prefetcher->line_shift;
    uint64_t next = (access_pa & ~(bytes - 1)) + bytes;
    unsigned count = 0;
    for (; count < prefetcher->degree && prefetch_same_page(next, access_pa); next += bytes)
        pa[count++] = next;
    return count;
}
