/* rvsim hang: functions that run longer than their limits, seen at that moment. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream */
#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "sim/base/output.h"
#include "sim/cli/command/hang/hang_limits.h"
#include "sim/cli/command/hang/hang_run.h"
#include "sim/cli/tool/service.h"

enum { NAME_BYTES = 256 };

static enum err read_wishes(struct hang_wishes *wishes, struct tool *tool, struct diag *diag)
{
    const struct command_line *line = tool->line;
    bool stops = command_value(line, OPT_HANG_BREAK) != NULL;
    enum err err;

    *wishes = (struct hang_wishes){
        .dump = command_value(line, OPT_HANG_DUMP), .dumps = 1, .gdb = tool->options.gdb,
    };
    tool->options.gdb = NULL;
    if (stops != (wishes->gdb != NULL))
        return diag_set(diag, ERR_USAGE, stops ? "hang: --break needs a debugger: --gdb PORT"
                                               : "hang: --gdb needs --break");
    if (wishes->dump == NULL && command_value(line, OPT_HANG_DUMPS) != NULL)
        return diag_set(diag, ERR_USAGE, "hang: --dumps needs --dump FILE");
    err = tool_number(tool, OPT_HANG_DUMPS, 1, UINT32_MAX, &wishes->dumps, diag);
    if (err == ERR_OK && command_value(line, OPT_HANG_SUBMIT) != NULL)
        err = service_check_url(command_value(line, OPT_HANG_SUBMIT), diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_HANG_ALARMS, 1, UINT32_MAX, &wishes->most, diag);
    if (err == ERR_OK && wishes->dump != NULL)
        err = output_check(wishes->dump, diag);
    return err;
}

struct document { const struct hang *hang; const struct tool *tool; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct document *document = arg;
    char id[HANG_ID];
    cJSON *root = hang_make_report(document->hang, id);

    tool_describe(document->tool, root);
    return json_print(root, out, diag);
}

static enum err show(const struct hang *hang, const struct tool *tool,
                     const struct tool_files *files, struct diag *diag)
{
    struct document document = {hang, tool};
    enum err err = tool_files_write(files, NULL, write_json, &document, diag);

    if (err == ERR_OK && !tool_files_take_output(files))
        hang_print(hang, stdout);
    return err;
}

/* The program's name in submissions to a service. */
static const char *submits_as(const struct tool *tool, char name[NAME_BYTES])
{
    const char *as = command_value(tool->line, OPT_HANG_SUBMIT_AS);

    snprintf(name, NAME_BYTES, "%.*s", as != NULL ? (int)strcspn(as, ",") : NAME_BYTES - 1,
             as != NULL ? as : symbols_base_name(tool->target.image.path));
    return name;
}

/* Puts the report into the outbox, under the requested name and version. */
static enum err submit(const struct hang *hang, const struct tool *tool, const char *name,
                       struct diag *diag)
{
    const struct command_line *line = tool->line;
    const char *url = command_value(line, OPT_HANG_SUBMIT);
    const char *as = command_value(line, OPT_HANG_SUBMIT_AS);
    struct hang report = *hang;
    char *text = NULL, id[HANG_ID];
    size_t bytes;
    FILE *out;
    enum err err;

    if (url == NULL || hang->alarms == 0)
        return ERR_OK;
    report.program = name;
    if (as != NULL)
        report.build = strchr(as, ',') != NULL ? strchr(as, ',') + 1 : "";
    out = open_memstream(&text, &bytes);
    if (out == NULL)
        return diag_no_memory(diag, "a report");
    err = json_print(hang_make_report(&report, id), out, diag);
    if (fclose(out) != 0 && err == ERR_OK)
        err = diag_no_memory(diag, "a report");
    if (err == ERR_OK)
        err = service_submit_hangs(url, id, text,
                                   command_value(line, OPT_HANG_SUBMIT_WAIT) != NULL, diag);
    free(text);
    return err;
}

static enum err run(struct tool *tool, struct hang *hang, struct diag *diag)
{
    char name[NAME_BYTES];
    const struct command_line *line = tool->line;
    const struct tool_files files = {.json = command_value(line, OPT_HANG_JSON)};
    struct hang_wishes wishes;
    enum err err = read_wishes(&wishes, tool, diag);

    if (err == ERR_OK)
        err = hang_limits_read(hang, tool, submits_as(tool, name), diag);
    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = hang_run(hang, &wishes, tool,
                       wishes.gdb == NULL && command_value(line, OPT_HANG_NO_COST) == NULL, diag);
    if (err == ERR_OK)
        err = show(hang, tool, &files, diag);
    return err == ERR_OK ? submit(hang, tool, name, diag) : err;
}

int command_hang(const struct command_line *line)
{
    struct diag diag = {""};
    struct hang hang = {.alarms = 0};
    struct tool tool;
    enum err err = tool_open(&tool, "hang", line, TOOL_DEBUGGED, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = command_value(line, OPT_HANG_SHOW_OUTPUT) != NULL;
    hang.symbols = tool.target.symbols;
    hang.program = symbols_base_name(tool.target.image.path);
    hang.build = tool.target.id;
    hang.engine = options_engine_name(tool.options.engine);
    hang.clock_mhz = tool.options.config.machine_clock_mhz;
    err = run(&tool, &hang, &diag);
    hang_free(&hang);
    return tool_end(&tool, err, &diag);
}
