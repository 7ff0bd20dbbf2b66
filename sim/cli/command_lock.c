/* rvsim lock: the locks for which the threads of a program wait. */
#include "prof/sched/lock.h"
#include "sim/base/output.h"
#include "sim/cli/kernel_records.h"

struct shown { struct locks locks; const struct symbols *symbols; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct shown *shown = arg;

    return locks_print_json(&shown->locks, shown->symbols, out, diag);
}

static enum err show(const struct kernel_records *records, const struct tool *tool,
                     struct diag *diag)
{
    const char *json = command_value(tool->line, OPT_LOCK_JSON);
    struct shown shown = {.symbols = tool->target.symbols};
    enum err err = locks_make(&shown.locks, records->record, records->records, records->end, diag);

    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &shown, diag);
    if (err == ERR_OK && !output_is_stdout(json))
        locks_print(&shown.locks, shown.symbols, stdout);
    locks_free(&shown.locks);
    return err;
}

int command_lock(const struct command_line *line)
{
    bool shows_output = command_value(line, OPT_LOCK_SHOW_OUTPUT) != NULL;
    bool starts_paused = command_value(line, OPT_LOCK_PAUSED) != NULL;

    return kernel_records_command(line, "lock", shows_output, starts_paused, show);
}
