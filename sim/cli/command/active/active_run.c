/* See active_run.h. */
#include "sim/cli/command/active/active_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/op.h"
#include "prof/active/active_records.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/host/counting.h"
#include "sim/host/paths.h"
#include "sim/run/kernel/kernel_wants.h"

/* ---- results of a time line ------------------------------------------------------------------ */

static enum err read_timeline(struct active_run_all *all, enum active_way way, uint64_t cycles,
                              struct diag *diag)
{
    struct timeline *timeline = &all->timeline[way];
    enum err err = timeline_sort(timeline, diag);

    if (err == ERR_OK)
        err = active_make(&all->active[way], timeline, diag);
    for (unsigned i = 0; i < all->sections && err == ERR_OK; i++) {
        struct active_result *result = &all->result[i][way];
        long name = names_find(&timeline->name, all->section[i].name);
        struct active_sum sum = {0};

        result->cycles = cycles;
        if (name == NAMES_NONE)
            continue;
        active_sum(&all->active[way], (uint32_t)name, NULL, &sum);
        memcpy(result->part, sum.total, sizeof result->part);
        result->entries = sum.activations + sum.inner;
        result->incomplete = sum.incomplete;
        err = active_spread(&all->active[way], (uint32_t)name, ACTIVE_ACTIVE, &result->spread,
                            diag);
    }
    return err;
}

/* ---- the oracle ------------------------------------------------------------------------------ */

/* Some of the sections, as measured in one run. */
struct group { unsigned first, count; };

struct oracle_run {
    struct active_run_all *all;
    enum active_way way;            /* whose run it is */
    struct group group;             /* of sections */
    struct active_oracle *oracle;
    struct timeline *timeline;
};

static enum err oracle_begins(void *arg, struct machine *machine, struct diag *diag)
{
    struct oracle_run *run = arg;

    return active_oracle_open(&run->oracle, machine, run->all->section, run->all->sections,
                              run->timeline)
               ? ERR_OK : diag_no_memory(diag, "sections");
}

static enum err oracle_ended(void *arg, const struct machine *machine, struct diag *diag)
{
    struct oracle_run *run = arg;

    for (unsigned i = run->group.first; i < run->group.first + run->group.count; i++) {
        run->all->result[i][run->way].user = active_oracle_user(run->oracle, i);
        run->all->result[i][run->way].end = machine->result.reason;
    }
    return active_oracle_end(run->oracle, diag);
}

/* A run for the records, which the oracle watches. */
static enum err take_watched(struct oracle_run *run, struct tool *tool,
                             struct kernel_records *records, struct diag *diag)
{
    enum err err;

    records->begins = oracle_begins;
    records->ended = oracle_ended;
    records->arg = run;
    err = kernel_records_take(records, tool, diag);
    active_oracle_free(run->oracle);
    return err;
}

static enum err run_oracle(struct active_run_all *all, struct tool *tool, struct diag *diag)
{
    struct kernel_records records = {.stage = "as it is", .is_silent = true};
    struct oracle_run run = {
        .all = all, .way = ACTIVE_ORACLE, .group = {0, all->sections},
        .timeline = &all->timeline[ACTIVE_ORACLE],
    };
    enum err err = take_watched(&run, tool, &records, diag);

    if (err == ERR_OK)
        err = read_timeline(all, ACTIVE_ORACLE, records.cycles, diag);
    for (unsigned i = 0; i < all->sections; i++)
        all->result[i][ACTIVE_ORACLE].truth = all->result[i][ACTIVE_ORACLE].part[ACTIVE_ACTIVE];
    kernel_records_free(&records);
    return err;
}

/* The truth of a run with probes or marks in these sections. */
static enum err add_truth(const struct oracle_run *run, struct diag *diag)
{
    struct active_run_all *all = run->all;
    const struct group *group = &run->group;
    struct timeline *timeline = run->timeline;
    struct active active;
    enum err err = timeline_sort(timeline, diag);

    if (err != ERR_OK)
        return err;
    err = active_make(&active, timeline, diag);
    for (unsigned i = group->first; i < group->first + group->count && err == ERR_OK; i++) {
        long name = names_find(&timeline->name, all->section[i].name);
        struct active_sum sum = {0};

        if (name != NAMES_NONE)
            active_sum(&active, (uint32_t)name, NULL, &sum);
        all->result[i][run->way].truth = sum.total[ACTIVE_ACTIVE];
        all->result[i][run->way].incomplete = sum.incomplete;
    }
    active_free(&active);
    return err;
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* run: of the oracle; NULL: nobody watches. */
static enum err take_probes(struct active_run_all *all, struct tool *tool,
                            struct kernel_records *records, struct oracle_run *run,
                            struct diag *diag)
{
    uint64_t address[ACTIVE_SECTIONS];
    const char *name[ACTIVE_SECTIONS];
    const struct kernel_wants wants = {.probe = address, .probes = all->sections};
    enum err err;

    for (unsigned i = 0; i < all->sections; i++) {
        address[i] = all->section[i].address;
        name[i] = all->section[i].name;
    }
    records->wants = &wants;
    err = run != NULL ? take_watched(run, tool, records, diag)
                      : kernel_records_take(records, tool, diag);
    records->wants = NULL;
    if (err == ERR_OK)
        err = active_add_records(&all->timeline[ACTIVE_PROBES], records->record,
                                 records->records, name, diag);
    return err;
}

static enum err run_probes(struct active_run_all *all, struct tool *tool, struct diag *diag)
{
    struct kernel_records records = {.stage = "with probes"};
    struct timeline *timeline = &all->timeline[ACTIVE_PROBES], truth;
    struct oracle_run run = {
        .all = all, .way = ACTIVE_PROBES, .group = {0, all->sections}, .timeline = &truth,
    };
    enum err err;

    timeline_init(&truth);
    active_run_set_cost(timeline, &all->cost);
    err = take_probes(all, tool, &records, &run, diag);
    if (err == ERR_OK)
        err = read_timeline(all, ACTIVE_PROBES, records.cycles, diag);
    if (err == ERR_OK)
        err = add_truth(&run, diag);
    timeline_free(&truth);
    kernel_records_free(&records);
    return err;
}

/* ---- calibration ----------------------------------------------------------------------------- */

/* guest/calibrate: `outer` calls `inner`, which is empty, this many times. */
enum { CALIBRATE_CALLS = 64, OUTER = 0, INNER = 1 };

/* Of a run: the median elapsed cycles of the sections, and the overhead in most records of an
 * event. */
struct calibration { uint64_t elapsed[2]; uint32_t entry_seen, exit_seen; };

/* The median of the overheads in the last records of the section, or in all if they are few. */
static uint32_t median_seen(const struct kernel_records *records, enum kernel_event event,
                            unsigned section)
{
    enum { SAMPLES = 63 };
    uint32_t sample[SAMPLES] = {0};
    unsigned count = 0;

    for (size_t i = 0; i < records->records && count < SAMPLES; i++) {
        const struct kernel_record *record = &records->record[i];
        unsigned at = count;

        if (record->event != event || record->value != section)
            continue;
        for (; at > 0 && sample[at - 1] > record->other; at--)
            sample[at] = sample[at - 1];
        sample[at] = record->other;
        count++;
    }
    return sample[count / 2];
}

/* Runs with probes in all sections. */
static enum err time_sections(struct active_run_all *all, struct tool *tool,
                              struct calibration *into, struct diag *diag)
{
    struct kernel_records records = {.stage = "with probes"};
    enum err err = take_probes(all, tool, &records, NULL, diag);

    if (err == ERR_OK)
        err = read_timeline(all, ACTIVE_PROBES, 0, diag);
    for (unsigned i = 0; i < all->sections && err == ERR_OK; i++) {
        const struct timeline *timeline = &all->timeline[ACTIVE_PROBES];
        long name = names_find(&timeline->name, all->section[i].name);
        struct spread spread = {0};

        if (name != NAMES_NONE)
            err = active_spread(&all->active[ACTIVE_PROBES], (uint32_t)name, ACTIVE_ELAPSED,
                                &spread, diag);
        into->elapsed[i] = spread.median;
    }
    into->entry_seen = median_seen(&records, KERNEL_ENTER, all->sections - 1);
    into->exit_seen = median_seen(&records, KERNEL_LEAVE, all->sections - 1);
    kernel_records_free(&records);
    return err;
}

static void make_timelines(struct active_run_all *all)
{
    for (unsigned way = 0; way < ACTIVE_HARDWARE; way++)
        timeline_init(&all->timeline[way]);
}

static enum err calibrate_with(struct tool *tool, const struct target *target, unsigned sections,
                               struct calibration *into, struct diag *diag)
{
    static const char *const name[] = {"outer", "inner"};
    struct active_run_all all = {.sections = sections};
    enum err err = ERR_OK;

    make_timelines(&all);
    for (unsigned i = 0; i < sections; i++) {
        const struct symbols_entry *entry = symbols_find(target->symbols, name[i]);

        if (entry == NULL)
            return diag_set(diag, ERR_USAGE, "%s: has no %s", target->image.path, name[i]);
        all.section[i] = (struct active_section){name[i], entry->address};
    }
    err = time_sections(&all, tool, into, diag);
    active_run_free(&all);
    return err;
}

/* The cycles that a probe at the entry and one at the exit add. The exit probe's cycles before its
 * record fall into the section and count as the entry's. So the overhead of the last record does
 * not count, and a whole pair has both. `inner` itself takes a cycle, from its first instruction to
 * its second. */
static struct active_probe_cost cost_of(const struct calibration *with, uint64_t without)
{
    uint64_t inner = with->elapsed[INNER], outer = with->elapsed[OUTER];
    uint64_t pair = outer > without ? (outer - without) / CALIBRATE_CALLS : 0;
    struct active_probe_cost cost = {.entry = inner > 1 ? inner - 1 : 0};

    cost.exit = pair > cost.entry ? pair - cost.entry : 0;
    cost.entry_seen = with->entry_seen < cost.entry ? with->entry_seen : cost.entry;
    cost.exit_seen = with->exit_seen < cost.exit ? with->exit_seen : cost.exit;
    return cost;
}

/* The options of the run that are about the user's program, its symbols or its length do not apply
 * to the calibration program. */
static void choose_program(struct options *options, char **argv)
{
    options->program_argv = argv;
    options->program_path = argv[0];
    options->program_argc = 1;
    options->os = PROGRAM_OS_KERNEL;
    options->limits = (struct limits){.max_insns = 0};
    options->roi = options->roi_end = NULL;
    options->fast_forward = options->warm = 0;
    options->meta.count = 0;
}

enum err active_run_calibrate(struct tool *of, struct active_probe_cost *cost,
                              struct diag *diag)
{
    char path[PATHS_MAX], *argv[] = {path, NULL};
    struct calibration with = {.entry_seen = 0}, without = with;
    struct tool tool = *of;
    struct target target;
    enum err err;

    paths_calibrate(path);
    err = target_open(&target, path, diag);
    if (err != ERR_OK)
        return err;
    choose_program(&tool.options, argv);
    tool.shows_output = false;
    tool.told = (struct tool_runs){.runs = 0};      /* these runs are of another program */
    err = calibrate_with(&tool, &target, 2, &with, diag);
    if (err == ERR_OK && !tool.is_interrupted)
        err = calibrate_with(&tool, &target, 1, &without, diag);
    tool_runs_free(&tool.told);
    target_close(&target);
    if (err == ERR_OK && tool.is_interrupted) {
        of->is_interrupted = true;
        of->stop = tool.stop;
    }
    *cost = cost_of(&with, without.elapsed[OUTER]);
    return err;
}

void active_run_set_cost(struct timeline *timeline, const struct active_probe_cost *cost)
{
    timeline->overhead[TIMELINE_ENTER] = cost->entry - cost->entry_seen;
    timeline->overhead[TIMELINE_LEAVE] = cost->exit - cost->exit_seen;
}

/* ---- hardware -------------------------------------------------------------------------------- */

enum { REG_SP = 2, REG_T0 = 5 };

/* True if the function puts an address of its own into t0. Otherwise t0 holds the return address of
 * its caller, possibly reloaded from the stack. */
static bool has_own_t0(const struct symbols *symbols, const struct symbols_entry *entry)
{
    uint64_t end = entry->address + entry->bytes;
    struct insn insn;

    for (uint64_t pc = entry->address; pc < end && symbols_insn(symbols, pc, &insn);
         pc += insn.length)
        if (insn.rd == REG_T0 && !insn_is_call(&insn) &&
            (insn_info[insn.op].kind != KIND_LOAD || insn.rs1 != REG_SP))
            return true;
    return false;
}

/* True for returns, and jumps out of the function. */
static bool is_exit(const struct symbols_entry *entry, const struct insn *insn, uint64_t pc,
                    bool is_t0_own)
{
    uint64_t target = pc + (uint64_t)(int64_t)insn->imm;

    if (insn_is_return(insn))
        return insn->rs1 != REG_T0 || !is_t0_own;
    return insn->op == OP_jal && !insn_is_call(insn) && target - entry->address >= entry->bytes;
}

/* Section i has gate i + 1. */
static void write_marks(const struct tool *tool, const struct active_section *section,
                        unsigned gate, FILE *out)
{
    const struct symbols *symbols = tool->target.symbols;
    const struct symbols_entry *entry = symbols_at(symbols, section->address);
    const bool is_t0_own = has_own_t0(symbols, entry);
    uint64_t end = entry->address + entry->bytes;
    struct insn insn;

    fprintf(out, "0x%llx 2 start label=%u\n", (unsigned long long)section->address, gate);
    for (uint64_t pc = entry->address; pc < end && symbols_insn(symbols, pc, &insn);
         pc += insn.length)
        if (is_exit(entry, &insn, pc, is_t0_own))
            fprintf(out, "0x%llx 2 stop label=%u\n", (unsigned long long)pc, gate);
}

/* Each section gets a gate, and a counter of cycles while the gate is open, both per thread. */
static enum err prepare_hardware(const struct group *group, struct kernel_records *records,
                                 struct kernel_wants *wants, struct diag *diag)
{
    struct kernel_words *words = &wants->words;
    struct counting cycles;
    char text[32];

    words->states = group->count;
    words->counts = 2 * (unsigned long long)group->count;
    words->words = words->states + words->counts;
    for (unsigned i = 0; i < group->count; i++) {
        unsigned gate = PROF_REG_GATE + PROF_GATE_WORDS * (i + 1);
        enum err err;

        snprintf(text, sizeof text, "cycles:gate=%u", i + 1);
        err = counting_parse(&cycles, text, diag);
        if (err != ERR_OK)
            return err;
        records->counters.select[i] = cycles.select;
        words->reg[i] = (unsigned short)(gate + PROF_GATE_OPEN);
        words->reg[words->states + 2 * i] = (unsigned short)(PROF_REG_COUNTER + 3 + i);
        words->reg[words->states + 2 * i + 1] = (unsigned short)(gate + PROF_GATE_STARTS);
    }
    records->counters.count = group->count;
    records->wants = wants;
    return ERR_OK;
}

static void add_counts(struct active_run_all *all, const struct group *group,
                       const struct kernel_records *records)
{
    for (unsigned i = 0; i < group->count; i++)
        all->result[group->first + i][ACTIVE_HARDWARE].cycles = records->cycles;
    for (size_t i = 0; i < records->records; i++) {
        const struct kernel_record *record = &records->record[i];
        struct active_result *result;

        if (record->event != KERNEL_COUNT || record->other / 2 >= group->count)
            continue;
        result = &all->result[group->first + record->other / 2][ACTIVE_HARDWARE];
        if (record->other % 2 == 0)
            result->part[ACTIVE_ACTIVE] += record->value;
        else
            result->entries += record->value;
    }
}

static enum err run_group(struct active_run_all *all, const struct group *group, struct tool *tool,
                          struct diag *diag)
{
    struct kernel_wants wants = {.probes = 0};
    struct kernel_records records = {.stage = "with marks", .is_silent = true};
    struct timeline truth;
    struct oracle_run run = {
        .all = all, .way = ACTIVE_HARDWARE, .group = *group, .timeline = &truth,
    };
    char *marks = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&marks, &bytes);
    enum err err;

    timeline_init(&truth);
    if (out == NULL)
        return diag_no_memory(diag, "marks");
    for (unsigned i = 0; i < group->count; i++)
        write_marks(tool, &all->section[group->first + i], i + 1, out);
    err = fclose(out) == 0 ? prepare_hardware(group, &records, &wants, diag)
                           : diag_no_memory(diag, "marks");
    records.marks = marks;
    if (err == ERR_OK)
        err = take_watched(&run, tool, &records, diag);
    if (err == ERR_OK)
        add_counts(all, group, &records);
    if (err == ERR_OK)
        err = add_truth(&run, diag);
    timeline_free(&truth);
    kernel_records_free(&records);
    free(marks);
    return err;
}

/* A group has as many sections as there are counters. */
static enum err run_hardware(struct active_run_all *all, struct tool *tool, struct diag *diag)
{
    unsigned counters = tool->options.config.pmu_counters;
    struct group group = {.first = 0};
    enum err err = ERR_OK;

    for (; group.first < all->sections && err == ERR_OK && !tool->is_interrupted;
         group.first += group.count) {
        group.count = all->sections - group.first;
        group.count = group.count < counters ? group.count : counters;
        err = run_group(all, &group, tool, diag);
    }
    return err;
}

/* ---- all of them ----------------------------------------------------------------------------- */

enum err active_run(struct active_run_all *all, struct tool *tool, struct diag *diag)
{
    enum err err;

    make_timelines(all);
    err = run_oracle(all, tool, diag);
    if (err == ERR_OK && !tool->is_interrupted)
        err = active_run_calibrate(tool, &all->cost, diag);
    if (err == ERR_OK && !tool->is_interrupted)
        err = run_probes(all, tool, diag);
    if (err == ERR_OK && !tool->is_interrupted)
        err = run_hardware(all, tool, diag);
    all->tool = tool;
    return err;
}

void active_run_free(struct active_run_all *all)
{
    for (unsigned way = 0; way < ACTIVE_HARDWARE; way++) {
        active_free(&all->active[way]);
        timeline_free(&all->timeline[way]);
    }
}
