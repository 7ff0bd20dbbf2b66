/* rvsim report: a file of `--profile` as tables, disassembly, or in another tool's format. */
#include <string.h>

#include "prof/export/export.h"
#include "prof/html/html.h"
#include "prof/profile/profile_select.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"
#include "sim/base/output.h"
#include "sim/cli/command/annotate.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/job/around.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/tool/opened.h"
#include "sim/cli/tool/tool.h"

enum { TOP_DEFAULT = 30 };

typedef enum err export_function(const struct profile *profile, const struct symbols *symbols,
                                 FILE *out, struct diag *diag);

static enum err export_to(const char *path, export_function *function, const struct report *report,
                          struct diag *diag)
{
    struct output output;
    enum err err = output_open(&output, path, diag), closed;

    if (err != ERR_OK)
        return err;
    err = function(report->profile, report->symbols, output.file, diag);
    closed = output_close(&output, err == ERR_OK, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

/* With --measured, as if calls had not been tracked. */
static enum err export_stacks(const char *path, export_function *function,
                              const struct report *report, struct diag *diag)
{
    struct profile profile = *report->profile;
    struct report shown = *report;

    if (report->measured)
        profile.calls = 0;
    shown.profile = &profile;
    return export_to(path, function, &shown, diag);
}

/* For --html and --json, with source lines. */
typedef enum err page_function(const struct report *report, struct sources *sources, FILE *out,
                               struct diag *diag);
struct page { const struct report *report; page_function *write; };

static enum err write_page(void *arg, FILE *out, struct diag *diag)
{
    const struct page *page = arg;
    struct profile profile = *page->report->profile;
    struct report report = *page->report;
    struct sources sources = {.program = profile.program};
    enum err err;

    if (report.measured)
        profile.calls = 0;
    report.profile = &profile;
    err = page->write(&report, &sources, out, diag);
    sources_free(&sources);
    return err;
}

static enum err export_page(const char *path, page_function *write, const struct report *report,
                            struct diag *diag)
{
    struct page page = {report, write};

    return tool_write(path, write_page, &page, diag);
}

/* Only for a run of the detailed engine. */
static enum err write_timed(const struct report *report, const char *option,
                            void (*write)(const struct report *report), struct diag *diag)
{
    if (!summary_is_timed(report->profile))
        return diag_set(diag, ERR_USAGE, "report %s: the profile is of --mode %s, in which no time "
                        "is simulated; measure with --mode detailed", option,
                        report->profile->engine);
    write(report);
    return ERR_OK;
}

static enum err write_cpi(const struct report *report, struct diag *diag)
{
    enum err err = write_timed(report, "--cpi", report_cpi, diag);

    return err == ERR_OK ? report_cpi_places(report, diag) : err;
}

static enum err write_callers(const struct report *report, struct diag *diag)
{
    if (report->profile->records == 0)
        return diag_set(diag, ERR_USAGE, "report --callers: nothing interrupted: sample with "
                        "`rvsim record -g`, or mark with `interrupt`; --callgraph has the exact "
                        "callers");
    return report_callers(report, diag);
}

static enum err write_lcov(const struct report *report, const char *path, struct diag *diag)
{
    if (report->profile->units_per_cycle == 0 && report->profile->marks == 0)
        return diag_set(diag, ERR_USAGE, "report --lcov: the profile counted no executions of "
                        "instructions; make one with --oracle, or with --meta and counters");
    return export_to(path, export_lcov, report, diag);
}

/* Threads alone are a table of their own, with all that the profile keeps by thread but events. */
static enum err write_sorted(const struct report *report, const char *list, struct diag *diag)
{
    return strcmp(list, "thread") == 0 && report->events == NULL ? report_threads(report, diag)
                                       : report_sort(report, list, diag);
}

static enum err write_one(const struct report *report, enum command_option_id id, const char *value,
                          struct diag *diag)
{
    switch (id) {
    case OPT_REPORT_ANNOTATE: return annotate_report(report, value, diag);
    case OPT_REPORT_CALLERS: return write_callers(report, diag);
    case OPT_REPORT_CALLTREE: return report_calltree(report, diag);
    case OPT_REPORT_CALLGRAPH: return report_callgraph(report, diag);
    case OPT_REPORT_LINES: return report_lines(report, diag);
    case OPT_REPORT_SORT: return write_sorted(report, value, diag);
    case OPT_REPORT_FOLDED:
        return export_to(value, report->measured ? export_folded_measured : export_folded, report,
                         diag);
    case OPT_REPORT_CALLGRIND: return export_to(value, export_callgrind, report, diag);
    case OPT_REPORT_PPROF: return export_stacks(value, export_pprof, report, diag);
    case OPT_REPORT_SPEEDSCOPE: return export_stacks(value, export_speedscope, report, diag);
    case OPT_REPORT_PERF_SCRIPT: return export_stacks(value, export_perf_script, report, diag);
    case OPT_REPORT_CHROME: return export_stacks(value, export_chrome, report, diag);
    case OPT_REPORT_PERFETTO: return export_stacks(value, export_perfetto, report, diag);
    case OPT_REPORT_HTML: return export_page(value, html_write, report, diag);
    case OPT_REPORT_JSON: return export_page(value, report_write_json, report, diag);
    case OPT_REPORT_LCOV: return write_lcov(report, value, diag);
    case OPT_REPORT_TOPDOWN: return write_timed(report, "--topdown", report_topdown, diag);
    case OPT_REPORT_CPI: return write_cpi(report, diag);
    case OPT_REPORT_ORACLE: return report_oracle(report, diag);
    case OPT_REPORT_BRANCHES: return report_branches(report, diag);
    default: return ERR_OK;
    }
}

static bool is_choice(enum command_option_id id)
{
    return id != OPT_REPORT_PROGRAM && id != OPT_REPORT_AROUND && id != OPT_REPORT_THREAD &&
           id != OPT_REPORT_TOP && id != OPT_REPORT_BESIDE && id != OPT_REPORT_MEASURED &&
           id != OPT_REPORT_EVENT;
}

/* The best measurement comes first. */
static enum err write_usual(const struct report *report, struct diag *diag)
{
    const struct profile *profile = report->profile;
    enum err err = ERR_OK;

    report_overview(report);
    if (profile->units_per_cycle != 0)
        err = report_oracle(report, diag);
    if (err == ERR_OK)
        err = report_samples(report, diag);
    if (err == ERR_OK)
        err = report_symbols(report, diag);
    if (err == ERR_OK && (profile->sampling == NULL || profile->sampling->has_stacks))
        err = report_callers(report, diag);
    if (err == ERR_OK && profile->units_per_cycle == 0 && profile->marks + profile->records == 0 &&
        profile->calls > 1)
        err = report_callgraph(report, diag);
    return err;
}

/* Writes tables and files in the order of their options; without options, the usual ones. */
static enum err write_report(const struct report *report, const struct command_line *line,
                             struct diag *diag)
{
    enum err err = ERR_OK;
    bool any = false;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++) {
        any |= is_choice(line->option[i].id);
        err = write_one(report, line->option[i].id, line->option[i].value, diag);
    }
    if (err != ERR_OK || any)
        return err;
    if (report->picture == NULL)
        return write_usual(report, diag);
    picture_print(report->picture, report->symbols, report->out);
    return ERR_OK;
}

static struct report_style style_for(FILE *out)
{
    struct style style = style_of(out);

    return (struct report_style){.bold = style.bold, .hot = style.bad, .warm = style.word,
                                 .off = style.off};
}

static enum err set_top(struct report *report, const struct command_line *line, struct diag *diag)
{
    uint64_t rows = TOP_DEFAULT;
    enum err err = command_number("report", line, OPT_REPORT_TOP, 0, UINT32_MAX, &rows, diag);

    if (err != ERR_OK)
        return err;
    report->top = rows;
    report->measured = command_value(line, OPT_REPORT_MEASURED) != NULL;
    report->events = command_value(line, OPT_REPORT_EVENT);
    if (report->events != NULL && command_value(line, OPT_REPORT_SORT) == NULL)
        return diag_set(diag, ERR_USAGE, "report: --event chooses the columns of --sort KEY,...");
    return ERR_OK;
}

/* Handles --thread. */
static enum err select_thread(struct profile *profile, const struct command_line *line,
                              struct diag *diag)
{
    const char *text = command_value(line, OPT_REPORT_THREAD);
    struct diag why;
    uint64_t thread;
    enum err err;

    if (text == NULL)
        return ERR_OK;
    if (!options_number(text, &thread) || thread > UINT32_MAX)
        return diag_set(diag, ERR_USAGE, "report: --thread %s: expected the number of a thread, as "
                        "--sort thread shows them", text);
    err = profile_select_thread(profile, (uint32_t)thread, &why);
    return err != ERR_OK ? diag_set(diag, err, "report: --thread %s: %s", text, why.text) : ERR_OK;
}

/* Opens the report of another run. opened_close is due if report->beside is set. */
static enum err open_beside(struct report *report, struct opened *opened, struct report *beside,
                            const struct command_line *line, struct diag *diag)
{
    const char *path = command_value(line, OPT_REPORT_BESIDE);
    enum err err;

    if (path == NULL)
        return ERR_OK;
    if (command_value(line, OPT_REPORT_HTML) == NULL)
        return diag_set(diag, ERR_USAGE, "report: --beside is for the page of --html; `rvsim diff` "
                        "compares profiles as text");
    err = opened_read(opened, path, NULL, diag);
    if (err != ERR_OK)
        return err;
    *beside = (struct report){.profile = &opened->profile, .symbols = opened->target.symbols};
    report->beside = beside;
    return ERR_OK;
}

int command_report(const struct command_line *line)
{
    struct opened opened, other;
    struct report report = {.out = stdout, .style = style_for(stdout)}, beside;
    struct picture picture;
    const char *around = command_value(line, OPT_REPORT_AROUND);
    struct diag diag = {""};
    enum err err;

    if (line->words != 1)
        return command_misuse("report: expected one FILE, as `rvsim --profile FILE` writes it");
    err = set_top(&report, line, &diag);
    if (err == ERR_OK)
        err = opened_read(&opened, line->word[0], command_value(line, OPT_REPORT_PROGRAM), &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    report.profile = &opened.profile;
    report.symbols = opened.target.symbols;
    err = select_thread(&opened.profile, line, &diag);
    if (err == ERR_OK)
        err = open_beside(&report, &other, &beside, line, &diag);
    if (err == ERR_OK && around != NULL) {
        report.picture = &picture;
        err = around_make(&picture, &opened, around, "report", &diag);
    }
    if (err == ERR_OK)
        err = write_report(&report, line, &diag);
    if (report.beside != NULL)
        opened_close(&other);
    opened_close(&opened);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
