/* See kernel_records.h. */
#include "sim/cli/kernel_records.h"

#include <stdlib.h>
#include <string.h>

#include "prof/sched/sched.h"
#include "sim/cli/job.h"
#include "sim/run/kernel/kernel_host.h"

static void take(void *arg, unsigned hart, const struct kernel_record *record, size_t count)
{
    struct kernel_records *collector = arg;

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
    struct kernel_records *collector = arg;
    struct machine *machine = &job->machine;

    if (machine->kernel == NULL)
        return diag_set(diag, ERR_USAGE, "%s runs without the guest kernel; --os kernel runs it "
                        "there", machine->image.path);
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

enum err kernel_records_take(struct kernel_records *collector, struct tool *tool,
                             struct diag *diag)
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

void kernel_records_free(struct kernel_records *records)
{
    free(records->record);
}

int kernel_records_command(const struct command_line *line, const char *name, bool shows_output,
                           kernel_records_show *show)
{
    struct kernel_records records = {.records = 0};
    struct diag diag = {""};
    struct tool tool;
    enum err err = tool_open(&tool, name, line, TOOL_COUNTS, &diag);
    int status;

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = shows_output;
    err = kernel_records_take(&records, &tool, &diag);
    if (err == ERR_OK)
        err = show(&records, &tool, &diag);
    kernel_records_free(&records);
    status = tool_status(&tool, err, &diag);
    tool_close(&tool);
    fflush(stdout);
    return status;
}
