/* See kernel_records.h. */
#include "sim/cli/tool/kernel_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi_sampler.h"
#include "pmu/pmu_modes.h"
#include "prof/sched/sched.h"
#include "sim/base/array.h"
#include "sim/cli/job/job.h"
#include "sim/run/kernel/kernel_host.h"

/* Replaces the addresses in a record by keys. */
static void key(const struct kernel_records *collector, struct kernel_record *record)
{
    record->pc = kernel_host_key(collector->host, record->thread, record->pc);
    if (record->event == KERNEL_BLOCK && record->reason == KERNEL_REASON_LOCK)
        record->value = kernel_host_key(collector->host, record->thread, record->value);
}

/* ---- which thread a hart runs ---------------------------------------------------------------- */

struct hart_changes {
    struct kernel_records *collector;
    struct pmu *pmu;
    struct pmu_listener listener;
    uint32_t hart;
    bool is_off;                    /* it makes no records at present */
};

static void add_change(struct hart_changes *changes, uint32_t thread)
{
    struct kernel_records *collector = changes->collector;
    struct pmu *pmu = changes->pmu;
    struct sched_change *grown = array_grow(collector->change, collector->changes, sizeof *grown);

    collector->has_failed |= grown == NULL;
    if (grown == NULL)
        return;
    collector->change = grown;
    pmu_count_modes(pmu);
    collector->change[collector->changes++] = (struct sched_change){
        .cycles = pmu->events[EVENT_CYCLES], .user = pmu->thread.modes.cycles[0],
        .idle = pmu->events[EVENT_CYCLES_IDLE], .thread = thread, .hart = changes->hart,
        .is_off = changes->is_off,
    };
}

static void thread_changes(void *arg, uint64_t before, uint64_t thread)
{
    (void)before;
    add_change(arg, (uint32_t)thread);
}

static void follow_harts(struct kernel_records *collector, struct machine *machine)
{
    struct hart_changes *changes = calloc(machine->harts, sizeof *changes);

    collector->following = changes;
    collector->has_failed |= changes == NULL;
    for (unsigned i = 0; i < machine->harts && changes != NULL; i++) {
        struct pmu *pmu = &machine->cpu[i].pmu;

        changes[i] = (struct hart_changes){
            .collector = collector, .pmu = pmu, .hart = i, .is_off = collector->starts_paused,
            .listener = {.changed = thread_changes, .arg = &changes[i]},
        };
        add_change(&changes[i], (uint32_t)pmu->thread.id);
        pmu_listen(&pmu->thread, &changes[i].listener);
    }
}

/* At the end of the run, ends the last thread of each hart. */
static void leave_harts(struct kernel_records *collector)
{
    struct hart_changes *changes = collector->following;

    for (unsigned i = 0; i < collector->harts && changes != NULL; i++) {
        add_change(&changes[i], (uint32_t)changes[i].pmu->thread.id);
        pmu_unlisten(&changes[i].pmu->thread, &changes[i].listener);
    }
    free(changes);
    collector->following = NULL;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Records were switched off or on. The host receives this record at once, with the time of the hart
 * that asked for it: replaces it by the time of the record's own hart. */
static void change_state(struct kernel_records *collector, struct kernel_record *record)
{
    struct hart_changes *hart = collector->following;

    if (hart == NULL || record->hart >= collector->harts)
        return;
    hart += record->hart;
    hart->is_off = record->event == KERNEL_PAUSE;
    add_change(hart, record->thread);
    record->cycle = hart->pmu->events[EVENT_CYCLES];
}

static void take(void *arg, unsigned hart, const struct kernel_record *record, size_t count)
{
    struct kernel_records *collector = arg;

    (void)hart;
    for (size_t i = 0; i < count; i++)
        collector->was_asked |= record[i].event == KERNEL_ASKED;
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
    for (size_t i = 0; i < count; i++) {
        struct kernel_record *taken = &collector->record[collector->records++];

        key(collector, taken);
        if (taken->event == KERNEL_PAUSE || taken->event == KERNEL_RESUME)
            change_state(collector, taken);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static uint64_t now(const struct machine *machine)
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->cpu[i].pmu.events[EVENT_CYCLES] > cycles)
            cycles = machine->cpu[i].pmu.events[EVENT_CYCLES];
    return cycles;
}

enum err kernel_records_begin(struct kernel_records *collector, struct machine *machine,
                              struct diag *diag)
{
    uint64_t kinds = collector->is_silent ? KERNEL_RING_COUNTS
                     : collector->starts_paused ? KERNEL_RING_PAUSED
                     : collector->may_pause ? KERNEL_RING_OPEN : KERNEL_RING_ALL;

    if (machine->kernel == NULL && !machine->image->is_linux)
        return diag_set(diag, ERR_USAGE, "%s runs without the guest kernel, which runs Linux "
                        "programs only", machine->image->path);
    if (machine->kernel == NULL)
        return diag_set(diag, ERR_USAGE, "%s runs without the guest kernel; --os kernel runs it "
                        "there", machine->image->path);
    collector->host = machine->kernel;
    machine->kernel->records = take;
    machine->kernel->records_arg = collector;
    collector->harts = machine->harts;
    collector->start = now(machine);
    if (collector->wants_changes)
        follow_harts(collector, machine);
    for (unsigned i = 0; i < machine->harts && collector->starts_paused; i++)
        take(collector, i, &(struct kernel_record){
            .event = KERNEL_PAUSE, .cycle = collector->start, .hart = (uint16_t)i,
            .thread = (uint32_t)machine->cpu[i].pmu.thread.id}, 1);
    kernel_host_record(machine->kernel, kinds);
    return ERR_OK;
}

enum err kernel_records_end(struct kernel_records *collector, struct machine *machine,
                            struct diag *diag)
{
    kernel_host_drain(machine->kernel);
    machine->kernel->records = NULL;
    collector->host = NULL;
    leave_harts(collector);
    collector->end = now(machine);
    if (collector->has_failed)
        return diag_no_memory(diag, "records");
    for (size_t i = 0; i < collector->records; i++)
        if (collector->record[i].cycle > collector->end)
            collector->end = collector->record[i].cycle;
    return sched_sort(collector->record, collector->records, diag);
}

/* True if no hart runs a thread of a program. */
static bool all_idle(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->cpu[i].pmu.thread.id >= KERNEL_SAMPLER_TID + KERNEL_SAMPLER_MAX)
            return false;
    return true;
}

/* Runs the machine in pieces of `patience` cycles, until all harts idled for a whole piece. */
static void run_patiently(struct kernel_records *collector, struct machine *machine,
                          const struct limits *limits)
{
    const double started = job_seconds();
    struct limits piece = *limits;
    size_t before;

    do {
        before = collector->changes;
        piece.max_cycles = machine_cycles(machine) + collector->patience;
        if (limits->max_cycles != 0 && limits->max_cycles < piece.max_cycles)
            piece.max_cycles = limits->max_cycles;
        if (limits->timeout_seconds > 0)
            piece.timeout_seconds = fmax(limits->timeout_seconds - (job_seconds() - started), 1e-9);
        machine_run(machine, &piece);
        if (machine->result.reason != RESULT_MAX_CYCLES || piece.max_cycles == limits->max_cycles)
            return;
    } while (collector->changes != before || !all_idle(machine));
    collector->is_given_up = true;
    machine->result.reason = RESULT_HALTED;
}

static enum err run_recorded(void *arg, struct job *job, const struct limits *limits,
                             struct diag *diag)
{
    struct kernel_records *collector = arg;
    struct machine *machine = &job->machine;
    enum err err = kernel_records_begin(collector, machine, diag);

    collector->target = &job->target;
    if (err == ERR_OK && collector->begins != NULL)
        err = collector->begins(collector->arg, machine, diag);
    if (err != ERR_OK)
        return err;
    if (collector->patience != 0)
        run_patiently(collector, machine, limits);
    else
        machine_run(machine, limits);
    err = kernel_records_end(collector, machine, diag);
    if (err != ERR_OK)
        return err;
    return collector->ended != NULL ? collector->ended(collector->arg, machine, diag)
                                    : ERR_OK;
}

static void free_names(struct kernel_records *collector)
{
    array_free_texts(collector->name, collector->names, sizeof *collector->name,
                     offsetof(struct profile_thread_name, name));
}

static enum err keep_names(struct kernel_records *collector, const struct profile *profile,
                           struct diag *diag)
{
    free_names(collector);
    collector->name = array_copy_texts(profile->thread_name, profile->thread_names,
                                       sizeof *collector->name,
                                       offsetof(struct profile_thread_name, name));
    collector->names = collector->name != NULL ? profile->thread_names : 0;
    return collector->name != NULL ? ERR_OK : diag_no_memory(diag, "threads");
}

enum err kernel_records_take(struct kernel_records *collector, struct tool *tool,
                             struct diag *diag)
{
    const struct trial trial = {
        .what = collector->stage != NULL ? collector->stage : "recording",
        .slices = run_recorded, .slices_arg = collector, .no_monitor = true,
        .wants = collector->wants, .marks = collector->marks, .counters = collector->counters,
    };
    struct trial_result result;
    enum err err = tool_run(tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    collector->cycles = result.cycles;
    collector->is_cut = result_is_cut(result.end);
    err = keep_names(collector, &result.profile, diag);
    profile_free(&result.profile);
    if (err == ERR_OK && collector->was_asked && tool->runs == 1)
        fprintf(stderr, "rvsim %s: note: the program writes to /sys/kernel/tracing/tracing_on, "
                "which changes nothing here: times without some of the records would be wrong\n",
                tool->name);
    return err;
}

void kernel_records_free(struct kernel_records *records)
{
    free_names(records);
    free(records->record);
    free(records->change);
    free(records->following);
}

static struct sched_log log_of(const struct kernel_records *records)
{
    return (struct sched_log){
        .record = records->record, .records = records->records, .change = records->change,
        .changes = records->changes, .harts = (unsigned)records->harts,
    };
}

enum err kernel_records_charge(const struct kernel_records *records, struct idle_charge *charge,
                               struct diag *diag)
{
    const struct sched_log log = log_of(records);

    return idle_charge_make(charge, &log, diag);
}

static enum err write_log(void *arg, FILE *out, struct diag *diag)
{
    return sched_log_write(arg, out, diag);
}

enum err kernel_records_write(const struct kernel_records *records, const char *path,
                              struct diag *diag)
{
    struct sched_log log = log_of(records);

    return path != NULL ? tool_write(path, write_log, &log, diag) : ERR_OK;
}

enum err kernel_records_timeline(const struct kernel_records *records, uint64_t start,
                                 struct timeline *timeline, struct diag *diag)
{
    timeline_init(timeline);
    timeline->has_limits = true;
    timeline->start = start;
    timeline->end = records->end;
    timeline->hart_end = calloc(records->harts + 1, sizeof timeline->hart_end[0]);
    if (timeline->hart_end == NULL)
        return diag_no_memory(diag, "a trace");
    for (size_t i = 0; i < records->changes; i++)
        timeline->hart_end[records->change[i].hart] = records->change[i].cycles;
    timeline->harts = records->changes != 0 ? records->harts : 0;
    return sched_timeline(timeline, records->record, records->records, diag);
}

int kernel_records_command(const struct command_line *line, const char *name, bool shows_output,
                           struct kernel_records *records, kernel_records_show *show)
{
    struct diag diag = {""};
    struct tool tool;
    enum err err = tool_open(&tool, name, line, TOOL_KERNEL, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = shows_output;
    if (records->prepare != NULL)
        err = records->prepare(records, &tool, &diag);
    if (err == ERR_OK)
        err = kernel_records_take(records, &tool, &diag);
    if (err == ERR_OK)
        err = show(records, &tool, &diag);
    kernel_records_free(records);
    return tool_end(&tool, err, &diag);
}
