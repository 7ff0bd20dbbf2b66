/* rvsim sched: the use of time by threads and harts under the guest kernel's scheduler. */
#include <stdlib.h>

#include "prof/idle/idle_print.h"
#include "prof/profile/profile_select.h"
#include "prof/sched/sched.h"
#include "sim/base/output.h"
#include "sim/cli/command/active/active_sections.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/cli/tool/timeline_files.h"

/* ---- output ---------------------------------------------------------------------------------- */

struct document { const struct sched *sched; const struct tool *tool; };

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct document *document = arg;

    return sched_print_json(document->sched, tool_document(document->tool), out, diag);
}

/* Why harts idled; not of a run of which a part has no records. */
static enum err add_causes(struct timeline *timeline, const struct kernel_records *collector,
                           const struct tool *tool, struct diag *diag)
{
    struct idle_charge charge;
    enum err err = kernel_records_charge(collector, &charge, diag);

    if (err == ERR_OK)
        err = idle_timeline(timeline, &charge, tool->target.symbols, diag);
    idle_charge_free(&charge);
    return err;
}

static enum err write_traces(const struct kernel_records *collector, const struct tool *tool,
                             bool has_all, struct diag *diag)
{
    const char *chrome = command_value(tool->line, OPT_SCHED_CHROME);
    const char *perfetto = command_value(tool->line, OPT_SCHED_PERFETTO);
    struct timeline timeline;
    enum err err;

    if (chrome == NULL && perfetto == NULL)
        return ERR_OK;
    err = kernel_records_timeline(collector, collector->start, &timeline, diag);
    if (err == ERR_OK && has_all)
        err = add_causes(&timeline, collector, tool, diag);
    if (err == ERR_OK)
        err = active_sections_add(collector->arg, collector, &timeline, diag);
    if (err == ERR_OK)
        err = timeline_files_write(&timeline, chrome, perfetto, diag);
    timeline_free(&timeline);
    return err;
}

/* Divides the time with records by mode. */
static void add_modes(struct sched *sched, const struct kernel_records *collector,
                      const struct sched_change **last)
{
    for (size_t i = 0; i < collector->changes; i++) {
        const struct sched_change *at = &collector->change[i], *from = last[at->hart];

        if (from != NULL && !from->is_off)
            sched_add_modes(sched, at->hart, from->thread, at->user - from->user,
                            at->idle - from->idle);
        last[at->hart] = at;
    }
}

/* The cycles of each hart from its first change to its last. */
static void limit_harts(const struct kernel_records *collector, struct sched_limits *limits)
{
    for (size_t i = collector->changes; i-- > 0;)
        limits[collector->change[i].hart].begin = collector->change[i].cycles;
    for (size_t i = 0; i < collector->changes; i++)
        limits[collector->change[i].hart].end = collector->change[i].cycles;
}

/* sched_free is due afterwards, also after an error. */
static enum err make(struct sched *sched, const struct kernel_records *collector,
                     struct diag *diag)
{
    struct sched_limits *limits = calloc(collector->harts, sizeof *limits);
    const struct sched_change **last = calloc(collector->harts, sizeof *last);
    const struct sched_run run = {
        .record = collector->record, .records = collector->records, .harts = collector->harts,
        .start = collector->start, .end = collector->end, .limits = limits,
    };
    bool fits = limits != NULL && last != NULL;
    enum err err = ERR_OK;

    *sched = (struct sched){.harts = 0};
    if (fits) {
        limit_harts(collector, limits);
        err = sched_make(sched, &run, NULL, diag);
    }
    if (fits && err == ERR_OK)
        add_modes(sched, collector, last);
    free(limits);
    free(last);
    return fits ? err : diag_no_memory(diag, "harts");
}

static void add_names(struct sched *sched, const struct kernel_records *collector)
{
    for (size_t i = 0; i < sched->threads; i++)
        sched->thread[i].name = profile_thread_name(collector->name, collector->names,
                                                    sched->thread[i].tid);
}

static enum err show(const struct kernel_records *collector, struct tool *tool, struct diag *diag)
{
    const struct command_line *line = tool->line;
    const char *json = command_value(line, OPT_SCHED_JSON);
    const char *records = command_value(line, OPT_SCHED_RECORDS);
    struct sched sched;
    struct document document = {&sched, tool};
    enum err err = make(&sched, collector, diag);

    if (err == ERR_OK)
        add_names(&sched, collector);
    tool->told.tells_first = sched.paused == 0;
    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &document, diag);
    if (err == ERR_OK)
        err = kernel_records_write(collector, records, diag);
    if (err == ERR_OK)
        err = write_traces(collector, tool, sched.paused == 0 && sched.start == 0, diag);
    if (err == ERR_OK && !output_is_stdout(json) && !output_is_stdout(records) &&
        !output_is_stdout(command_value(line, OPT_SCHED_CHROME)) &&
        !output_is_stdout(command_value(line, OPT_SCHED_PERFETTO)))
        sched_print(&sched, command_value(line, OPT_SCHED_BY_HART) != NULL, stdout);
    sched_free(&sched);
    return err;
}

static enum err begins(void *arg, struct machine *machine, struct diag *diag)
{
    return active_sections_begin(arg, machine, diag);
}

static enum err ended(void *arg, const struct machine *machine, struct diag *diag)
{
    (void)machine;
    return active_sections_end(arg, diag);
}

static enum err prepare(struct kernel_records *records, const struct tool *tool,
                        struct diag *diag)
{
    struct active_sections *sections = records->arg;

    return active_sections_read(sections->section, &sections->count, tool, OPT_SCHED_SECTION,
                                diag);
}

int command_sched(const struct command_line *line)
{
    bool shows_output = command_value(line, OPT_SCHED_SHOW_OUTPUT) != NULL;
    struct active_sections sections = {.count = 0};
    struct kernel_records records = {
        .may_pause = true, .wants_changes = true,
        .starts_paused = command_value(line, OPT_SCHED_PAUSED) != NULL,
        .prepare = prepare, .begins = begins, .ended = ended, .arg = &sections,
    };
    int status = kernel_records_command(line, "sched", shows_output, &records, show);

    active_sections_free(&sections);
    return status;
}
