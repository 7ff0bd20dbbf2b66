/* Next line: see prefetch.h. It remembers nothing. */
#include "sim/mem/cache/prefetch.h"

static unsigned train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                      uint64_t *pa)
{
    uint64_t bytes = UINT64_C(1) << prefetcher->line_shift, access_pa = access->pa;
    uint64_t next = (access_pa & ~(bytes - 1)) + bytes;
    unsigned count = 0;
    for (; count < prefetcher->degree && prefetch_same_page(next, access_pa); next += bytes)
        pa[count++] = next;
    return count;
}

const struct prefetch_model prefetch_next_line = {.train = train};
