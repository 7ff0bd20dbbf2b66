/* See api_lookup.h. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream */
#include "prof/api/api_lookup.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof/api/api_name.h"
#include "prof/api/api_view.h"
#include "prof/report/report.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Length in bytes of a C++ name without its parameters: "text::Index::add(int)" has 16. */
static size_t length_of(const char *function)
{
    static const char call[] = "operator()";
    const char *from = strstr(function, call), *paren;

    paren = strchr(from != NULL ? from + sizeof call - 1 : function, '(');
    return paren != NULL ? (size_t)(paren - function) : strlen(function);
}

static bool begins_part(const char *function, size_t at)
{
    return at == 0 || (at >= 2 && function[at - 1] == ':' && function[at - 2] == ':');
}

bool api_word_means(const char *word, const char *function, bool is_prefix)
{
    size_t length, bytes = strlen(word);

    function = api_name_of(function).text;
    length = length_of(function);
    if (bytes == 0 || bytes > length)
        return false;
    if (!is_prefix)
        return begins_part(function, length - bytes) &&
               strncmp(function + length - bytes, word, bytes) == 0;
    for (size_t at = length - bytes + 1; at-- > 0;)
        if (begins_part(function, at))
            return strncmp(function + at, word, bytes) == 0;
    return false;
}

/* ---- hover ----------------------------------------------------------------------------------- */

static const char *unit_of(const char *cost)
{
    return strcmp(cost, "allocated") == 0 ? "bytes allocated" : cost;
}

/* Escapes '|', which would end a cell of a table, and '`', which would end the code. */
static void put_name(const char *name, FILE *out)
{
    for (; *name != '\0'; name++)
        fputc(*name == '|' || *name == '`' || *name == '\n' ? '?' : *name, out);
}

static void put_real(double value, FILE *out)
{
    if (isnan(value))
        fputs(" | -", out);
    else
        fprintf(out, " | %.1f", value);
}

static void put_row(const struct api *api, const struct api_row *row, FILE *out)
{
    struct api_span span = {API_SLOTS, 0};
    struct api_bucket total = api_row_total(row);
    uint64_t least, most;

    api_span_add(&span, row);
    if (span.first > span.last)
        return;
    fputs("| ", out);
    put_name(unit_of(api->table.cost.text[row->cost]), out);
    fprintf(out, ", %s | %" PRIu64, row->scope == API_INCLUSIVE ? "inclusive" : "exclusive",
            total.count);
    put_real(api_mean(&total), out);
    put_real(api_deviation(&total), out);
    fputs(" | `", out);
    api_strip(row, &span, out);
    least = span.first == 0 ? 0 : (uint64_t)1 << (span.first - 1);
    most = span.last == 0 ? 0 : UINT64_MAX >> (API_ZERO - span.last);
    fprintf(out, "` %" PRIu64 " to %" PRIu64 " |\n", least, most);
}

static void put_function(const struct api *api, uint32_t function, FILE *out)
{
    fputs("**`", out);
    put_name(api->table.function.text[function], out);
    fputs("`**\n\n| cost | calls | mean | deviation | distribution |\n"
          "|:--|--:|--:|--:|:--|\n", out);
    for (uint32_t i = api->table.first[function]; i != API_NO_ROW; i = api->table.row[i].next)
        put_row(api, &api->table.row[i], out);
    fputc('\n', out);
}

static bool has_rows(const struct api_table *table, uint32_t function)
{
    return function < table->functions_room && table->first[function] != API_NO_ROW;
}

char *api_hover(const struct api *api, const char *word)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    for (uint32_t i = 0; i < api->table.function.count; i++)
        if (has_rows(&api->table, i) &&
            api_word_means(word, api->table.function.text[i], false))
            put_function(api, i, out);
    if (fclose(out) == 0 && bytes != 0)
        return text;
    free(text);
    return NULL;
}

/* ---- completions ----------------------------------------------------------------------------- */

/* Shows cycles if they exist, else the first cost. */
const char *api_detail(const struct api *api, uint32_t function, char text[API_DETAIL])
{
    const struct api_row *best = NULL;

    text[0] = '\0';
    if (!has_rows(&api->table, function))
        return text;
    for (uint32_t i = api->table.first[function]; i != API_NO_ROW; i = api->table.row[i].next) {
        const struct api_row *row = &api->table.row[i];
        bool is_cycles = strcmp(api->table.cost.text[row->cost], "cycles") == 0;

        if (row->scope == API_INCLUSIVE && (best == NULL || is_cycles))
            best = row;
    }
    if (best != NULL) {
        struct api_bucket total = api_row_total(best);

        snprintf(text, API_DETAIL, "mean %.1f %s, %" PRIu64 " call%s", api_mean(&total),
                 unit_of(api->table.cost.text[best->cost]), total.count, report_s(total.count));
    }
    return text;
}
