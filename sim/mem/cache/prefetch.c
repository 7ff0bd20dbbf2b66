/* The table of prefetchers; see prefetch.h. The ones that propose nothing are here: none, and the
 * staged prefetcher, which requests by itself (l1_prefetch.c). */
#include "sim/mem/cache/prefetch.h"

#include <stdlib.h>

#include "sim/mem/cache/prefetch_staged.h"

/* Bits that the staged prefetcher compares of a pc and an address; bits of a stride and of a place
 * in program order. */
enum { PC_BITS = 15, ADDRESS_BITS = 40, STRIDE_BITS = 13, SEQUENCE_BITS = 7 };

static unsigned train_nothing(struct prefetcher *prefetcher, const struct prefetch_access *access,
                              uint64_t *pa)
{
    (void)prefetcher, (void)access, (void)pa;
    return 0;
}

#define PREFETCH(id, name, caches, settings, meaning) \
    extern const struct prefetch_model prefetch_##name;
#include "sim/base/prefetch.def"
#undef PREFETCH

const struct prefetch_model prefetch_none = {.train = train_nothing};
const struct prefetch_model prefetch_staged = {
    .state_bytes = sizeof(struct prefetch_staged), .train = train_nothing,
    .storage_bits = STAGED_FILTERS * (PC_BITS + 1 + 8 + 3) +
                    (STAGED_STREAMS + 1) * (PC_BITS + 3 * ADDRESS_BITS + STRIDE_BITS) +
                    STAGED_DETECTORS * (PC_BITS + 8 +
                                        STAGED_SAMPLES * (ADDRESS_BITS + SEQUENCE_BITS)),
};

static const struct prefetch_model *const models[] = {
#define PREFETCH(id, name, caches, settings, meaning) &prefetch_##name,
#include "sim/base/prefetch.def"
#undef PREFETCH
};

bool prefetch_init(struct prefetcher *prefetcher, uint32_t kind, uint32_t line_bytes,
                   unsigned degree)
{
    const struct prefetch_model *model = models[kind];

    *prefetcher = (struct prefetcher){
        .model = model, .line_shift = (unsigned)__builtin_ctz(line_bytes), .degree = degree,
        .state = model->state_bytes != 0 ? calloc(1, model->state_bytes) : NULL,
    };
    if (model->state_bytes != 0 && prefetcher->state == NULL)
        return false;
    if (model->init != NULL)
        model->init(prefetcher);
    return true;
}

void prefetch_free(struct prefetcher *prefetcher)
{
    free(prefetcher->state);
    prefetcher->state = NULL;
}

uint64_t prefetch_storage_bits(uint32_t kind)
{
    return models[kind]->storage_bits;
}
