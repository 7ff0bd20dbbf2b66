/* Samples under way, in order of their keys; each key has a number of samples. When the queue is
 * full, further samples are lost. */
#ifndef PMU_SCHEME_SCHEME_WAITING_H
#define PMU_SCHEME_SCHEME_WAITING_H

#include <stdint.h>

enum { WAITING_MAX = 1024 };

struct waiting {
    struct { uint64_t key, samples; } entry[WAITING_MAX];
    unsigned first, entries;
};

static inline void waiting_add(struct waiting *waiting, uint64_t key, uint64_t samples)
{
    unsigned at = (waiting->first + waiting->entries) % WAITING_MAX;

    if (samples == 0 || waiting->entries == WAITING_MAX)
        return;
    waiting->entry[at].key = key;
    waiting->entry[at].samples = samples;
    waiting->entries++;
}

/* The smallest key; UINT64_MAX: the queue is empty. */
static inline uint64_t waiting_key(const struct waiting *waiting)
{
    return waiting->entries != 0 ? waiting->entry[waiting->first].key : UINT64_MAX;
}

/* Removes the smallest key, which must exist. Returns its samples. */
static inline uint64_t waiting_take(struct waiting *waiting)
{
    uint64_t samples = waiting->entry[waiting->first].samples;

    waiting->first = (waiting->first + 1) % WAITING_MAX;
    waiting->entries--;
    return samples;
}

#endif
