/* The table of replacement policies; see replace.h. */
#include "sim/mem/cache/replace.h"

#include <stdlib.h>

#define REPLACEMENT(id, name, meaning) extern const struct replacement replacement_##name;
#include "sim/base/replacement.def"
#undef REPLACEMENT

static uint64_t order_bits(uint32_t sets, uint32_t ways)
{
    return (uint64_t)replace_way_bits(ways) * ways * sets;
}

const struct replacement replacement_lru = {.storage_bits = order_bits};

static const struct replacement *const policies[] = {
#define REPLACEMENT(id, name, meaning) &replacement_##name,
#include "sim/base/replacement.def"
#undef REPLACEMENT
};

bool replace_init(struct replace *replace, uint32_t policy, uint32_t sets, uint32_t ways,
                  uint64_t seed)
{
    const struct replacement *chosen = policies[policy];

    *replace = (struct replace){
        .policy = chosen, .is_lru = policy == REPLACE_LRU, .sets = sets, .ways = ways,
        .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1,
    };
    if (chosen->state_bytes != NULL) {
        replace->state = calloc(1, chosen->state_bytes(sets, ways));
        if (replace->state == NULL)
            return false;
    }
    if (chosen->init != NULL)
        chosen->init(replace);
    return true;
}

void replace_free(struct replace *replace)
{
    free(replace->state);
    *replace = (struct replace){0};
}

uint64_t replace_storage_bits(uint32_t policy, uint32_t sets, uint32_t ways)
{
    return policies[policy]->storage_bits(sets, ways);
}
