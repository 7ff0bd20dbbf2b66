/* rvsim sched: the use of time by threads and harts under the guest kernel's scheduler. */
#include "prof/sched/sched.h"
#include "sim/base/output.h"
#include "sim/cli/kernel_records.h"
#include "sim/cli/timeline_files.h"

/* ---- output ---------------------------------------------------------------------------------- */

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    return sched_print_json(arg, out, diag);
}

static enum err write_traces(const struct kernel_records *collector,
                             const struct command_line *line, struct diag *diag)
{
    const char *chrome = command_value(line, OPT_SCHED_CHROME);
    const char *perfetto = command_value(line, OPT_SCHED_PERFETTO);
    struct timeline timeline;
    enum err err;

    if (chrome == NULL && perfetto == NULL)
        return ERR_OK;
    timeline_init(&timeline);
    timeline.has_limits = true;
    timeline.start = collector->start;
    timeline.end = collector->end;
    err = sched_timeline(&timeline, collector->record, collector->records, diag);
    if (err == ERR_OK)
        err = timeline_files_write(&timeline, chrome, perfetto, diag);
    timeline_free(&timeline);
    return err;
}

static enum err show(const struct kernel_records *collector, const struct tool *tool,
                     struct diag *diag)
{
    const struct command_line *line = tool->line;
    const char *json = command_value(line, OPT_SCHED_JSON);
    struct sched sched;
    enum err err = sched_make(&sched, collector->record, collector->records, collector->harts,
                              collector->start, collector->end, NULL, diag);

    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &sched, diag);
    if (err == ERR_OK)
        err = write_traces(collector, line, diag);
    if (err == ERR_OK && !output_is_stdout(json) &&
        !output_is_stdout(command_value(line, OPT_SCHED_CHROME)) &&
        !output_is_stdout(command_value(line, OPT_SCHED_PERFETTO)))
        sched_print(&sched, stdout);
    sched_free(&sched);
    return err;
}

int command_sched(const struct command_line *line)
{
    bool shows_output = command_value(line, OPT_SCHED_SHOW_OUTPUT) != NULL;
    struct kernel_records records = {
        .may_pause = true, .starts_paused = command_value(line, OPT_SCHED_PAUSED) != NULL,
    };

    return kernel_records_command(line, "sched", shows_output, &records, show);
}
