/* See spike_taint.h. */
#include "sim/run/check/spike_taint.h"

#include <stdlib.h>

enum { ENTRIES = 1 << 16 };

bool spike_taint_init(struct spike_taint *taint)
{
    *taint = (struct spike_taint){.entry = calloc(ENTRIES, sizeof taint->entry[0])};
    return taint->entry != NULL;
}

void spike_taint_free(struct spike_taint *taint)
{
    free(taint->entry);
    taint->entry = NULL;
}

static uint64_t *find(const struct spike_taint *taint, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 48;

    while (taint->entry[at % ENTRIES] != 0 && taint->entry[at % ENTRIES] != key)
        at++;
    return &taint->entry[at % ENTRIES];
}

static uint64_t key_of(uint64_t va)
{
    return (va >> 3) + 1;               /* never 0 */
}

bool spike_taint_meets(const struct spike_taint *taint, uint64_t va, unsigned bytes)
{
    return *find(taint, key_of(va)) != 0 || *find(taint, key_of(va + bytes - 1)) != 0;
}

/* Never more than half full, so that every search ends. */
bool spike_taint_add(struct spike_taint *taint, uint64_t va, unsigned bytes)
{
    for (unsigned i = 0; i < 2; i++, va += bytes - 1) {
        uint64_t *entry = find(taint, key_of(va));
        if (*entry != 0)
            continue;
        if (taint->used == ENTRIES / 2)
            return false;
        taint->used++;
        *entry = key_of(va);
    }
    return true;
}

/* Entries after the hole are inserted again. */
void spike_taint_remove(struct spike_taint *taint, uint64_t va)
{
    uint64_t *entry = find(taint, key_of(va));
    uint64_t at = (uint64_t)(entry - taint->entry);

    if (*entry == 0)
        return;
    *entry = 0;
    taint->used--;
    for (at = (at + 1) % ENTRIES; taint->entry[at] != 0; at = (at + 1) % ENTRIES) {
        uint64_t key = taint->entry[at];
        taint->entry[at] = 0;
        *find(taint, key) = key;
    }
}
