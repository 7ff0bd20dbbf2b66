/* rvsim api: the costs of calls as distributions, for calls of a program or records in files. */
#include <stdlib.h>
#include <string.h>

#include "prof/api/api_compare.h"
#include "prof/api/api_lookup.h"
#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/report/report.h"
#include "sim/base/output.h"
#include "sim/cli/command/api/api_intercept.h"
#include "sim/cli/command/api/api_run.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/tool/service.h"

/* tool: NULL without a run. */
struct shown { const struct api *api; const struct tool *tool; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct shown *shown = arg;

    return api_print_json(shown->api, shown->tool != NULL ? tool_document(shown->tool)
                                                          : json_document(), out, diag);
}

static enum err write_svg(void *arg, FILE *out, struct diag *diag)
{
    const struct shown *shown = arg;

    return api_write_svg(shown->api, out, diag);
}

static enum err write_html(void *arg, FILE *out, struct diag *diag)
{
    const struct shown *shown = arg;

    return api_write_html(shown->api, out, diag);
}

static tool_writer *writer_of(enum command_option_id id)
{
    switch (id) {
    case OPT_API_JSON: return write_json;
    case OPT_API_SVG: return write_svg;
    case OPT_API_HTML: return write_html;
    default: return NULL;
    }
}

/* Writes files and tables in the order of their options. *is_free: standard output is still
 * free. */
static enum err write_one(struct shown *shown, enum command_option_id id, const char *value,
                          bool *is_free, struct diag *diag)
{
    tool_writer *write = writer_of(id);
    const struct api *api = shown->api;

    if (write != NULL) {
        *is_free &= !output_is_stdout(value);
        return tool_write(value, write, shown, diag);
    }
    if (id != OPT_API_HISTOGRAM && id != OPT_API_GROUPS)
        return ERR_OK;
    *is_free = false;
    return id == OPT_API_GROUPS
               ? api_print_groups(api, stdout, diag)
               : api_print_histogram(api, value, style_has_colour(stdout), stdout, diag);
}

/* ---- a service ------------------------------------------------------------------------------- */

/* The numbers of the options, which are checked before the runs. */
struct numbers { uint64_t share, seed; };
static enum err read_numbers(const struct command_line *line, struct numbers *numbers,
                             struct diag *diag)
{
    enum err err;

    *numbers = (struct numbers){.share = 100, .seed = 1};
    err = command_number("api", line, OPT_API_SUBMIT_SHARE, 0, 100, &numbers->share, diag);
    return err != ERR_OK ? err : command_number("api", line, OPT_API_SEED, 0, UINT64_MAX,
                                                &numbers->seed, diag);
}

/* `program`, `version`: of the executed file; NULL: none. */
static enum err submit(const struct api *api, const struct command_line *line,
                       const char *program, const char *version, struct diag *diag)
{
    const char *url = command_value(line, OPT_API_SUBMIT);
    const char *as = command_value(line, OPT_API_SUBMIT_AS);
    struct api_summary summary = {.program = program, .version = version};
    struct numbers numbers;
    char name[256];
    enum err err = read_numbers(line, &numbers, diag);

    if (url == NULL || err != ERR_OK)
        return err;
    if (as != NULL) {
        size_t length = strcspn(as, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, as);
        summary.program = name;
        summary.version = as[length] == ',' ? as + length + 1 : "";
    }
    if (summary.program == NULL || *summary.program == '\0')
        return diag_set(diag, ERR_USAGE, "api: --submit of records needs --submit-as NAME");
    summary.share = (double)numbers.share / 100;
    return service_submit(api, url, &summary, command_value(line, OPT_API_SUBMIT_WAIT) != NULL,
                          diag);
}

/* *shows: false if the comparison replaces the tables. */
static enum err compare(const struct api *api, const struct command_line *line, bool *shows,
                        struct diag *diag)
{
    const char *url = command_value(line, OPT_API_COMPARE);
    struct api_comparisons comparisons = {NULL, 0};
    struct api published = {.table.rows = 0};
    struct numbers numbers;
    enum err err = read_numbers(line, &numbers, diag);

    if (url == NULL || err != ERR_OK)
        return err;
    *shows = false;
    err = service_fetch(&published, url, api, diag);
    if (err == ERR_OK)
        err = api_compare(&comparisons, api, &published, numbers.seed, diag);
    if (err == ERR_OK)
        err = api_comparisons_print(&comparisons, api, stdout, diag);
    api_comparisons_free(&comparisons);
    api_free(&published);
    return err;
}

/* ---- requested outputs ----------------------------------------------------------------------- */

/* Selects the requested functions. */
static enum err select_functions(struct api *api, const struct command_line *line,
                                 struct diag *diag)
{
    const char *pattern[COMMAND_VALUES_MAX];
    size_t patterns = 0;

    for (unsigned i = 0; i < line->options; i++)
        if (line->option[i].id == OPT_API_FUNCTION)
            pattern[patterns++] = line->option[i].value;
    return patterns != 0 ? api_select(api, pattern, patterns, diag) : ERR_OK;
}

/* *is_free: the tables are shown on standard output. */
static enum err write_all(struct shown *shown, const struct command_line *line, bool *is_free,
                          struct diag *diag)
{
    enum err err = compare(shown->api, line, is_free, diag);

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        err = write_one(shown, line->option[i].id, line->option[i].value, is_free, diag);
    return err == ERR_OK && *is_free
               ? api_print(shown->api, style_has_colour(stdout), stdout, diag) : err;
}

static enum err read_files(struct api *api, const struct command_line *line, struct diag *diag)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_API_FROM)
            err = api_read(api, line->option[i].value, diag);
    return err;
}

static int show_files(struct api *api, const struct command_line *line)
{
    struct diag diag = {""};
    bool is_free = true;
    enum err err = read_files(api, line, &diag);

    if (err == ERR_OK)
        err = select_functions(api, line, &diag);
    if (err == ERR_OK)
        err = write_all(&(struct shown){api, NULL}, line, &is_free, &diag);
    if (err == ERR_OK)
        err = submit(api, line, NULL, "", &diag);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}

/* Runs the program, and keeps the requested functions. */
static enum err run_program(struct api *api, struct tool *tool, const struct command_line *line,
                            struct diag *diag)
{
    struct api_modules modules = {.line = line};
    struct api_run_sizes sizes = {0, 0};
    enum err err = api_run_check(line, diag);

    if (err == ERR_OK)
        err = api_run(api, tool, &sizes, &modules, diag);
    if (err == ERR_OK)
        err = api_modules_check(&modules, diag);
    if (err == ERR_OK && api_modules_are_asked(line))
        err = api_select_names(api, &modules.function, diag);
    api_modules_free(&modules);
    if (err == ERR_OK)
        err = read_files(api, line, diag);
    if (err == ERR_OK)
        err = select_functions(api, line, diag);
    if (err != ERR_OK)
        return err;
    fprintf(stderr, "rvsim api: %zu function%s; %llu instructions in the allocation run",
            api->table.function.count, report_s(api->table.function.count),
            (unsigned long long)sizes.instructions);
    if (sizes.cycles != 0)
        fprintf(stderr, ", %llu cycles in the timing run", (unsigned long long)sizes.cycles);
    fputs(sizes.cycles != 0 ? "\n" : "; no timing run\n", stderr);
    return ERR_OK;
}

static enum err show_costs(struct api *api, struct tool *tool, const struct command_line *line,
                           struct diag *diag)
{
    bool intercepts = command_value(line, OPT_API_INTERCEPT) != NULL, is_free = true;
    struct api_interception interception = {.runs = 0};
    enum err err = intercepts ? api_intercept(&interception, api, tool, diag) : ERR_OK;

    if (err == ERR_OK)
        err = write_all(&(struct shown){api, tool}, line, &is_free, diag);
    if (err == ERR_OK && intercepts && is_free)
        api_intercept_print(&interception, api, stdout);
    api_intercept_free(&interception);
    return err;
}

static int show_program(struct api *api, const struct command_line *line)
{
    struct diag diag = {""};
    struct tool tool;
    enum err err = tool_open(&tool, "api", line, TOOL_COUNTS, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = command_value(line, OPT_API_SHOW_OUTPUT) != NULL;
    if (command_value(line, OPT_API_INTERCEPT) != NULL)
        tool.options.os = PROGRAM_OS_KERNEL;
    err = run_program(api, &tool, line, &diag);
    if (err == ERR_OK)
        err = show_costs(api, &tool, line, &diag);
    if (err == ERR_OK)
        err = submit(api, line, symbols_base_name(tool.options.program_argv[0]), tool.target.id,
                     &diag);
    return tool_end(&tool, err, &diag);
}

int command_api(const struct command_line *line)
{
    struct api api = {.table.rows = 0};
    bool has_program = line->runs > 1;
    struct diag diag = {""};
    struct numbers numbers;
    int status;

    if (read_numbers(line, &numbers, &diag) != ERR_OK)
        return command_error(ERR_USAGE, &diag);
    if (!has_program && command_value(line, OPT_API_FROM) == NULL)
        return command_misuse("api: expected a program, or --from FILE");
    status = has_program ? show_program(&api, line) : show_files(&api, line);
    api_free(&api);
    fflush(stdout);
    return status;
}
