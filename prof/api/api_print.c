/* Costs in a terminal: tables with a spectrum strip, histograms, groups; see api.h. */
#include "prof/api/api.h"
#include "prof/api/api_view.h"
#include "prof/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 9, FUNCTION = 32, BAR = 50 };

/* ---- strips ---------------------------------------------------------------------------------- */

/* From cold to hot, among a terminal's 256 colours. */
static unsigned colour_of(unsigned slot, const struct api_span *span)
{
    static const uint8_t scale[] = {21, 27, 33, 39, 45, 51, 50, 48, 46, 82, 118, 154, 190, 226, 220,
                                    214, 208, 202, 196};
    unsigned last = sizeof scale - 1;

    return scale[span->last == span->first ? 0 : (slot - span->first) * last /
                                                 (span->last - span->first)];
}

/* One of nine heights; 0 only for an empty bucket. */
static const char *block_of(uint64_t count, uint64_t most)
{
    static const char *const block[] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
                                        "\u2586", "\u2587", "\u2588"};

    return count == 0 ? block[0] : block[1 + (unsigned)((double)count / (double)most * 7)];
}

static void print_strip(const struct api_row *row, const struct api_span *span, bool has_colour,
                        FILE *out)
{
    uint64_t most = api_most(row);

    for (unsigned slot = span->first; slot <= span->last; slot++) {
        const struct api_bucket *bucket = api_slot(row, slot);

        if (has_colour && bucket->count != 0)
            fprintf(out, "\033[38;5;%um%s\033[0m", colour_of(slot, span),
                    block_of(bucket->count, most));
        else
            fputs(block_of(bucket->count, most), out);
    }
}

void api_strip(const struct api_row *row, const struct api_span *span, FILE *out)
{
    print_strip(row, span, false, out);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void print_real(double value, FILE *out)
{
    if (isnan(value))
        fprintf(out, "%13s", "-");
    else
        fprintf(out, "%13.1f", value);
}

static void print_label(unsigned slot, FILE *out)
{
    if (slot == 0)
        fprintf(out, "%*s", COLUMN, "zero");
    else
        fprintf(out, "%*u", COLUMN, slot - 1);
}

static void print_row(const struct api_view *view, const struct api_row *row, bool has_colour,
                      FILE *out)
{
    const char *name = view->table->function.text[row->function];
    struct api_bucket total = api_row_total(row);

    fprintf(out, "%-*s", FUNCTION, name);
    if (strlen(name) > FUNCTION)
        fprintf(out, "\n%*s", FUNCTION, "");
    fprintf(out, "%12" PRIu64, total.count);
    print_real(api_mean(&total), out);
    print_real(api_deviation(&total), out);
    fputs("  ", out);
    print_strip(row, &view->span, has_colour, out);
    for (unsigned slot = view->span.first; slot <= view->span.last; slot++)
        if (view->is_used[slot])
            fprintf(out, "%*" PRIu64, COLUMN, api_slot(row, slot)->count);
    fputc('\n', out);
}

static void print_view(const struct api_view *view, bool has_colour, FILE *out)
{
    int width = (int)(view->span.last - view->span.first + 1);

    fprintf(out, "%s, %s: calls by floor(log2 n)\n", view->cost,
            view->scope == API_INCLUSIVE ? "inclusive" : "exclusive");
    fprintf(out, "%-*s%12s%13s%13s  %-*s", FUNCTION, "function", "count", "mean", "deviation",
            width, "");
    for (unsigned slot = view->span.first; slot <= view->span.last; slot++)
        if (view->is_used[slot])
            print_label(slot, out);
    fputc('\n', out);
    for (size_t i = 0; i < view->rows; i++)
        print_row(view, view->row[i], has_colour, out);
}

enum err api_print(const struct api *api, bool has_colour, FILE *out, struct diag *diag)
{
    enum err err = ERR_OK;
    bool any = false;

    for (uint32_t cost = 0; cost < api->table.cost.count; cost++)
        for (enum api_scope scope = 0; scope < API_SCOPES && err == ERR_OK; scope++) {
            struct api_view view;

            err = api_view_make(&view, &api->table, cost, scope, diag);
            if (err == ERR_OK && view.rows != 0) {
                fputs(any ? "\n" : "", out);
                any = true;
                print_view(&view, has_colour, out);
            }
            api_view_free(&view);
        }
    return err;
}

/* ---- histogram ------------------------------------------------------------------------------- */

static void print_bar(const struct api_row *row, const struct api_span *span, unsigned slot,
                      bool has_colour, FILE *out)
{
    const struct api_bucket *bucket = api_slot(row, slot);
    int length = (int)ceil((double)bucket->count / (double)api_most(row) * BAR);
    char range[API_RANGE_TEXT];

    fprintf(out, "  %-44s%12" PRIu64 "%s", api_range(slot, range), bucket->count,
            length != 0 ? "  " : "");
    if (has_colour && length != 0)
        fprintf(out, "\033[38;5;%um", colour_of(slot, span));
    for (int i = 0; i < length; i++)
        fputs("\u2588", out);
    fprintf(out, "%s\n", has_colour && length != 0 ? "\033[0m" : "");
}

enum err api_print_histogram(const struct api *api, const char *function, bool has_colour,
                             FILE *out, struct diag *diag)
{
    struct names_walk walk = {&api->table.function, 0};
    long number = names_find(&api->table.function, function);
    const char *place = api_place_of(api, function);

    if (number == NAMES_NONE) {
        diag_set(diag, ERR_USAGE, "--histogram %s: no record of it", function);
        return diag_suggest(diag, ERR_USAGE, function, names_next, &walk);
    }
    for (size_t i = 0; i < api->table.rows; i++) {
        const struct api_row *row = &api->table.row[i];
        struct api_span span = {API_SLOTS, 0};

        if (row->function != (uint32_t)number)
            continue;
        api_span_add(&span, row);
        fprintf(out, "%s: %s, %s%s%s%s\n", function, api->table.cost.text[row->cost],
                row->scope == API_INCLUSIVE ? "inclusive" : "exclusive",
                place != NULL ? " (" : "", place != NULL ? place : "", place != NULL ? ")" : "");
        for (unsigned slot = span.first; slot <= span.last; slot++)
            print_bar(row, &span, slot, has_colour, out);
    }
    return ERR_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

enum err api_print_groups(const struct api *api, FILE *out, struct diag *diag)
{
    struct api_groups groups;
    enum err err = api_groups_make(&groups, api, diag);

    if (err == ERR_OK)
        fprintf(out, "%zu function%s, %zu run%s to time each undisturbed\n", groups.functions,
                report_s(groups.functions), groups.groups, report_s(groups.groups));
    for (size_t i = 0; i < groups.groups && err == ERR_OK; i++) {
        fprintf(out, "run %zu:", i + 1);
        for (size_t j = 0; j < groups.functions; j++)
            if (groups.group[j] == i)
                fprintf(out, " %s", api->table.function.text[j]);
        fputc('\n', out);
    }
    api_groups_free(&groups);
    return err;
}
