/* See api_view.h. */
#include "prof/api/api_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct api_bucket *api_slot(const struct api_row *row, unsigned slot)
{
    return &row->bucket[slot == 0 ? API_ZERO : slot - 1];
}

void api_span_add(struct api_span *span, const struct api_row *row)
{
    for (unsigned slot = 0; slot < API_SLOTS; slot++) {
        if (api_slot(row, slot)->count == 0)
            continue;
        if (slot < span->first)
            span->first = slot;
        if (slot > span->last)
            span->last = slot;
    }
}

uint64_t api_most(const struct api_row *row)
{
    uint64_t most = 1;

    for (unsigned i = 0; i < API_SLOTS; i++)
        if (row->bucket[i].count > most)
            most = row->bucket[i].count;
    return most;
}

const char *api_range(unsigned slot, char text[API_RANGE_TEXT])
{
    uint64_t first = slot == 0 ? 0 : (uint64_t)1 << (slot - 1);
    uint64_t last = slot == 0 ? 0 : first - 1 + first;

    if (first == last)
        snprintf(text, API_RANGE_TEXT, "%" PRIu64, first);
    else
        snprintf(text, API_RANGE_TEXT, "%" PRIu64 " to %" PRIu64, first, last);
    return text;
}

/* The key that orders rows. */
struct key { const struct api_row *row; const char *name; uint64_t sum; };

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum err sort_rows(struct api_view *view, struct diag *diag)
{
    struct key *key = malloc((view->rows + 1) * sizeof *key);

    if (key == NULL)
        return diag_no_memory(diag, "a table of costs");
    for (size_t i = 0; i < view->rows; i++)
        key[i] = (struct key){view->row[i], view->table->function.text[view->row[i]->function],
                              api_row_total(view->row[i]).sum};
    qsort(key, view->rows, sizeof *key, compare);
    for (size_t i = 0; i < view->rows; i++)
        view->row[i] = key[i].row;
    free(key);
    return ERR_OK;
}

enum err api_view_make(struct api_view *view, const struct api_table *table, uint32_t cost,
                       enum api_scope scope, struct diag *diag)
{
    *view = (struct api_view){
        .table = table, .cost = table->cost.text[cost], .scope = scope, .span = {API_SLOTS, 0},
    };
    view->row = malloc((table->rows + 1) * sizeof(void *));
    if (view->row == NULL)
        return diag_no_memory(diag, "a table of costs");
    for (size_t i = 0; i < table->rows; i++) {
        const struct api_row *row = &table->row[i];

        if (row->cost != cost || row->scope != scope)
            continue;
        view->row[view->rows++] = row;
        api_span_add(&view->span, row);
        for (unsigned slot = 0; slot < API_SLOTS; slot++)
            view->is_used[slot] |= api_slot(row, slot)->count != 0;
    }
    return sort_rows(view, diag);
}

void api_view_free(struct api_view *view)
{
    free(view->row);
}
