/* rvsim sched: where the time of threads and harts goes under the guest kernel's scheduler. */
#include <stdlib.h>
#include <string.h>

#include "prof/sched/sched.h"
#include "prof/timeline/timeline_trace.h"
#include "sim/cli/job.h"
#include "sim/cli/tool.h"
#include "sim/run/kernel/kernel_host.h"

struct collector {
    struct kernel_record *record;
    size_t records, room;
    size_t harts;
    uint64_t start, end;
    bool has_failed;
};

/* ---- the run --------------------------------------------------------------------------------- */

static void take(void *arg, unsigned hart, const struct kernel_record *record, size_t count)
{
    struct collector *collector = arg;

    (void)hart;
    if (collector->records + count > collector->room) {
        size_t room = 2 * (collector->records + count);
        struct kernel_record *grown = realloc(collector->record, room * sizeof *grown);

        collector->has_failed |= grown == NULL;
        if (grown == NULL)
            return;
        collector->record = grown;
        collector->room = room;
    }
    memcpy(&collector->record[collector->records], record, count * sizeof *record);
    collector->records += count;
}

static void switch_rings_on(struct machine *machine)
{
    const struct kernel_host *host = machine->kernel;
    const unsigned long long on = 1;

    for (unsigned i = 0; i < machine->harts; i++)
        phys_copy_in(&machine->phys, host->rings_pa + i * sizeof(struct kernel_ring), &on,
                     sizeof on);
}

static uint64_t now(const struct machine *machine)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->cpu[i].pmu.events[EVENT_CYCLES] > cycles)
            cycles = machine->cpu[i].pmu.events[EVENT_CYCLES];
    return cycles;
}

static enum err run_recorded(void *arg, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    struct collector *collector = arg;
    struct machine *machine = &job->machine;

    if (machine->kernel == NULL)
        return diag_set(diag, ERR_USAGE, "sched: %s runs without the guest kernel; --os kernel "
                        "runs it there", machine->image.path);
    machine->kernel->records = take;
    machine->kernel->records_arg = collector;
    switch_rings_on(machine);
    collector->harts = machine->harts;
    collector->start = now(machine);
    machine_run(machine, limits);
    kernel_host_drain(machine->kernel);
    machine->kernel->records = NULL;
    collector->end = now(machine);
    return collector->has_failed ? diag_no_memory(diag, "records") : ERR_OK;
}

static enum err record_run(struct collector *collector, struct tool *tool, struct diag *diag)
{
    const struct trial trial = {
        .what = "recording", .slices = run_recorded, .slices_arg = collector, .no_monitor = true,
    };
    struct trial_result result;
    enum err err = tool_run(tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    profile_free(&result.profile);
    for (size_t i = 0; i < collector->records; i++)
        if (collector->record[i].cycle > collector->end)
            collector->end = collector->record[i].cycle;
    return sched_sort(collector->record, collector->records, diag);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    return sched_print_json(arg, out, diag);
}

static enum err write_chrome(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_chrome(arg, out, diag);
}

static enum err write_perfetto(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_perfetto(arg, out, diag);
}

static enum err write_traces(const struct collector *collector, const struct command_line *line,
                             struct diag *diag)
{
    const char *chrome = command_value(line, OPT_SCHED_CHROME);
    const char *perfetto = command_value(line, OPT_SCHED_PERFETTO);
    struct timeline timeline;
    enum err err;

    if (chrome == NULL && perfetto == NULL)
        return ERR_OK;
    timeline_init(&timeline);
    err = sched_timeline(&timeline, collector->record, collector->records, diag);
    if (err == ERR_OK && chrome != NULL)
        err = tool_write(chrome, write_chrome, &timeline, diag);
    if (err == ERR_OK && perfetto != NULL)
        err = tool_write(perfetto, write_perfetto, &timeline, diag);
    timeline_free(&timeline);
    return err;
}

static bool is_stdout(const struct command_line *line, enum command_option_id id)
{
    const char *value = command_value(line, id);

    return value != NULL && strcmp(value, "-") == 0;
}

static enum err show(const struct collector *collector, const struct command_line *line,
                     struct diag *diag)
{
    const char *json = command_value(line, OPT_SCHED_JSON);
    struct sched sched;
    enum err err = sched_make(&sched, collector->record, collector->records, collector->harts,
                              collector->start, collector->end, diag);

    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &sched, diag);
    if (err == ERR_OK)
        err = write_traces(collector, line, diag);
    if (err == ERR_OK && !is_stdout(line, OPT_SCHED_JSON) && !is_stdout(line, OPT_SCHED_CHROME) &&
        !is_stdout(line, OPT_SCHED_PERFETTO))
        sched_print(&sched, stdout);
    sched_free(&sched);
    return err;
}

int command_sched(const struct command_line *line)
{
    struct collector collector = {.records = 0};
    struct diag diag = {""};
    struct tool tool;
    enum err err = tool_open(&tool, "sched", line, TOOL_COUNTS, &diag);
    int status;

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = command_value(line, OPT_SCHED_SHOW_OUTPUT) != NULL;
    err = record_run(&collector, &tool, &diag);
    if (err == ERR_OK)
        err = show(&collector, line, &diag);
    free(collector.record);
    status = tool_status(&tool, err, &diag);
    tool_close(&tool);
    fflush(stdout);
    return status;
}
