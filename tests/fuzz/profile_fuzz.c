/* Profiles: any text is either refused, with a diagnosis, or a profile that can be reported,
 * exported and written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/annotate/annotate.h"
#include "prof/export/export.h"
#include "prof/profile/profile_file.h"
#include "prof/report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void annotate(const struct report *report)
{
    struct sources sources = {.directory = NULL};
    struct annotate_view view = {.profile = report->profile, .symbols = report->symbols,
                                 .sources = &sources, .style = {"", "", "", "", ""},
                                 .out = report->out};
    const struct symbols_entry *entry;
    struct annotate annotate;
    struct points points;
    struct diag diag;

    if (points_make(&points, report->profile, NULL, &diag) != ERR_OK)
        return;
    view.points = &points;
    require(symbols_entries(report->symbols, &entry) == 1);
    require(annotate_make(&annotate, entry, &points, report->symbols, &diag) == ERR_OK);
    require(annotate_print(&view, &annotate, &diag) == ERR_OK);
    annotate_free(&annotate);
    points_free(&points);
    sources_free(&sources);
}

static void use(const struct profile *profile)
{
    struct symbols_entry entry = {"only", 0x80000000, 0x100, true, false};
    const struct symbols_program program = {.entry = &entry, .entries = 1};
    struct report report = {.profile = profile, .top = 3};
    struct symbols *symbols;
    struct diag diag;
    char *text = NULL;
    size_t bytes;

    require(symbols_new(&symbols, &program, &diag) == ERR_OK);
    report.symbols = symbols;
    report.out = open_memstream(&text, &bytes);
    report_overview(&report);
    require(report_symbols(&report, &diag) == ERR_OK);
    require(report_lines(&report, &diag) == ERR_OK);
    require(report_callers(&report, &diag) == ERR_OK);
    annotate(&report);
    require(export_folded(profile, symbols, report.out, &diag) == ERR_OK);
    require(export_callgrind(profile, symbols, report.out, &diag) == ERR_OK);
    require(profile_write(profile, symbols, report.out, true, &diag) == ERR_OK);
    fclose(report.out);
    free(text);
    symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile profile;
    struct diag diag = {""};

    if (profile_read_memory(&profile, "fuzz.prof", (const char *)data, size, &diag) == ERR_OK) {
        use(&profile);
        profile_free(&profile);
    } else {
        require(diag.text[0] != '\0');
    }
    return 0;
}
