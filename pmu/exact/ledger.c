/* See ledger.h. */
#include "pmu/exact/ledger.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

void ledger_free(struct ledger *ledger)
{
    free(ledger->row);
    *ledger = (struct ledger){0};
}

/* The row of the pair, or the free row where it belongs. There must be a free row. */
static struct ledger_row *find(const struct ledger *ledger, uint64_t place, uint32_t thread)
{
    uint64_t hash = (place ^ (uint64_t)thread << 40) * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t at = hash >> 20;; at++) {
        struct ledger_row *row = &ledger->row[at & (ledger->room - 1)];

        if (!row->is_used || (row->place == place && row->thread == thread))
            return row;
    }
}

static bool grow(struct ledger *ledger)
{
    struct ledger grown = {.rows = ledger->rows,
                           .room = ledger->room != 0 ? 2 * ledger->room : ROOM_FIRST};

    grown.row = calloc(grown.room, sizeof *grown.row);
    if (grown.row == NULL) {
        ledger->has_failed = true;
        return false;
    }
    for (size_t i = 0; i < ledger->room; i++)
        if (ledger->row[i].is_used)
            *find(&grown, ledger->row[i].place, ledger->row[i].thread) = ledger->row[i];
    free(ledger->row);
    *ledger = grown;
    return true;
}

void ledger_add(struct ledger *ledger, uint64_t place, uint32_t thread,
                const uint64_t value[LEDGER_VALUES])
{
    struct ledger_row *row;

    if (2 * ledger->rows >= ledger->room && !grow(ledger))
        return;
    row = find(ledger, place, thread);
    if (!row->is_used) {
        *row = (struct ledger_row){.place = place, .thread = thread, .is_used = true};
        ledger->rows++;
    }
    for (unsigned i = 0; i < LEDGER_VALUES; i++)
        row->value[i] += value[i];
}

static bool is_empty(const struct ledger_row *row)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < LEDGER_VALUES; i++)
        any |= row->value[i];
    return any == 0;
}

static int compare(const void *a, const void *b)
{
    const struct ledger_row *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

struct ledger_row *ledger_sorted(const struct ledger *ledger, size_t *rows)
{
    struct ledger_row *sorted = calloc(ledger->rows + 1, sizeof *sorted);

    *rows = 0;
    for (size_t i = 0; sorted != NULL && i < ledger->room; i++)
        if (ledger->row[i].is_used && !is_empty(&ledger->row[i]))
            sorted[(*rows)++] = ledger->row[i];
    if (*rows != 0)
        qsort(sorted, *rows, sizeof *sorted, compare);
    return sorted;
}
