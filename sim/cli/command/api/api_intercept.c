/* See api_intercept.h. */
#include "sim/cli/command/api/api_intercept.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/op.h"

#include "isa/insn.h"
#include "prof/active/active_records.h"
#include "prof/report/report.h"
#include "sim/base/array.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/run/kernel/kernel_wants.h"

/* The functions timed in one run. */
struct chosen {
    uint64_t address[KERNEL_SECTIONS];
    const char *name[KERNEL_SECTIONS];
    uint32_t function[KERNEL_SECTIONS];
    unsigned count;
};

/* ---- functions that can be intercepted ------------------------------------------------------- */

/* Functions that return more than once, or leave frames without a return: they would keep or read
 * an exchanged return address. */
static bool plays_with_returns(const char *name)
{
    static const char *const names[] = {
        "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "__sigjmp_save", "longjmp",
        "_longjmp", "siglongjmp", "__libc_siglongjmp", "__longjmp", "vfork", "__vfork", "clone",
        "__clone", "getcontext", "setcontext", "swapcontext", "makecontext", "_start",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return strncmp(name, "_Unwind_", strlen("_Unwind_")) == 0 ||
           strncmp(name, "uw_", strlen("uw_")) == 0;
}

/* A loop back to the first instruction would count as calls. */
static bool jumps_to_entry(const struct symbols *symbols, const struct symbols_entry *entry)
{
    struct insn insn;

    for (uint64_t pc = entry->address; pc < entry->address + entry->bytes; pc += insn.length) {
        if (!symbols_insn(symbols, pc, &insn))
            return false;
        if ((insn_info[insn.op].kind == KIND_BRANCH ||
             (insn_info[insn.op].kind == KIND_JAL && !insn_is_call(&insn))) &&
            pc + (uint64_t)(int64_t)insn.imm == entry->address)
            return true;
    }
    return false;
}

/* The function's address; 0: its first instruction cannot take a probe, or it is not in the
 * program. */
static uint64_t probe_address(const struct tool *tool, const char *name)
{
    const struct symbols *symbols = tool->target.symbols;
    const struct symbols_entry *entry = symbols_find(symbols, name);
    struct insn insn;

    if (entry == NULL || !entry->is_function || plays_with_returns(name) ||
        !symbols_insn(symbols, entry->address, &insn) || insn.op == OP_jal ||
        insn.op == OP_jalr || insn.op == OP_illegal || jumps_to_entry(symbols, entry))
        return 0;
    return entry->address;
}

/* ---- one run --------------------------------------------------------------------------------- */

static enum err add_calls(struct api *api, const struct active *active,
                          const struct timeline *timeline, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < active->runs && err == ERR_OK; i++) {
        const struct active_run *call = &active->run[i];
        struct api_row *row;

        if (call->is_incomplete)
            continue;
        err = api_row_get(&api->table, timeline->name.text[call->section], API_INTERCEPTED,
                          API_INCLUSIVE, &row, diag);
        if (err == ERR_OK)
            api_bucket_add(&row->bucket[api_bucket_of(call->part[ACTIVE_ACTIVE])],
                           call->part[ACTIVE_ACTIVE]);
    }
    return err;
}

static enum err read_records(struct api *api, const struct api_interception *interception,
                             const struct kernel_records *records, const struct chosen *chosen,
                             struct diag *diag)
{
    struct active active = {.run = NULL};
    struct timeline timeline;
    enum err err;

    timeline_init(&timeline);
    active_run_set_cost(&timeline, &interception->cost);
    err = active_add_records(&timeline, records->record, records->records, chosen->name, diag);
    if (err == ERR_OK)
        err = timeline_sort(&timeline, diag);
    if (err == ERR_OK)
        err = active_make(&active, &timeline, diag);
    if (err == ERR_OK)
        err = add_calls(api, &active, &timeline, diag);
    active_free(&active);
    timeline_free(&timeline);
    return err;
}

static enum err run_chosen(struct api_interception *interception, struct api *api,
                           struct tool *tool, const struct chosen *chosen, size_t group,
                           struct diag *diag)
{
    const struct kernel_wants wants = {.probe = chosen->address, .probes = chosen->count};
    struct kernel_records records = {.stage = "with probes", .wants = &wants};
    struct api_intercept_run *grown = array_grow(interception->run, interception->runs,
                                                 sizeof *grown);
    enum err err;

    if (grown == NULL)
        return diag_no_memory(diag, "runs");
    interception->run = grown;
    err = kernel_records_take(&records, tool, diag);
    if (err == ERR_OK)
        err = read_records(api, interception, &records, chosen, diag);
    grown[interception->runs++] = (struct api_intercept_run){
        records.cycles, group, chosen->count};
    interception->is_cut |= records.is_cut;
    for (unsigned i = 0; i < chosen->count; i++)
        interception->run_of[chosen->function[i]] = (uint32_t)interception->runs;
    kernel_records_free(&records);
    return err;
}

/* Runs a group; each run has at most KERNEL_SECTIONS probes. */
static enum err run_group(struct api_interception *interception, struct api *api,
                          struct tool *tool, const struct api_groups *groups, size_t group,
                          struct diag *diag)
{
    struct chosen chosen = {.count = 0};
    enum err err = ERR_OK;

    for (uint32_t i = 0; i < groups->functions && err == ERR_OK && !tool->is_interrupted; i++) {
        const char *name = api->table.function.text[i];

        if (groups->group[i] != group || (chosen.address[chosen.count] =
                                              probe_address(tool, name)) == 0)
            continue;
        chosen.name[chosen.count] = name;
        chosen.function[chosen.count++] = i;
        if (chosen.count == KERNEL_SECTIONS) {
            err = run_chosen(interception, api, tool, &chosen, group, diag);
            chosen.count = 0;
        }
    }
    if (chosen.count == 0 || err != ERR_OK || tool->is_interrupted)
        return err;
    return run_chosen(interception, api, tool, &chosen, group, diag);
}

/* ---- all runs -------------------------------------------------------------------------------- */

static enum err run_all(struct api_interception *interception, struct api *api, struct tool *tool,
                        struct diag *diag)
{
    struct kernel_records plain = {.stage = "without probes", .is_silent = true};
    struct api_groups groups;
    enum err err = api_groups_make(&groups, api, diag);

    interception->functions = groups.functions;
    interception->groups = groups.groups;
    interception->run_of = calloc(groups.functions + 1, sizeof *interception->run_of);
    if (err == ERR_OK && interception->run_of == NULL)
        err = diag_no_memory(diag, "runs");
    if (err == ERR_OK)
        err = kernel_records_take(&plain, tool, diag);
    interception->cycles = plain.cycles;
    interception->is_cut = plain.is_cut;
    kernel_records_free(&plain);
    if (err == ERR_OK)
        err = active_run_calibrate(tool, &interception->cost, diag);
    for (size_t i = 0; i < groups.groups && err == ERR_OK && !tool->is_interrupted; i++)
        err = run_group(interception, api, tool, &groups, i, diag);
    api_groups_free(&groups);
    return err;
}

enum err api_intercept(struct api_interception *interception, struct api *api, struct tool *tool,
                       struct diag *diag)
{
    const bool follows_calls = tool->follows_calls;
    const bool has_oracle = tool->options.config.pmu_oracle != 0;
    enum err err;

    *interception = (struct api_interception){.runs = 0};
    tool->follows_calls = false;
    tool->options.config.pmu_oracle = false;
    err = run_all(interception, api, tool, diag);
    tool->follows_calls = follows_calls;
    tool->options.config.pmu_oracle = has_oracle;
    return err;
}

void api_intercept_free(struct api_interception *interception)
{
    free(interception->run);
    free(interception->run_of);
}

/* ---- the report ------------------------------------------------------------------------------ */

static double more(double value, double than)
{
    return than != 0 ? 100 * (value - than) / than : 0;
}

static void print_runs(const struct api_interception *own, FILE *out)
{
    fprintf(out, "%-8s%8s%12s%16s%12s\n", "run", "group", "functions", "cycles", "disturbed");
    fprintf(out, "%-8s%8s%12s%16" PRIu64 "%12s\n", "without", "-", "-", own->cycles, "-");
    for (size_t i = 0; i < own->runs; i++) {
        fprintf(out, "%-8zu%8zu%12u%16" PRIu64, i + 1, own->run[i].group + 1,
                own->run[i].functions, own->run[i].cycles);
        if (own->is_cut)
            fprintf(out, "%12s\n", "-");
        else
            fprintf(out, "%+11.2f%%\n",
                    more((double)own->run[i].cycles, (double)own->cycles));
    }
}

static struct api_bucket total_of(const struct api *api, const char *function, const char *cost)
{
    const struct api_row *row = api_find(&api->table, function, cost, API_INCLUSIVE);

    return row != NULL ? api_row_total(row) : (struct api_bucket){0, 0, 0};
}

static void print_function(const struct api_interception *own, const struct api *api,
                           uint32_t function, FILE *out)
{
    const char *name = api->table.function.text[function];
    struct api_bucket truth = total_of(api, name, "cycles");
    struct api_bucket found = total_of(api, name, API_INTERCEPTED);

    fprintf(out, "%-32.32s%10" PRIu64 "%10" PRIu64 "%14.1f", name, truth.count, found.count,
            truth.count != 0 ? api_mean(&truth) : 0);
    if (own->run_of[function] == 0)
        fprintf(out, "%14s%12s\n", "not timed", "-");
    else if (found.count == 0)
        fprintf(out, "%14s%12s\n", "no return", "-");
    else
        fprintf(out, "%14.1f%+11.2f%%\n", api_mean(&found),
                more(api_mean(&found), api_mean(&truth)));
}

void api_intercept_print(const struct api_interception *own, const struct api *api, FILE *out)
{
    fprintf(out, "\nintercepted: %zu function%s, %zu group%s, %zu run%s; a probe takes %" PRIu64
            " cycles at the entry and %" PRIu64 " at the exit\n", own->functions,
            report_s(own->functions), own->groups, report_s(own->groups), own->runs,
            report_s(own->runs), own->cost.entry, own->cost.exit);
    print_runs(own, out);
    fprintf(out, "\n%-32s%10s%10s%14s%14s%12s\n", "function", "calls", "timed", "oracle, mean",
            "intercepted", "difference");
    for (uint32_t i = 0; i < own->functions; i++)
        print_function(own, api, i, out);
}
