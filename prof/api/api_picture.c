/* Costs as SVG and as a page of HTML; see api.h. A strip has a block for each bucket, cold to hot;
 * its height is the share of the fullest bucket. */
#include "prof/api/api.h"
#include "prof/api/api_json.h"
#include "prof/api/api_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 300, LABEL_CHARACTERS = 40, NUMBER = 84, STRIP = LABEL + 2 * NUMBER + 16,
       STRIP_LEAST = 160, BLOCK = 12, HEIGHT = 22, HEAD = 36, EDGE = 8, BAR_MAX = 300 };

static void put_text(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            if ((unsigned char)*text >= ' ')
                fputc(*text, out);
        }
}

/* From blue (240 degrees) to red (0). */
static unsigned hue_of(unsigned slot, const struct api_span *span)
{
    unsigned steps = span->last - span->first;

    return steps == 0 ? 240 : 240 - 240 * (slot - span->first) / steps;
}

static void put_strip(const struct api_row *row, const struct api_span *span, unsigned left,
                      unsigned top, FILE *out)
{
    uint64_t most = api_most(row);

    for (unsigned slot = span->first; slot <= span->last; slot++) {
        const struct api_bucket *bucket = api_slot(row, slot);
        double height = (double)bucket->count / (double)most * (HEIGHT - 4);
        char range[API_RANGE_TEXT];

        if (bucket->count == 0)
            continue;
        height = height < 2 ? 2 : height;
        fprintf(out, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
                "fill=\"hsl(%u,85%%,43%%)\"><title>%s: %" PRIu64 "</title></rect>\n",
                left + (slot - span->first) * BLOCK, top + (HEIGHT - height) / 2, BLOCK, height,
                hue_of(slot, span), api_range(slot, range), bucket->count);
    }
}

/* ---- SVG ------------------------------------------------------------------------------------- */

static const char style[] =
    "<style>text { fill: #1b1f24 } .quiet { fill: #59636e } .page { fill: #fff }\n"
    "@media (prefers-color-scheme: dark) { text { fill: #e8ebef } .quiet { fill: #a3adb8 } "
    ".page { fill: #181d23 } }</style>\n";

/* A name, cut to its column; the whole name is in the tooltip. */
static void put_label(const char *name, unsigned y, FILE *out)
{
    char text[4 * LABEL_CHARACTERS + 1];
    size_t bytes = 0;
    unsigned characters = 0;

    for (; bytes < sizeof text - 1 && name[bytes] != '\0'; bytes++) {
        characters += ((unsigned char)name[bytes] & 0xc0) != 0x80;
        if (characters > LABEL_CHARACTERS)
            break;
    }
    memcpy(text, name, bytes);
    text[bytes] = '\0';
    fprintf(out, "<text x=\"%d\" y=\"%u\"><title>", EDGE, y);
    put_text(name, out);
    fputs("</title>", out);
    put_text(text, out);
    fputs(name[bytes] != '\0' ? "…</text>\n" : "</text>\n", out);
}

static void put_cell(unsigned column, unsigned y, const char *text, FILE *out)
{
    fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
            LABEL + (column + 1) * NUMBER, y, text);
}

/* The headings of the columns, and the limits of the spectrum. */
static void put_head(const struct api_view *view, unsigned y, FILE *out)
{
    static const char *const column[] = {"calls", "mean"};
    unsigned first = view->span.first, last = view->span.last;
    uint64_t least = first == 0 ? 0 : UINT64_C(1) << (first - 1);
    uint64_t most = last == 0 ? 0 : 2 * ((UINT64_C(1) << (last - 1)) - 1) + 1;

    fprintf(out, "<text x=\"%d\" y=\"%u\" font-weight=\"bold\">", EDGE, y);
    put_text(view->cost, out);
    fprintf(out, ", %s</text>\n", api_scope_name(view->scope));
    for (unsigned i = 0; i < 2; i++)
        fprintf(out, "<text class=\"quiet\" x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
                LABEL + (i + 1) * NUMBER, y, column[i]);
    fprintf(out, "<text class=\"quiet\" x=\"%d\" y=\"%u\">%" PRIu64, STRIP, y, least);
    if (most != least)
        fprintf(out, " to %" PRIu64, most);
    fputs("</text>\n", out);
}

static void put_view(const struct api_view *view, unsigned *top, FILE *out)
{
    put_head(view, *top + 24, out);
    *top += HEAD;
    for (size_t i = 0; i < view->rows; i++, *top += HEIGHT) {
        struct api_bucket total = api_row_total(view->row[i]);
        double mean = api_mean(&total);
        char text[32];

        put_label(view->table->function.text[view->row[i]->function], *top + 15, out);
        snprintf(text, sizeof text, "%" PRIu64, total.count);
        put_cell(0, *top + 15, text, out);
        snprintf(text, sizeof text, "%.1f", mean);
        put_cell(1, *top + 15, isnan(mean) ? "–" : text, out);
        put_strip(view->row[i], &view->span, STRIP, *top, out);
    }
}

/* The views one below the other; *top: their height, *blocks: width of the widest spectrum. */
static enum err put_views(const struct api *api, unsigned *top, unsigned *blocks, FILE *out,
                          struct diag *diag)
{
    enum err err = ERR_OK;

    for (uint32_t cost = 0; cost < api->table.cost.count; cost++)
        for (enum api_scope scope = 0; scope < API_SCOPES && err == ERR_OK; scope++) {
            struct api_view view;

            err = api_view_make(&view, &api->table, cost, scope, diag);
            if (err == ERR_OK && view.rows != 0) {
                unsigned wide = view.span.last - view.span.first + 1;

                put_view(&view, top, out);
                *blocks = wide > *blocks ? wide : *blocks;
            }
            api_view_free(&view);
        }
    return err;
}

enum err api_write_svg(const struct api *api, FILE *out, struct diag *diag)
{
    unsigned top = 0, blocks = 0, width;
    char *views = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&views, &bytes);
    enum err err = memory != NULL ? put_views(api, &top, &blocks, memory, diag) : ERR_OK;

    if (memory == NULL || fclose(memory) != 0)
        err = diag_no_memory(diag, "a picture");
    width = STRIP + EDGE + (blocks * BLOCK > STRIP_LEAST ? blocks * BLOCK : STRIP_LEAST);
    top += EDGE;
    if (err == ERR_OK)
        fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                "viewBox=\"0 0 %u %u\" role=\"img\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<title>Costs of calls</title>\n%s"
                "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n", width, top,
                width, top, style, views);
    free(views);
    return err;
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Costs of calls</title>\n"
    "<style>\n:root { color-scheme: light dark }\n"
    "body { font: 15px/1.4 sans-serif; margin: 1em auto; max-width: 70em; padding: 0 1em }\n"
    "summary { cursor: pointer; display: flex; gap: 1em; align-items: center }\n"
    "summary b { flex: 1 1 16em; min-width: 0; overflow-wrap: anywhere }\n"
    "summary svg { flex: none }\n"
    "summary span { flex: 0 0 9em; text-align: right; font-variant-numeric: tabular-nums }\n"
    "summary span:last-child { flex-basis: 11em }\n"
    "summary b::before { content: \"\\25b8\\a0\" } [open] b::before { content: \"\\25be\\a0\" }\n"
    "@media (max-width: 60em) { summary { flex-wrap: wrap; gap: 0 1em }\n"
    "  summary b { flex-basis: 100% } summary svg { flex: 0 0 100% }\n"
    "  summary span, summary span:last-child { flex: 0 0 auto; text-align: left } }\n"
    "details { border-top: 1px solid #8886; padding: .2em 0 }\n"
    "td, th { text-align: right; padding: 0 .6em; font-variant-numeric: tabular-nums }\n"
    "td:last-child { text-align: left; overflow-wrap: anywhere }\n</style></head><body>\n"
    "<h1>Costs of calls</h1>\n";

static void put_number(const char *name, double value, FILE *out)
{
    if (isnan(value))
        fprintf(out, "<span>%s –</span>", name);
    else
        fprintf(out, "<span>%s %.1f</span>", name, value);
}

static void put_histogram(const struct api_row *row, const struct api_span *span, FILE *out)
{
    fputs("<table><tr><th>cost</th><th>calls</th><th>sum</th><th></th></tr>\n", out);
    for (unsigned slot = span->first; slot <= span->last; slot++) {
        const struct api_bucket *bucket = api_slot(row, slot);
        char range[API_RANGE_TEXT];

        if (bucket->count == 0)
            continue;
        fprintf(out, "<tr><td>%s</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td><svg width=\"%d\" "
                "height=\"10\"><rect width=\"%.1f\" height=\"10\" fill=\"hsl(%u,85%%,43%%)\"/>"
                "</svg></td></tr>\n", api_range(slot, range), bucket->count, bucket->sum, BAR_MAX,
                (double)bucket->count / (double)api_most(row) * BAR_MAX, hue_of(slot, span));
    }
    fputs("</table>\n", out);
}

static void put_place(const char *place, FILE *out)
{
    if (place == NULL)
        return;
    fputs("<p>source: <code>", out);
    put_text(place, out);
    fputs("</code></p>\n", out);
}

/* True if the function is a frame of the stack. */
static bool is_on(const char *stack, const char *function)
{
    size_t length = strlen(function);

    for (; *stack != '\0'; stack += *stack == ';') {
        size_t bytes = strcspn(stack, ";");

        if (bytes == length && memcmp(stack, function, length) == 0)
            return true;
        stack += bytes;
    }
    return false;
}

static bool is_stack_of(const struct api *api, const struct api_row *row,
                        const struct api_view *view, const char *function)
{
    const char *stack = api->stacks.function.text[row->function];

    return strchr(stack, ';') != NULL && is_on(stack, function) &&
           strcmp(api->stacks.cost.text[row->cost], view->cost) == 0;
}

static void put_stacks(const struct api *api, const struct api_view *view, const char *function,
                       FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < api->stacks.rows; i++) {
        const struct api_row *row = &api->stacks.row[i];
        struct api_bucket total = api_row_total(row);

        if (!is_stack_of(api, row, view, function))
            continue;
        if (!any)
            fputs("<table><tr><th>calls</th><th>sum</th><th>stack</th></tr>\n", out);
        any = true;
        fprintf(out, "<tr><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>", total.count, total.sum);
        put_text(api->stacks.function.text[row->function], out);
        fputs("</td></tr>\n", out);
    }
    fputs(any ? "</table>\n" : "", out);
}

static void put_details(const struct api *api, const struct api_view *view,
                        const struct api_row *row, FILE *out)
{
    const char *function = view->table->function.text[row->function];
    struct api_bucket total = api_row_total(row);
    unsigned slots = view->span.last - view->span.first + 1;

    fputs("<details><summary><b>", out);
    put_text(function, out);
    fprintf(out, "</b><svg width=\"%u\" height=\"%d\" role=\"img\">\n", slots * BLOCK, HEIGHT);
    put_strip(row, &view->span, 0, 0, out);
    fprintf(out, "</svg><span>%" PRIu64 " %s</span>", total.count,
            total.count == 1 ? "call" : "calls");
    put_number("mean", api_mean(&total), out);
    put_number("deviation", api_deviation(&total), out);
    fputs("</summary>\n", out);
    put_place(api_place_of(api, function), out);
    put_histogram(row, &view->span, out);
    put_stacks(api, view, function, out);
    fputs("</details>\n", out);
}

enum err api_write_html(const struct api *api, FILE *out, struct diag *diag)
{
    enum err err = ERR_OK;

    fputs(head, out);
    for (uint32_t cost = 0; cost < api->table.cost.count; cost++)
        for (enum api_scope scope = 0; scope < API_SCOPES && err == ERR_OK; scope++) {
            struct api_view view;

            err = api_view_make(&view, &api->table, cost, scope, diag);
            if (err == ERR_OK && view.rows != 0) {
                fputs("<h2>", out);
                put_text(view.cost, out);
                fprintf(out, ", %s</h2>\n", scope == API_INCLUSIVE ? "inclusive" : "exclusive");
            }
            for (size_t i = 0; i < view.rows && err == ERR_OK; i++)
                put_details(api, &view, view.row[i], out);
            api_view_free(&view);
        }
    fputs("</body></html>\n", out);
    return err;
}
