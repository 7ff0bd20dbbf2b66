/* A routine as text: its lines, and its instructions under them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/annotate/annotate.h"
#include "prof/annotate/annotate_text.h"
#include "prof/report/report.h"

enum { HOT_PERCENT = 10, WARM_PERCENT = 1, JUMPS_BYTES = 64, VALUE_COLUMNS = 14 };

/* ---- numbers --------------------------------------------------------------------------------- */

static const char *colour_of(const struct annotate_view *view, double percent)
{
    if (percent >= HOT_PERCENT)
        return view->style.hot;
    return percent >= WARM_PERCENT ? view->style.warm : "";
}

/* The width of a measure's column: its numbers and its name. */
static int columns_of(const struct annotate_view *view, unsigned measure)
{
    size_t length = strlen(view->points->measure[measure].name);

    return length > VALUE_COLUMNS ? (int)length : VALUE_COLUMNS;
}

static void print_head(const struct annotate_view *view, const char *last)
{
    fprintf(view->out, "%8s", "percent");
    for (unsigned k = 0; k < view->points->measures; k++)
        fprintf(view->out, " %*s", columns_of(view, k), view->points->measure[k].name);
    fprintf(view->out, "  %s\n", last);
}

/* The percentage is that of the first measure; zeros are left blank. */
static void print_values(const struct annotate_view *view, const uint64_t *value,
                         const uint64_t *whole)
{
    double percent = value != NULL ? report_percent(value[0], whole[0]) : 0;
    const char *colour = colour_of(view, percent);
    char text[POINTS_TEXT];

    if (value != NULL && value[0] != 0)
        fprintf(view->out, "%s%7.2f%%%s", colour, percent, *colour != '\0' ? view->style.off : "");
    else
        fprintf(view->out, "%8s", "");
    for (unsigned k = 0; k < view->points->measures; k++)
        fprintf(view->out, " %*s", columns_of(view, k), value != NULL && value[k] != 0
                    ? points_text(view->points, k, value[k], text) : "");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_place(const struct annotate_view *view, const struct symbols_line *line)
{
    const char *text;

    if (line == NULL) {
        fputs("(no line)\n", view->out);
        return;
    }
    text = source_line(view->sources, line->file, line->line);
    fprintf(view->out, "%s%s:%u%s%s%s\n", view->style.source, symbols_base_name(line->file),
            line->line, text != NULL ? "  " : "", text != NULL ? text : "", view->style.off);
}

static void print_lines(const struct annotate_view *view, const struct annotate *annotate)
{
    print_head(view, "line");
    for (size_t i = 0; i < annotate->lines; i++) {
        const struct annotate_line *line = &annotate->line[i];
        bool any = false;

        for (unsigned k = 0; k < view->points->measures; k++)
            any |= line->value[k] != 0;
        if (!any)
            continue;
        print_values(view, line->value, annotate->value);
        fputs("  ", view->out);
        print_place(view, line->line);
    }
    print_values(view, annotate->value, annotate->value);
    fputs("  the routine\n\n", view->out);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_same_line(const struct symbols_line *a, const struct symbols_line *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void print_insns(const struct annotate_view *view, const struct annotate *annotate,
                        const struct annotate_jumps *jumps, struct disasm *disasm)
{
    char column[JUMPS_BYTES], text[ANNOTATE_TEXT];
    int blank = 8;

    for (unsigned k = 0; k < view->points->measures; k++)
        blank += 1 + columns_of(view, k);
    print_head(view, "address");
    for (size_t i = 0; i < annotate->insns; i++) {
        const struct annotate_insn *insn = &annotate->insn[i];

        if (i == 0 ? insn->line != NULL : !is_same_line(insn->line, insn[-1].line)) {
            annotate_jumps_row(jumps, i, true, column);
            fprintf(view->out, "%*s  %s ", blank, "", column);
            print_place(view, insn->line);
        }
        annotate_jumps_row(jumps, i, false, column);
        print_values(view, insn->point != NULL ? insn->point->value : NULL, annotate->value);
        annotate_insn_text(disasm, view->symbols, annotate, i, text);
        fprintf(view->out, "  %s %8" PRIx64 ": %s\n", column,
                symbols_address(view->symbols, insn->address), text);
    }
}

/* The length of the first measure's name after this value: "samples", but "1 sample". */
static int name_length(const struct points_measure *measure, uint64_t value)
{
    bool is_plural = measure->kind == POINTS_SAMPLES || measure->kind == POINTS_INTERRUPTS;

    return (int)strlen(measure->name) - (is_plural && value == 1);
}

enum err annotate_print(const struct annotate_view *view, const struct annotate *annotate,
                        struct diag *diag)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(view->symbols));
    struct annotate_jumps *jumps = annotate_jumps_make(annotate);
    char text[POINTS_TEXT];
    bool has_memory = disasm != NULL && jumps != NULL;

    if (has_memory) {
        fprintf(view->out, "\n%s%s:%s\n%s %.*s, %.2f %% of the program\n\n", view->style.bold,
                annotate->entry->name, view->style.off,
                points_text(view->points, 0, annotate->value[0], text),
                name_length(&view->points->measure[0], annotate->value[0]),
                view->points->measure[0].name,
                report_percent(annotate->value[0], view->points->total[0]));
        print_lines(view, annotate);
        print_insns(view, annotate, jumps, disasm);
    }
    annotate_jumps_free(jumps);
    if (disasm != NULL)
        disasm_close(disasm);
    return has_memory ? ERR_OK : diag_no_memory(diag, "the listing");
}

/* ---- the program ----------------------------------------------------------------------------- */

static void print_sum(const struct annotate_view *view, const uint64_t *value, const char *what)
{
    bool any = false;

    for (unsigned k = 0; k < view->points->measures; k++)
        any |= value[k] != 0;
    if (!any)
        return;
    print_values(view, value, view->points->total);
    fprintf(view->out, "  %s\n", what);
}

void annotate_print_totals(const struct annotate_view *view, const uint64_t shown[POINTS_MEASURES],
                           const struct annotate_routine *rest)
{
    const struct points *points = view->points;
    uint64_t others[POINTS_MEASURES];

    for (unsigned k = 0; k < POINTS_MEASURES; k++)
        others[k] = points->total[k] - shown[k] - rest->value[k] - points->monitor[k] -
                    points->outside[k];
    fputc('\n', view->out);
    print_head(view, "part");
    print_sum(view, shown, "routines shown");
    print_sum(view, others, "other routines");
    print_sum(view, rest->value, "code of no routine");
    print_sum(view, points->monitor, "(monitor)");
    print_sum(view, points->outside, "no instruction was there");
    print_sum(view, points->total, "the program");
}
