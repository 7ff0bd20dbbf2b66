/* See made_code.h. */
#include "prof/profile/made_code.h"

#include <stdlib.h>

#include "pmu/exact/calls.h"
#include "pmu/sorted.h"

static int compare_entries(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

enum err made_code_find(struct made_code *made, const struct profile *profile,
                        const struct symbols *symbols, struct diag *diag)
{
    *made = (struct made_code){.entry = malloc((profile->calls + 1) * sizeof *made->entry)};
    if (made->entry == NULL)
        return diag_no_memory(diag, "routines");
    for (size_t i = 1; i < profile->calls; i++)
        if (profile->call[i].kind != CALLS_TRAP &&
            symbols_at(symbols, profile->call[i].routine) == NULL)
            made->entry[made->entries++] = profile->call[i].routine;
    qsort(made->entry, made->entries, sizeof *made->entry, compare_entries);
    return ERR_OK;
}

void made_code_free(struct made_code *made)
{
    free(made->entry);
}

static bool is_up_to(const void *entry, const void *address)
{
    return *(const uint64_t *)entry <= *(const uint64_t *)address;
}

uint64_t made_code_routine(const struct made_code *made, uint64_t address)
{
    size_t after = sorted_place(made->entry, made->entries, sizeof *made->entry, is_up_to,
                                &address);

    return after != 0 ? made->entry[after - 1] : 0;
}
