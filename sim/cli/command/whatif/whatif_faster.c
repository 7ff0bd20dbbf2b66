/* The routines that rvsim whatif speeds up, by their addresses. */
#include <stdlib.h>

#include "pmu/sorted.h"
#include "sim/cli/command/whatif/whatif.h"

struct speed_range {
    uint64_t from, to;              /* [from, to) */
    int speed;
};

static bool is_up_to(const void *row, const void *va)
{
    const struct speed_range *range = row;

    return range->from <= *(const uint64_t *)va;
}

/* The speed of the routine at an address: that of the last range that begins at or before it. */
static int speed_of(void *arg, uint64_t va)
{
    const struct speeds *speeds = arg;
    size_t above = sorted_place(speeds->range, speeds->ranges, sizeof speeds->range[0], is_up_to,
                                &va);

    return above != 0 && va < speeds->range[above - 1].to ? speeds->range[above - 1].speed : -1;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct speed_range *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

/* ---- collecting ------------------------------------------------------------------------------ */

/* The end of the code that symbols_at() finds in the routine: its own end, or the next symbol. */
static uint64_t end_of(const struct symbols *symbols, const struct symbols_entry *routine)
{
    uint64_t end = routine->address;

    while (symbols_at(symbols, end) == routine)
        end += 2;
    return end;
}

static enum err add_routine(struct speeds *speeds, const struct whatif *whatif,
                            const struct change *change, struct diag *diag)
{
    const struct symbols *symbols = changes_symbols(whatif, change->routine);
    size_t count;
    const struct symbols_entry **entry = symbols_functions(symbols, change->routine, &count);
    struct speed_range *more = entry == NULL
                                   ? NULL : realloc(speeds->range, (speeds->ranges + count + 1) *
                                                                       sizeof *more);

    if (more == NULL) {
        free(entry);
        return diag_no_memory(diag, "routines");
    }
    speeds->range = more;
    for (size_t i = 0; i < count; i++) {
        const struct symbols_entry *found = symbols_at(symbols, entry[i]->address);

        if (found != NULL && found->address == entry[i]->address)
            more[speeds->ranges++] = (struct speed_range){
                found->address, end_of(symbols, found), (int)speeds->faster.speeds,
            };
    }
    speeds->faster.thousandths[speeds->faster.speeds++] = change->thousandths;
    free(entry);
    return ERR_OK;
}

static enum err sort_ranges(struct speeds *speeds, struct diag *diag)
{
    if (speeds->ranges != 0)
        qsort(speeds->range, speeds->ranges, sizeof speeds->range[0], compare_ranges);
    for (size_t i = 1; i < speeds->ranges; i++)
        if (speeds->range[i].from < speeds->range[i - 1].to)
            return diag_set(diag, ERR_USAGE, "whatif: --together: 0x%llx belongs to two of "
                            "--faster", (unsigned long long)speeds->range[i].from);
    return ERR_OK;
}

enum err speeds_open(struct speeds *speeds, const struct whatif *whatif,
                     const struct change *change, bool *is_any, struct diag *diag)
{
    enum err err = ERR_OK;

    *speeds = (struct speeds){.faster = {.speed_of = speed_of, .arg = speeds}};
    for (unsigned i = 0; i < whatif->changes && err == ERR_OK; i++) {
        const struct change *each = &whatif->change[i];

        if (each->kind == CHANGE_FASTER && (each == change || change->kind == CHANGE_TOGETHER))
            err = add_routine(speeds, whatif, each, diag);
    }
    if (err == ERR_OK)
        err = sort_ranges(speeds, diag);
    *is_any = speeds->ranges != 0;
    if (err != ERR_OK)
        speeds_close(speeds);
    return err;
}

void speeds_close(struct speeds *speeds)
{
    faster_end(&speeds->faster);
    free(speeds->range);
    speeds->range = NULL;
}
