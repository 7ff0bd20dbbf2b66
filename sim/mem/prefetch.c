/* See prefetch.h. */
#include "sim/mem/prefetch.h"

enum { PAGE_BITS = 12 };

unsigned prefetch_train(struct prefetch *prefetch, uint64_t pc, uint64_t miss_pa,
                        uint64_t pa[PREFETCH_DEGREE])
{
    struct prefetch_entry *entry = &prefetch->entries[(pc >> 1 ^ pc >> 7) % PREFETCH_ENTRIES];
    int64_t stride = (int64_t)(miss_pa - entry->pa);
    if (entry->pc != pc) {
        *entry = (struct prefetch_entry){.pc = pc, .pa = miss_pa};
        return 0;
    }
    if (stride != entry->stride || stride == 0)
        entry->confidence = 0;
    entry->stride = stride;
    entry->pa = miss_pa;
    if (++entry->confidence < PREFETCH_TRUST)
        return 0;
    entry->confidence = PREFETCH_TRUST;
    unsigned count = 0;
    for (uint64_t next = miss_pa + (uint64_t)stride; count < PREFETCH_DEGREE;
         next += (uint64_t)stride) {
        if (next >> PAGE_BITS != miss_pa >> PAGE_BITS)
            break;
        pa[count++] = next;
    }
    return count;
}
