/* See difference.h. */
#include "prof/compare/difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 512 };

/* ---- measures -------------------------------------------------------------------------------- */

static bool has_measure(const struct points *points, const char *name)
{
    for (unsigned k = 0; k < points->measures; k++)
        if (strcmp(points->measure[k].name, name) == 0)
            return true;
    return false;
}

static void common(const struct points *a, const struct points *b, char list[LIST_BYTES])
{
    size_t length = 0;

    list[0] = '\0';
    for (unsigned k = 0; k < a->measures; k++)
        if (has_measure(b, a->measure[k].name) && length < LIST_BYTES)
            length += (size_t)snprintf(list + length, LIST_BYTES - length, "%s%s",
                                       length != 0 ? "," : "", a->measure[k].name);
}

static enum err measure(struct difference_side *side, const char *list, struct diag *diag)
{
    struct diag why = {""};
    enum err err = points_make(&side->points, side->profile, list, &why);

    return err == ERR_OK ? err : diag_set(diag, err, "%s: %s", side->file, why.text);
}

static enum err measure_both(struct difference_side side[DIFFERENCE_SIDES], const char *list,
                             struct diag *diag)
{
    enum err err = measure(&side[0], list, diag);

    if (err != ERR_OK)
        return err;
    err = measure(&side[1], list, diag);
    if (err != ERR_OK)
        points_free(&side[0].points);
    return err;
}

static void free_both(struct difference_side side[DIFFERENCE_SIDES])
{
    points_free(&side[0].points);
    points_free(&side[1].points);
}

enum err difference_measure(struct difference_side side[DIFFERENCE_SIDES], const char *list,
                            struct diag *diag)
{
    char both[LIST_BYTES];
    enum err err = measure_both(side, list, diag);

    if (err != ERR_OK)
        return err;
    if (list == NULL) {
        common(&side[0].points, &side[1].points, both);
        if (both[0] == '\0')
            diag_set(diag, ERR_USAGE, "the profiles have nothing in common: the first has %s, the "
                     "second %s", side[0].points.measure[0].name, side[1].points.measure[0].name);
        free_both(side);
        if (both[0] == '\0')
            return ERR_USAGE;
        err = measure_both(side, both, diag);
    }
    if (err != ERR_OK || side[0].points.unit == side[1].points.unit)
        return err;
    err = diag_set(diag, ERR_USAGE, "the profiles divide cycles into %llu and %llu units; measure "
                   "both with one version of rvsim", (unsigned long long)side[0].points.unit,
                   (unsigned long long)side[1].points.unit);
    free_both(side);
    return err;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct maker {
    struct difference *difference;
    size_t room;
    unsigned side;
};

static enum err add(struct maker *maker, const char *name, const uint64_t value[POINTS_MEASURES],
                    struct diag *diag)
{
    struct difference *difference = maker->difference;
    uint32_t number;
    enum err err = names_add(&difference->names, name, &number, diag);

    if (err != ERR_OK)
        return err;
    if (number >= maker->room) {
        size_t room = 2 * maker->room + 64;
        struct difference_row *row = realloc(difference->row, room * sizeof *row);

        if (row == NULL)
            return diag_no_memory(diag, "rows");
        difference->row = row;
        maker->room = room;
    }
    if (number == difference->rows)
        memset(&difference->row[difference->rows++], 0, sizeof difference->row[0]);
    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        difference->row[number].value[maker->side][k] += value[k];
    return ERR_OK;
}

static const char *name_of(const struct difference_side *side, uint64_t address,
                           enum difference_by by, char text[SYMBOLS_TEXT])
{
    const struct symbols_entry *entry;

    if (by == DIFFERENCE_BY_LINE)
        return *symbols_describe_line(side->symbols, address, text) != '\0' ? text : "(no line)";
    entry = symbols_at(side->symbols, address);
    return entry != NULL ? entry->name : "(no routine)";
}

static bool is_any(const uint64_t value[POINTS_MEASURES])
{
    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        if (value[k] != 0)
            return true;
    return false;
}

static enum err add_side(struct maker *maker, const struct difference_side *side,
                         enum difference_by by, struct diag *diag)
{
    const struct points *points = &side->points;
    char text[SYMBOLS_TEXT];
    enum err err = ERR_OK;

    for (size_t i = 0; i < points->points && err == ERR_OK; i++)
        err = add(maker, name_of(side, points->point[i].address, by, text), points->point[i].value,
                  diag);
    if (err == ERR_OK && is_any(points->monitor))
        err = add(maker, "(monitor)", points->monitor, diag);
    if (err == ERR_OK && is_any(points->outside))
        err = add(maker, "(no instruction)", points->outside, diag);
    return err;
}

int64_t difference_delta(const struct difference_row *row, unsigned measure)
{
    return (int64_t)(row->value[1][measure] - row->value[0][measure]);
}

static uint64_t change_of(const struct difference_row *row, unsigned measure)
{
    int64_t delta = difference_delta(row, measure);

    return delta < 0 ? 0 - (uint64_t)delta : (uint64_t)delta;
}

static int compare_rows(const void *a, const void *b)
{
    const struct difference_row *x = a, *y = b;

    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        if (change_of(x, k) != change_of(y, k))
            return change_of(x, k) > change_of(y, k) ? -1 : 1;
    return strcmp(x->name, y->name);
}

enum err difference_make(struct difference *difference,
                         const struct difference_side side[DIFFERENCE_SIDES],
                         enum difference_by by, struct diag *diag)
{
    struct maker maker = {.difference = difference};
    enum err err = ERR_OK;

    *difference = (struct difference){.rows = 0};
    for (; maker.side < DIFFERENCE_SIDES && err == ERR_OK; maker.side++)
        err = add_side(&maker, &side[maker.side], by, diag);
    if (err != ERR_OK) {
        difference_free(difference);
        return err;
    }
    for (size_t i = 0; i < difference->rows; i++)
        difference->row[i].name = difference->names.text[i];
    if (difference->rows != 0)
        qsort(difference->row, difference->rows, sizeof difference->row[0], compare_rows);
    return ERR_OK;
}

void difference_free(struct difference *difference)
{
    free(difference->row);
    names_free(&difference->names);
    *difference = (struct difference){.rows = 0};
}
