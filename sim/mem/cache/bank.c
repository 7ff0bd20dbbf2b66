/* See bank.h. */
#include "sim/mem/cache/bank.h"

#include <stdlib.h>

#include "sim/base/cycle.h"

bool banks_init(struct banks *banks)
{
    if (banks->cycles == 0 || banks->place + banks->fill + banks->share + banks->reads == 0)
        return true;
    banks->bank = calloc(banks->count, sizeof banks->bank[0]);
    return banks->bank != NULL;
}

void banks_free(struct banks *banks)
{
    free(banks->bank);
    banks->bank = NULL;
}

static struct bank *bank_of(const struct banks *banks, uint64_t block)
{
    return &banks->bank[block & (banks->count - 1)];
}

/* Occupies the bank for `cycles` free cycles from `now` on, and returns the first. An access that
 * was already promised one of the cycles in between keeps its answer. */
static uint64_t take(struct bank *bank, uint64_t now, uint32_t cycles)
{
    uint64_t start = now;
    while (bank->taken[start % BANK_WINDOW] == start + 1)
        start++;
    for (uint64_t at = start; cycles != 0; at++) {
        cycles -= bank->taken[at % BANK_WINDOW] != at + 1;
        bank->taken[at % BANK_WINDOW] = at + 1;
    }
    return start;
}

uint64_t banks_come(struct banks *banks, uint64_t block, uint64_t now, uint32_t accesses)
{
    struct bank *bank = bank_of(banks, block);
    uint64_t next = now;
    for (uint32_t i = 0; i < accesses; i++)
        next = take(bank, next, banks->cycles) + banks->cycles;
    return next - (uint64_t)accesses * banks->cycles;
}

/* The read slot that becomes free first; the next read takes it. */
static uint64_t *first_read(const struct banks *banks, uint64_t block)
{
    return first_free(bank_of(banks, block)->read, banks->reads);
}

uint64_t banks_room(const struct banks *banks, uint64_t block, uint64_t now)
{
    return banks->bank == NULL || banks->reads == 0 ? now : later(now, *first_read(banks, block));
}

void banks_leave(struct banks *banks, uint64_t block, uint64_t now)
{
    if (banks->reads != 0)
        *first_read(banks, block) = now;
}
