/* rvsim report: what `--profile` kept, as tables, disassembly, or in another tool's format. */
#include <stdlib.h>
#include <string.h>

#include "prof/export.h"
#include "prof/profile_file.h"
#include "prof/report.h"
#include "sim/base/output.h"
#include "prof/summary.h"
#include "sim/cli/commands.h"
#include "sim/host/target.h"

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

/* With --measured, as if nobody had followed the calls. */
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

/* Of a run of the detailed engine. */
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

static enum err write_one(const struct report *report, enum command_option_id id, const char *value,
                          struct diag *diag)
{
    switch (id) {
    case OPT_REPORT_ANNOTATE: return report_annotate(report, value, diag);
    case OPT_REPORT_CALLERS: return report_callers(report, diag);
    case OPT_REPORT_CALLTREE: return report_calltree(report, diag);
    case OPT_REPORT_CALLGRAPH: return report_callgraph(report, diag);
    case OPT_REPORT_LINES: return report_lines(report, diag);
    case OPT_REPORT_FOLDED:
        return export_to(value, report->measured ? export_folded_measured : export_folded, report,
                         diag);
    case OPT_REPORT_CALLGRIND: return export_to(value, export_callgrind, report, diag);
    case OPT_REPORT_PPROF: return export_stacks(value, export_pprof, report, diag);
    case OPT_REPORT_SPEEDSCOPE: return export_stacks(value, export_speedscope, report, diag);
    case OPT_REPORT_PERF_SCRIPT: return export_stacks(value, export_perf_script, report, diag);
    case OPT_REPORT_LCOV: return export_to(value, export_lcov, report, diag);
    case OPT_REPORT_TOPDOWN: return write_timed(report, "--topdown", report_topdown, diag);
    case OPT_REPORT_CPI: return write_timed(report, "--cpi", report_cpi, diag);
    case OPT_REPORT_ORACLE: return report_oracle(report, diag);
    case OPT_REPORT_BRANCHES: return report_branches(report, diag);
    default: return ERR_OK;
    }
}

static bool is_choice(enum command_option_id id)
{
    return id != OPT_REPORT_PROGRAM && id != OPT_REPORT_TOP && id != OPT_REPORT_MEASURED;
}

/* What was measured best comes first. */
static enum err write_usual(const struct report *report, struct diag *diag)
{
    const struct profile *profile = report->profile;
    enum err err = ERR_OK;

    report_overview(report);
    if (profile->units_per_cycle != 0)
        err = report_oracle(report, diag);
    if (err == ERR_OK)
        err = report_symbols(report, diag);
    if (err == ERR_OK)
        err = report_callers(report, diag);
    if (err == ERR_OK && profile->units_per_cycle == 0 && profile->marks + profile->records == 0 &&
        profile->calls > 1)
        err = report_callgraph(report, diag);
    return err;
}

/* Tables and files in the order they were asked for; without a choice, the usual ones. */
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
    return write_usual(report, diag);
}

static enum err set_top(struct report *report, const struct command_line *line, struct diag *diag)
{
    const char *top = command_value(line, OPT_REPORT_TOP);
    uint64_t rows = TOP_DEFAULT;

    if (top != NULL && !options_number(top, &rows))
        return diag_set(diag, ERR_USAGE, "report: --top %s: expected a number", top);
    report->top = rows;
    report->measured = command_value(line, OPT_REPORT_MEASURED) != NULL;
    return ERR_OK;
}

/* The program the profile is of; another one under its name would give wrong places. */
static enum err open_program(struct target *target, const struct profile *profile,
                             const struct command_line *line, struct diag *diag)
{
    const char *given = command_value(line, OPT_REPORT_PROGRAM);
    const char *path = given != NULL ? given : profile->program;
    enum err err = target_open(target, path, diag);

    if (err != ERR_OK)
        return err;
    if (strcmp(target->id, profile->program_id) != 0)
        err = diag_set(diag, ERR_USAGE, "%s: not the program that was profiled (%s, not %s)", path,
                       target->id, profile->program_id);
    else if (profile->has_kernel)
        err = target_add_kernel(target, true, diag);
    if (err != ERR_OK)
        target_close(target);
    return err;
}

int command_report(const struct command_line *line)
{
    struct profile profile;
    struct target target;
    struct report report = {.out = stdout};
    struct diag diag = {""};
    enum err err;

    if (line->words != 1)
        return command_misuse("report: expected one FILE, as `rvsim --profile FILE` writes it");
    err = set_top(&report, line, &diag);
    if (err == ERR_OK)
        err = profile_read(&profile, line->word[0], &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = open_program(&target, &profile, line, &diag);
    if (err == ERR_OK) {
        report.profile = &profile;
        report.symbols = target.symbols;
        err = write_report(&report, line, &diag);
        target_close(&target);
    }
    profile_free(&profile);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
