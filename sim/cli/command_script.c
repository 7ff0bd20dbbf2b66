/* rvsim script: the samples of a profile, a line each. */
#include "prof/script.h"
#include "sim/cli/opened.h"
#include "sim/cli/tool.h"

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct opened *opened = arg;

    return script_write_json(&opened->profile, opened->target.symbols, out, diag);
}

int command_script(const struct command_line *line)
{
    const struct tool_files files = {NULL, command_value(line, OPT_SCRIPT_JSON)};
    struct diag diag = {""};
    struct opened opened;
    unsigned fields;
    enum err err;

    if (line->words != 1)
        return command_misuse("script: expected one FILE, as `rvsim record` writes it");
    err = script_parse_fields(command_value(line, OPT_SCRIPT_FIELDS), &fields, &diag);
    if (err == ERR_OK)
        err = tool_files_check(&files, &diag);
    if (err == ERR_OK)
        err = opened_read(&opened, line->word[0], command_value(line, OPT_SCRIPT_PROGRAM), &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    if (!tool_files_take_output(&files))
        err = script_print(&opened.profile, opened.target.symbols, fields, stdout, &diag);
    if (err == ERR_OK)
        err = tool_files_write(&files, NULL, write_json, &opened, &diag);
    opened_close(&opened);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
