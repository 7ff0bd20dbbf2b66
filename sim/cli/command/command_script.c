/* rvsim script: the samples of a profile, a line each. */
#include "prof/report/script.h"
#include "sim/cli/job/around.h"
#include "sim/cli/tool/tool.h"

struct shown { struct opened opened; struct picture picture; bool is_picture; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct shown *shown = arg;

    return script_write_json(&shown->opened.profile, shown->opened.target.symbols,
                             shown->is_picture ? &shown->picture : NULL, out, diag);
}

/* Shows all samples, or the picture of one. */
static enum err show(struct shown *shown, unsigned fields, const char *around,
                     const struct tool_files *files, struct diag *diag)
{
    const struct symbols *symbols = shown->opened.target.symbols;
    enum err err = ERR_OK;

    if (around != NULL) {
        shown->is_picture = true;
        err = around_make(&shown->picture, &shown->opened, around, "script", diag);
    }
    if (err == ERR_OK && !tool_files_take_output(files) && around != NULL)
        picture_print(&shown->picture, symbols, stdout);
    else if (err == ERR_OK && !tool_files_take_output(files))
        err = script_print(&shown->opened.profile, symbols, fields, stdout, diag);
    return err == ERR_OK ? tool_files_write(files, NULL, write_json, shown, diag) : err;
}

int command_script(const struct command_line *line)
{
    const struct tool_files files = {NULL, command_value(line, OPT_SCRIPT_JSON)};
    struct diag diag = {""};
    struct shown shown = {.is_picture = false};
    unsigned fields;
    enum err err;

    if (line->words != 1)
        return command_misuse("script: expected one FILE, as `rvsim record` writes it");
    err = script_parse_fields(command_value(line, OPT_SCRIPT_FIELDS), &fields, &diag);
    if (err == ERR_OK)
        err = tool_files_check(&files, &diag);
    if (err == ERR_OK)
        err = opened_read(&shown.opened, line->word[0], command_value(line, OPT_SCRIPT_PROGRAM),
                          &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = show(&shown, fields, command_value(line, OPT_SCRIPT_AROUND), &files, &diag);
    opened_close(&shown.opened);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
