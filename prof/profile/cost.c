/* Sums of the oracle profile; see cost.h. */
#include "prof/profile/cost.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/exact/topdown.h"
#include "pmu/sorted.h"
#include "prof/profile/made_code.h"

/* ---- which costs belong together ------------------------------------------------------------- */

/* Compares the places of rows; rows are first ordered by place, then by time. */
static int compare_places(const void *a, const void *b)
{
    const struct cost_row *x = a, *y = b;
    int order = (x->is_monitor > y->is_monitor) - (x->is_monitor < y->is_monitor);

    if (order != 0 || x->is_monitor)
        return order;
    if (x->entry != y->entry)
        return x->entry == NULL || (y->entry != NULL && x->entry > y->entry) ? 1 : -1;
    if (x->made != y->made)
        return x->made > y->made ? 1 : -1;
    if (x->line == NULL || y->line == NULL)
        return (x->line == NULL) - (y->line == NULL);
    order = strcmp(x->line->file, y->line->file);
    return order != 0 ? order : (x->line->line > y->line->line) - (x->line->line < y->line->line);
}

static int compare_costs(const void *a, const void *b)
{
    const struct cost_row *x = a, *y = b;

    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    if (x->is_monitor != y->is_monitor)
        return x->is_monitor ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

void cost_sort(struct cost_row *row, size_t rows)
{
    qsort(row, rows, sizeof *row, compare_costs);
}

static struct cost_row row_of(const struct profile_cost *cost, const uint8_t *causes,
                              const struct symbols *symbols, const struct made_code *made,
                              enum cost_by by)
{
    struct cost_row row = {
        .address = cost->address, .is_monitor = cost->is_monitor, .units = cost->units,
        .count = cost->count,
    };

    if (!cost->is_monitor && by == COST_BY_SYMBOL)
        row.entry = symbols_at(symbols, cost->address);
    if (!cost->is_monitor && by == COST_BY_SYMBOL && row.entry == NULL)
        row.made = made_code_routine(made, cost->address);
    if (row.made != 0)
        row.address = row.made;
    if (!cost->is_monitor && by == COST_BY_LINE)
        row.line = symbols_line_at(symbols, cost->address);
    cost_add_causes(causes, cost, row.cause);
    return row;
}

static void add_row(struct cost_row *to, const struct cost_row *row)
{
    to->units += row->units;
    to->count += row->count;
    for (unsigned cause = 0; cause < EVENT_CAUSES; cause++)
        to->cause[cause] += row->cause[cause];
    if (row->address < to->address)
        to->address = row->address;
}

/* Adds rows of one place that follow each other. */
static size_t join(struct cost_row *row, size_t rows)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows; i++) {
        if (kept != 0 && compare_places(&row[kept - 1], &row[i]) == 0)
            add_row(&row[kept - 1], &row[i]);
        else
            row[kept++] = row[i];
    }
    return kept;
}

enum err cost_rows(const struct profile *profile, const struct symbols *symbols, enum cost_by by,
                   struct cost_row **row, size_t *rows, struct diag *diag)
{
    uint8_t *causes = cost_causes(profile);
    struct made_code made;
    enum err err = made_code_find(&made, profile, symbols, diag);

    *row = calloc(profile->costs + 1, sizeof **row);
    if (err == ERR_OK && (*row == NULL || causes == NULL))
        err = diag_no_memory(diag, "the oracle profile");
    for (size_t i = 0; i < profile->costs && err == ERR_OK; i++)
        (*row)[i] = row_of(&profile->cost[i], causes, symbols, &made, by);
    made_code_free(&made);
    free(causes);
    if (err != ERR_OK)
        return err;
    *rows = join(*row, profile->costs);         /* most of them: neighbours are of one routine */
    qsort(*row, *rows, sizeof **row, compare_places);
    *rows = join(*row, *rows);
    cost_sort(*row, *rows);
    return ERR_OK;
}

/* ---- causes ---------------------------------------------------------------------------------- */

uint8_t *cost_causes(const struct profile *profile)
{
    uint8_t *causes = malloc(profile->events + 1);
    unsigned code = EVENT_NONE;

    for (size_t i = 0; causes != NULL && i < profile->events; i++) {
        code = event_by_name_after(code, profile->event_name[i]);
        causes[i] = (uint8_t)(event_scope(code) == SCOPE_CPI ? code - EVENT_CPI_BASE
                                                              : EVENT_CAUSES);
    }
    return causes;
}

void cost_add_causes(const uint8_t *causes, const struct profile_cost *cost,
                     uint64_t cause[EVENT_CAUSES])
{
    for (size_t i = 0; i < cost->events; i++)
        if (causes[cost->event[i].event] != EVENT_CAUSES)
            cause[causes[cost->event[i].event]] += cost->event[i].count;
}

uint64_t cost_of_word(const struct profile *profile, uint64_t units,
                      const uint64_t cause[EVENT_CAUSES], unsigned word)
{
    uint64_t of_word = 0, waiting = 0;

    for (unsigned i = 1; i < EVENT_CAUSES; i++) {
        of_word += topdown_word_of_cause(EVENT_CPI_BASE + i) == word ? cause[i] : 0;
        waiting += cause[i];
    }
    if (word == topdown_word_of_cause(EVENT_CPI_BASE))
        return units - waiting * profile->units_per_cycle;
    return of_word * profile->units_per_cycle;
}

/* ---- one row --------------------------------------------------------------------------------- */

const char *cost_name(const struct cost_row *row, enum cost_by by, const struct symbols *symbols,
                      char text[SYMBOLS_TEXT])
{
    if (row->is_monitor)
        return "(monitor)";
    if (by == COST_BY_LINE)
        return row->line != NULL ? symbols_describe_line(symbols, row->address, text) : "(no line)";
    return symbols_describe(symbols, row->entry != NULL ? row->entry->address : row->address, text);
}

static bool is_before(const void *row, const void *address)
{
    const struct profile_cost *cost = row;

    return !cost->is_monitor && cost->address < *(const uint64_t *)address;
}

const struct profile_cost *cost_at(const struct profile *profile, uint64_t address)
{
    size_t at = sorted_place(profile->cost, profile->costs, sizeof profile->cost[0], is_before,
                             &address);

    if (at == profile->costs || profile->cost[at].is_monitor ||
        profile->cost[at].address != address)
        return NULL;
    return &profile->cost[at];
}

double cost_cycles(const struct profile *profile, uint64_t units)
{
    return profile->units_per_cycle != 0 ? (double)units / (double)profile->units_per_cycle : 0;
}
