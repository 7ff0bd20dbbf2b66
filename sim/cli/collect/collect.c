/* Copies the measurements of the machine and its profiler to a profile: plain data, from the begin
 * of detail on. */
#include <stdlib.h>
#include <string.h>

#include "isa/trap.h"
#include "pmu/monitor/monitor.h"
#include "pmu/pmu_modes.h"
#include "pmu/sorted.h"
#include "prof/profile/profile_modes.h"
#include "sim/cli/collect/collect.h"
#include "sim/cli/job/counts.h"
#include "sim/cli/job/regions.h"
#include "sim/cli/job/untimed.h"
#include "sim/run/linux/process.h"

static uint64_t event_of(const struct job *job, unsigned hart, unsigned event)
{
    uint64_t before = job->before != NULL ? job->before[hart * EVENT_COUNT + event] : 0;

    return (job->after != NULL ? job->after[hart * EVENT_COUNT + event]
                               : job->machine.cpu[hart].pmu.events[event]) - before;
}

uint64_t collect_cycles_before(const struct job *job, unsigned hart)
{
    return job->before != NULL ? job->before[hart * EVENT_COUNT + EVENT_CYCLES] : 0;
}

uint64_t collect_event(const struct job *job, unsigned event)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < job->machine.harts; i++)
        sum += event_of(job, i, event);
    return sum;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool collect_names(struct job *job)
{
    struct profile *profile = &job->profile;

    profile->event_name = profile_alloc(profile, EVENT_COUNT, sizeof profile->event_name[0]);
    for (unsigned code = 0; profile->event_name != NULL && code < EVENT_COUNT; code++)
        if (untimed_is_counted(job, code))
            profile->event_name[profile->events++] = event_name(code);
    return profile->event_name != NULL;
}

static bool collect_hart(struct job *job, unsigned index)
{
    struct profile *profile = &job->profile;
    struct profile_hart *hart = &profile->hart[index];
    size_t at = 0;

    hart->cycles = event_of(job, index, EVENT_CYCLES);
    hart->instructions = event_of(job, index, EVENT_INSNS_RETIRED);
    hart->event = profile_alloc(profile, profile->events, sizeof hart->event[0]);
    for (unsigned code = 0; hart->event != NULL && code < EVENT_COUNT; code++)
        if (untimed_is_counted(job, code))
            hart->event[at++] = event_of(job, index, code);
    return hart->event != NULL;
}

/* Only with a monitor on the machine; otherwise there are no events of a monitor. */
static bool collect_monitor_events(struct job *job)
{
    struct profile *profile = &job->profile;
    size_t at = 0;

    if (job->monitor != MONITOR_GUEST)
        return true;
    profile->monitor_event = profile_alloc(profile, profile->events,
                                           sizeof profile->monitor_event[0]);
    for (unsigned code = 0; profile->monitor_event != NULL && code < EVENT_COUNT; code++) {
        if (!untimed_is_counted(job, code))
            continue;
        for (unsigned i = 0; i < job->machine.harts; i++)
            profile->monitor_event[at] += pmu_monitor_event(&job->machine.cpu[i].pmu, code);
        at++;
    }
    return profile->monitor_event != NULL;
}

static bool collect_events(struct job *job)
{
    struct profile *profile = &job->profile;

    if (!collect_names(job))
        return false;
    profile->event = profile_alloc(profile, profile->events, sizeof profile->event[0]);
    profile->hart = profile_alloc(profile, job->machine.harts, sizeof profile->hart[0]);
    if (profile->event == NULL || profile->hart == NULL)
        return false;
    for (unsigned i = 0; i < job->machine.harts; i++) {
        const struct profile_hart *hart = &profile->hart[profile->harts++];

        if (!collect_hart(job, i))
            return false;
        for (size_t k = 0; k < profile->events; k++)
            profile->event[k] += hart->event[k];
        profile->instructions += hart->instructions;
        if (hart->cycles > profile->cycles)
            profile->cycles = hart->cycles;
    }
    return collect_monitor_events(job);
}

/* The events of all harts in user mode. */
static bool collect_user_events(struct job *job)
{
    struct profile *profile = &job->profile;
    unsigned harts = job->machine.harts;
    uint64_t *end = job->after == NULL ? regions_snapshot(&job->machine) : NULL;
    const uint64_t *now = job->after != NULL ? job->after : end;
    size_t at = 0;

    profile->user_event = profile_alloc(profile, profile->events, sizeof profile->user_event[0]);
    if (profile->user_event == NULL || now == NULL)
        return false;
    for (unsigned code = 0; code < EVENT_COUNT; code++) {
        if (!untimed_is_counted(job, code))
            continue;
        for (unsigned i = 0; i < harts; i++)
            profile->user_event[at] += regions_user_events(now, harts, i)[code];
        at++;
    }
    free(end);
    return true;
}

/* which: 0: cycles, 1: instructions of this hart in user mode. */
static uint64_t user_of(const struct job *job, const uint64_t *now, unsigned hart, unsigned which)
{
    size_t at = job->machine.harts * (size_t)EVENT_COUNT + 2 * hart + which;

    return now[at] - (job->before != NULL ? job->before[at] : 0);
}

static bool collect_modes(struct job *job)
{
    struct profile *profile = &job->profile;
    struct profile_modes *modes = profile_alloc(profile, 1, sizeof *modes);
    uint64_t *end = job->after == NULL ? regions_snapshot(&job->machine) : NULL;
    const uint64_t *now = job->after != NULL ? job->after : end;

    if (modes != NULL)
        modes->hart = profile_alloc(profile, profile->harts, sizeof modes->hart[0]);
    if (modes == NULL || modes->hart == NULL || now == NULL)
        return false;
    modes->harts = profile->harts;
    modes->boot_instructions = job->machine.boot_insns;
    for (unsigned i = 0; i < profile->harts; i++) {
        struct profile_hart_modes *hart = &modes->hart[i];

        hart->user = (struct profile_mode){user_of(job, now, i, 0), user_of(job, now, i, 1)};
        hart->idle.cycles = event_of(job, i, EVENT_CYCLES_IDLE);
        hart->kernel.cycles = profile->hart[i].cycles - hart->user.cycles - hart->idle.cycles;
        hart->kernel.instructions = profile->hart[i].instructions - hart->user.instructions;
    }
    free(end);
    profile_add_modes(modes);
    profile->modes = modes;
    return true;
}

/* ---- marks ----------------------------------------------------------------------------------- */

bool collect_shares(struct job *job, enum profiler_book book, uint64_t place,
                    struct profile_shares *shares)
{
    const struct ledger_row *row;
    size_t rows;

    row = profiler_thread_rows(job->profiler, book, place, &rows);
    *shares = (struct profile_shares){.count = rows};
    if (rows == 0)
        return true;
    shares->share = profile_alloc(&job->profile, rows, sizeof shares->share[0]);
    for (size_t i = 0; shares->share != NULL && i < rows; i++) {
        shares->share[i].thread = row[i].thread;
        for (unsigned k = 0; k < LEDGER_VALUES; k++)
            shares->share[i].value[k] = row[i].value[k];
    }
    return shares->share != NULL;
}

static const char *flag_words(struct profile *profile, unsigned flags)
{
    const struct meta_flag *flag;
    char text[256] = "";
    size_t length = 0;

    for (size_t i = 0; (flag = meta_flag(i)) != NULL; i++)
        if ((flags & flag->mark) != 0)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                       length != 0 ? " " : "", flag->name);
    return profile_text(profile, text);
}

/* A granule of data may begin before the marked bytes; it is named by the first of these. */
static uint64_t address_of(const struct profiler_mark *from)
{
    const struct perfinst_site *site = from->site;
    const struct meta_mark *origin = from->origin;

    return origin != NULL && !site->is_code && origin->address > site->va &&
           origin->address < site->va + site->bytes ? origin->address : site->va;
}

/* The entry that a mark comes from: "app.meta:3". */
static const char *source_of(struct job *job, const struct meta_mark *origin)
{
    char source[256] = "";

    if (origin != NULL)
        snprintf(source, sizeof source, "%.200s:%u", job->meta.file[origin->file], origin->line);
    return profile_text(&job->profile, source);
}

static bool is_same_entry(const struct meta_mark *a, const struct meta_mark *b)
{
    return a != NULL && b != NULL && a->file == b->file && a->line == b->line;
}

/* before: the mark collected before this one, whose texts serve again; NULL: none. */
static bool collect_mark(struct job *job, const struct profiler_mark *from,
                         const struct profiler_mark *before)
{
    struct profile *profile = &job->profile;
    struct profile_mark *mark = &profile->mark[profile->marks++];
    const struct perfinst_site *site = from->site;
    bool has_flags = before != NULL && before->site->action.flags == site->action.flags;
    bool has_source = before != NULL && is_same_entry(before->origin, from->origin);

    *mark = (struct profile_mark){
        .address = address_of(from), .bytes = site->bytes, .is_code = site->is_code,
        .has_counter = (site->action.flags & MARK_COUNTER) != 0,
        .flags = has_flags ? mark[-1].flags : flag_words(profile, site->action.flags),
        .label = site->action.label,
        .limit = site->action.limit, .count = from->count, .interrupts = from->interrupts,
        .source = has_source ? mark[-1].source : source_of(job, from->origin),
    };
    return mark->flags != NULL && mark->source != NULL &&
           collect_shares(job, PROFILER_MARKS, site->item, &mark->by_thread);
}

/* Adds the counts of a work area that are not zero, as marks. */
static bool collect_cells(struct job *job, const struct profiler_area *piece)
{
    struct profile *profile = &job->profile;
    const struct meta_area *area = piece->area;
    uint64_t first = piece->va / area->granule * area->granule;
    uint64_t place = piece->pa / area->granule * area->granule;
    char text[256];
    const char *source;

    snprintf(text, sizeof text, "%.200s:%u", job->meta.file[area->file], area->line);
    source = profile_text(profile, text);
    for (uint64_t i = 0; source != NULL && i < piece->cells; i++) {
        struct profile_mark *mark = &profile->mark[profile->marks];

        if (piece->count[i] == 0)
            continue;
        profile->marks++;
        *mark = (struct profile_mark){
            .address = first + i * area->granule, .bytes = area->granule, .is_code = area->is_code,
            .has_counter = true, .flags = "counter area", .count = piece->count[i],
            .source = source,
        };
        if (!collect_shares(job, PROFILER_MARKS, place + i * area->granule, &mark->by_thread))
            return false;
    }
    return source != NULL;
}

static size_t count_cells(const struct profiler_area *area, size_t areas)
{
    size_t count = 0;

    for (size_t i = 0; i < areas; i++)
        for (uint64_t k = 0; k < area[i].cells; k++)
            count += area[i].count[k] != 0;
    return count;
}

static int compare_marks(const void *a, const void *b)
{
    const struct profile_mark *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->is_code - y->is_code;
}

static bool collect_marks(struct job *job)
{
    struct profile *profile = &job->profile;
    const struct profiler_mark *mark;
    const struct profiler_area *area;
    size_t count = profiler_marks(job->profiler, &mark);
    size_t areas = profiler_areas(job->profiler, &area);

    profile->mark = profile_alloc(profile, count + count_cells(area, areas) + 1,
                                  sizeof profile->mark[0]);
    for (size_t i = 0; profile->mark != NULL && i < count; i++)
        if (!collect_mark(job, &mark[i], i != 0 ? &mark[i - 1] : NULL))
            return false;
    for (size_t i = 0; profile->mark != NULL && i < areas; i++)
        if (!collect_cells(job, &area[i]))
            return false;
    if (profile->mark != NULL && areas != 0)
        qsort(profile->mark, profile->marks, sizeof profile->mark[0], compare_marks);
    return profile->mark != NULL;
}

static bool collect_ranges(struct job *job)
{
    struct profile *profile = &job->profile;
    const struct profiler_range *range;
    size_t count = profiler_ranges(job->profiler, &range);

    profile->range = profile_alloc(profile, count + 1, sizeof profile->range[0]);
    for (size_t i = 0; profile->range != NULL && i < count; i++, range++) {
        struct profile_range *to = &profile->range[profile->ranges++];
        unsigned place = (unsigned)(range->name[1] - '0') + (range->is_data ? PROF_RANGES : 0);

        *to = (struct profile_range){
            .name = profile_text(profile, range->name),
            .place = profile_text(profile, range->range->name), .is_data = range->is_data,
            .start = range->range->start, .end = range->range->end, .entries = range->entries,
            .executed = range->executed,
        };
        if (!collect_shares(job, PROFILER_RANGES, place, &to->by_thread))
            return false;
    }
    return profile->range != NULL;
}

/* ---- records of the monitor ------------------------------------------------------------------ */

int collect_compare_records(const void *a, const void *b)
{
    const struct profile_record *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->interrupts != y->interrupts)
        return x->interrupts > y->interrupts ? -1 : 1;
    for (unsigned i = 0; i < x->depth && i < y->depth; i++)
        if (x->stack[i] != y->stack[i])
            return x->stack[i] < y->stack[i] ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static bool is_up_to(const void *row, const void *address)
{
    const struct profile_mark *mark = row;

    return mark->address <= *(const uint64_t *)address;
}

/* The mark that raised the interrupt. */
static const struct profile_mark *mark_of(const struct profile *profile,
                                          const struct monitor_record *record)
{
    bool is_data = (record->flags & MARK_DATA) != 0;
    uint64_t address = is_data ? record->daddr_last : record->iaddr;
    size_t place = sorted_place(profile->mark, profile->marks, sizeof profile->mark[0], is_up_to,
                                &address);

    if (place == 0 || address - profile->mark[place - 1].address >= profile->mark[place - 1].bytes)
        return NULL;
    return &profile->mark[place - 1];
}

/* A counter with a limit has counted executions when it interrupts, and is cleared. Without a limit
 * each execution interrupts. */
static bool counts_executions(const struct profile *profile, const struct monitor_record *record)
{
    const struct profile_mark *mark = mark_of(profile, record);

    if ((record->flags & MARK_HINT) != 0 || IND_KIND(record->flags) != IND_KIND_MARK)
        return false;
    return mark != NULL && mark->limit != 0;
}

/* The kind of trap from which a return returns, by mcause or scause. */
static unsigned trap_kind(uint64_t count)
{
    unsigned cause = (unsigned)IND_CAUSE(count);

    if ((count & IND_COUNT_INTERRUPT) != 0)
        return IND_KIND_INTERRUPT;
    return cause == TRAP_ECALL_U || cause == TRAP_ECALL_S || cause == TRAP_ECALL_M
               ? IND_KIND_SYSCALL : IND_KIND_EXCEPTION;
}

/* Names of system calls are Linux's, for programs that the simulator serves. */
static void collect_trap(const struct job *job, const struct monitor_record *from,
                         struct profile_record *record)
{
    unsigned kind = IND_KIND(from->flags);

    if (!monitor_is_transfer(from->flags))
        return;
    record->cause = (uint32_t)IND_CAUSE(from->count_sum);
    record->number = (uint32_t)IND_NUMBER(from->count_sum);
    record->trap = kind != IND_KIND_XRET ? kind : trap_kind(from->count_sum);
    if (record->trap == IND_KIND_SYSCALL && job->machine.process != NULL)
        record->name = process_syscall_name(record->number);
}

static bool collect_record(struct job *job, const struct monitor_record *from, uint64_t slot)
{
    struct profile *profile = &job->profile;
    struct profile_record *record = &profile->record[profile->records++];
    bool is_sum = counts_executions(profile, from);

    *record = (struct profile_record){
        .address = from->iaddr, .data_address = from->daddr_last, .interrupts = from->samples,
        .executions = is_sum ? from->count_sum : from->samples, .cycles = from->cycles_sum,
        .instructions = from->insns_sum, .is_data = (from->flags & MARK_DATA) != 0,
        .kind = IND_KIND(from->flags), .walk = from->walk,
        .depth = from->depth <= MONITOR_DEPTH_MAX ? from->depth : MONITOR_DEPTH_MAX,
    };
    collect_trap(job, from, record);
    record->stack = profile_alloc(profile, record->depth + 1u, sizeof record->stack[0]);
    for (unsigned i = 0; record->stack != NULL && i < record->depth; i++)
        record->stack[i] = from->stack[i];
    if (record->stack == NULL ||
        !collect_shares(job, PROFILER_RECORDS, slot, &record->by_thread))
        return false;
    for (size_t i = 0; i < record->by_thread.count && !is_sum; i++)
        record->by_thread.share[i].value[1] = record->by_thread.share[i].value[0];
    return true;
}

static bool collect_records(struct job *job)
{
    struct profile *profile = &job->profile;
    const struct monitor_record *record = NULL;
    const struct monitor_header *header = profiler_records(job->profiler, &record);
    const uint32_t *slot = profiler_slots(job->profiler);
    uint64_t used = header != NULL ? header->used : 0;

    profile->lost = profiler_lost(job->profiler);
    profile->throttled = profiler_throttled(job->profiler);
    profile->interrupts = header != NULL ? header->interrupts : 0;
    profile->dropped = header != NULL ? header->dropped : 0;
    profile->record = profile_alloc(profile, used + 1, sizeof profile->record[0]);
    for (uint64_t i = 0; profile->record != NULL && i < used; i++)
        if (!collect_record(job, &record[slot[i]], slot[i]))
            return false;
    if (profile->record != NULL)
        qsort(profile->record, profile->records, sizeof profile->record[0],
              collect_compare_records);
    return profile->record != NULL && collect_samples(job);
}

/* Checked in every run, so that no report is based on inconsistent sums. */
static enum err check_accounts(const struct job *job, struct diag *diag)
{
    const struct machine *machine = &job->machine;
    char text[256];

    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->core[i] != NULL &&
            (!core_accounts_are_exact(machine->core[i], text, sizeof text) ||
             !core_oracle_is_exact(machine->core[i], text, sizeof text)))
            return diag_set(diag, ERR_INTERNAL, "hart %u: %s", i, text);
    return ERR_OK;
}

enum err collect_profile(struct job *job, struct diag *diag)
{
    enum err err = check_accounts(job, diag);

    if (err != ERR_OK)
        return err;
    job->profile = (struct profile){0};
    if (!collect_run(job) || !collect_events(job) ||
        (job->machine.kernel != NULL && !collect_modes(job)) ||
        (job->user_part != NULL && !collect_user_events(job)) || !regions_collect(job) ||
        !collect_oracle(job) || !collect_calls(job) || !collect_over_time(job) ||
        !collect_maps(job))
        return diag_no_memory(diag, "results");
    err = collect_threads(job, diag);
    if (err != ERR_OK)
        return err;
    if (job->profiler == NULL)
        return ERR_OK;
    err = profiler_collect(job->profiler, diag);
    if (err == ERR_OK && !(counts_collect(job) && collect_marks(job) && collect_ranges(job) &&
                           collect_records(job)))
        err = diag_no_memory(diag, "results");
    return err;
}
