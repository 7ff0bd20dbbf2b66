/* rvsim lock: the locks for which the threads of a program wait, and from where. */
#include "sim/base/output.h"
#include "sim/cli/command/lock/lock_capture.h"

struct document { const struct locks_view *view; const struct tool *tool; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct document *document = arg;

    return locks_print_json(document->view, tool_document(document->tool), out, diag);
}

static enum err write_folded(void *arg, FILE *out, struct diag *diag)
{
    (void)diag;
    locks_print_folded(arg, out);
    return ERR_OK;
}

static enum err show(const struct kernel_records *records, struct tool *tool, struct diag *diag)
{
    const char *json = command_value(tool->line, OPT_LOCK_JSON);
    const char *folded = command_value(tool->line, OPT_LOCK_FOLDED);
    struct lock_stacks *stacks = lock_capture_stacks(records->arg);
    struct locks locks;
    struct locks_view view = {
        .locks = &locks, .stacks = stacks, .symbols = tool->target.symbols,
        .lists_stacks = command_value(tool->line, OPT_LOCK_STACKS) != NULL,
    };
    struct document document = {&view, tool};
    enum err err = lock_stacks_merge(stacks, view.symbols, diag);

    if (err != ERR_OK)
        return err;
    err = locks_make(&locks, records->record, records->records, records->end, stacks, diag);
    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &document, diag);
    if (err == ERR_OK && folded != NULL)
        err = tool_write(folded, write_folded, &view, diag);
    if (err == ERR_OK && !output_is_stdout(json) && !output_is_stdout(folded))
        locks_print(&view, stdout);
    locks_free(&locks);
    return err;
}

int command_lock(const struct command_line *line)
{
    bool shows_output = command_value(line, OPT_LOCK_SHOW_OUTPUT) != NULL;
    struct kernel_records records = {
        .may_pause = true, .starts_paused = command_value(line, OPT_LOCK_PAUSED) != NULL,
    };
    struct lock_capture *capture = lock_capture_request(&records);
    struct diag diag;
    int status;

    if (capture == NULL)
        return command_error(diag_no_memory(&diag, "call stacks"), &diag);
    status = kernel_records_command(line, "lock", shows_output, &records, show);
    lock_capture_free(capture);
    return status;
}
