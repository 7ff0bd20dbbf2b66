/* See annotate.h. */
#include "pmu/sorted.h"
#include "prof/annotate/annotate.h"

#include <stdlib.h>
#include <string.h>

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_inside(const struct symbols *symbols, const struct symbols_entry *entry,
                      uint64_t address)
{
    const struct symbols_entry *at = symbols_at(symbols, address);

    return at != NULL && at->address == entry->address;
}

static void add_insn(struct annotate *annotate, uint64_t address, const struct insn *insn)
{
    struct annotate_insn *last = &annotate->insn[annotate->insns++];

    *last = (struct annotate_insn){.address = address, .has_code = insn != NULL,
                                   .target = ANNOTATE_NONE};
    if (insn != NULL)
        last->insn = *insn;
}

/* Adds the code from its beginning on. */
static void add_code(struct annotate *annotate, const struct symbols *symbols)
{
    uint64_t address = annotate->entry->address, end = address + annotate->entry->bytes;
    struct insn insn;

    for (; address < end && symbols_insn(symbols, address, &insn); address += insn.length)
        if (is_inside(symbols, annotate->entry, address))
            add_insn(annotate, address, &insn);
}

static int compare_insns(const void *a, const void *b)
{
    const struct annotate_insn *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (y->point != NULL) - (x->point != NULL);
}

/* The number of points between the routine's first one, *from, and its end. */
static size_t points_inside(const struct symbols_entry *entry, const struct points *points,
                            size_t *from)
{
    size_t end = points_from(points, entry->address + entry->bytes);

    *from = points_from(points, entry->address);
    return end > *from ? end - *from : 0;
}

/* Adds measurements at addresses outside the walk through the code: data in the code. */
static void add_points(struct annotate *annotate, const struct points *points,
                       const struct symbols *symbols)
{
    size_t kept = 0, from, count = points_inside(annotate->entry, points, &from);

    for (size_t i = from; i < from + count; i++) {
        uint64_t address = points->point[i].address;
        struct insn insn;

        if (!is_inside(symbols, annotate->entry, address))
            continue;
        add_insn(annotate, address, symbols_insn(symbols, address, &insn) ? &insn : NULL);
        annotate->insn[annotate->insns - 1].point = &points->point[i];
    }
    if (annotate->insns != 0)
        qsort(annotate->insn, annotate->insns, sizeof annotate->insn[0], compare_insns);
    for (size_t i = 0; i < annotate->insns; i++)
        if (kept == 0 || annotate->insn[kept - 1].address != annotate->insn[i].address)
            annotate->insn[kept++] = annotate->insn[i];
    annotate->insns = kept;
}

static bool is_before(const void *row, const void *address)
{
    const struct annotate_insn *insn = row;

    return insn->address < *(const uint64_t *)address;
}

static size_t insn_at(const struct annotate *annotate, uint64_t address)
{
    size_t at = sorted_place(annotate->insn, annotate->insns, sizeof annotate->insn[0], is_before,
                             &address);

    return at < annotate->insns && annotate->insn[at].address == address ? at : ANNOTATE_NONE;
}

static void find_targets(struct annotate *annotate)
{
    for (size_t i = 0; i < annotate->insns; i++) {
        struct annotate_insn *from = &annotate->insn[i];
        unsigned kind = from->has_code ? insn_info[from->insn.op].kind : 0;

        if (from->has_code && (kind == KIND_BRANCH ||
                               (kind == KIND_JAL && !insn_is_call(&from->insn))))
            from->target = insn_at(annotate, from->address + (uint64_t)(int64_t)from->insn.imm);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct annotate_line *x = a, *y = b;
    int order;

    if (x->line == NULL || y->line == NULL)
        return (x->line == NULL) - (y->line == NULL);
    order = strcmp(x->line->file, y->line->file);
    return order != 0 ? order : (x->line->line > y->line->line) - (x->line->line < y->line->line);
}

static int compare_lines(const void *a, const void *b)
{
    const struct annotate_line *x = a, *y = b;

    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        if (x->value[k] != y->value[k])
            return x->value[k] > y->value[k] ? -1 : 1;
    return compare_places(a, b);
}

static void join_lines(struct annotate *annotate)
{
    struct annotate_line *line = annotate->line;
    size_t kept = 0;

    if (annotate->lines != 0)
        qsort(line, annotate->lines, sizeof line[0], compare_places);
    for (size_t i = 0; i < annotate->lines; i++) {
        if (kept == 0 || compare_places(&line[kept - 1], &line[i]) != 0) {
            line[kept++] = line[i];
            continue;
        }
        for (unsigned k = 0; k < POINTS_MEASURES; k++)
            line[kept - 1].value[k] += line[i].value[k];
    }
    annotate->lines = kept;
    if (kept != 0)
        qsort(line, kept, sizeof line[0], compare_lines);
}

static void sum_up(struct annotate *annotate)
{
    for (size_t i = 0; i < annotate->insns; i++) {
        const struct annotate_insn *insn = &annotate->insn[i];
        struct annotate_line *line = &annotate->line[annotate->lines++];

        line->line = insn->line;
        for (unsigned k = 0; insn->point != NULL && k < POINTS_MEASURES; k++) {
            line->value[k] = insn->point->value[k];
            annotate->value[k] += insn->point->value[k];
        }
    }
    join_lines(annotate);
}

enum err annotate_make(struct annotate *annotate, const struct symbols_entry *entry,
                       const struct points *points, const struct symbols *symbols,
                       struct diag *diag)
{
    size_t from, most = (size_t)(entry->bytes / 2) + points_inside(entry, points, &from) + 1;

    *annotate = (struct annotate){.entry = entry};
    annotate->insn = calloc(most, sizeof annotate->insn[0]);
    if (annotate->insn == NULL)
        return diag_no_memory(diag, "instructions");
    add_code(annotate, symbols);
    add_points(annotate, points, symbols);
    for (size_t i = 0; i < annotate->insns; i++)
        annotate->insn[i].line = symbols_line_at(symbols, annotate->insn[i].address);
    find_targets(annotate);
    annotate->line = calloc(annotate->insns + 1, sizeof annotate->line[0]);
    if (annotate->line == NULL) {
        annotate_free(annotate);
        return diag_no_memory(diag, "lines");
    }
    sum_up(annotate);
    return ERR_OK;
}

void annotate_free(struct annotate *annotate)
{
    free(annotate->insn);
    free(annotate->line);
    *annotate = (struct annotate){.insns = 0};
}

/* ---- routines -------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct annotate_routine *x = a, *y = b;

    return (x->entry->address > y->entry->address) - (x->entry->address < y->entry->address);
}

static int compare_routines(const void *a, const void *b)
{
    const struct annotate_routine *x = a, *y = b;

    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        if (x->value[k] != y->value[k])
            return x->value[k] > y->value[k] ? -1 : 1;
    return compare_entries(a, b);
}

static void add_values(uint64_t to[POINTS_MEASURES], const uint64_t from[POINTS_MEASURES])
{
    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        to[k] += from[k];
}

enum err annotate_routines(const struct points *points, const struct symbols *symbols,
                           struct annotate_routine **routine, size_t *routines,
                           struct annotate_routine *rest, struct diag *diag)
{
    struct annotate_routine *row = calloc(points->points + 1, sizeof *row);
    size_t rows = 0, kept = 0;

    *rest = (struct annotate_routine){.entry = NULL};
    if (row == NULL)
        return diag_no_memory(diag, "routines");
    for (size_t i = 0; i < points->points; i++) {
        const struct symbols_entry *entry = symbols_at(symbols, points->point[i].address);

        if (entry != NULL)
            row[rows++].entry = entry;
        add_values(entry != NULL ? row[rows - 1].value : rest->value, points->point[i].value);
    }
    if (rows != 0)
        qsort(row, rows, sizeof row[0], compare_entries);
    for (size_t i = 0; i < rows; i++) {
        if (kept == 0 || row[kept - 1].entry->address != row[i].entry->address)
            row[kept++] = row[i];
        else
            add_values(row[kept - 1].value, row[i].value);
    }
    if (kept != 0)
        qsort(row, kept, sizeof row[0], compare_routines);
    *routine = row;
    *routines = kept;
    return ERR_OK;
}
