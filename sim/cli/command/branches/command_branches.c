/* rvsim branches: the outcomes of each conditional branch, measured with marks.
 *
 * An own counter counts either executions, taken ones, or mispredicted ones. For many branches each
 * count takes a run. For a few, performance counters count the other two by labels, in one or two
 * runs. Two performance counters of the last run measure the average cost of a misprediction; the
 * oracle has the true loss of each branch. The fast engine has no predictor: its runs count
 * executions and taken branches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "prof/profile/cost.h"
#include "sim/cli/command/branches/branches.h"

enum { TOP_DEFAULT = 20, PENALTY_COUNTERS = 2 };

/* ---- which branches -------------------------------------------------------------------------- */

static bool is_before(const void *row, const void *address)
{
    const struct branch *branch = row;

    return branch->address < *(const uint64_t *)address;
}

static struct branch *find(struct branches *branches, uint64_t address)
{
    size_t at = sorted_place(branches->branch, branches->count, sizeof branches->branch[0],
                             is_before, &address);

    return at < branches->count && branches->branch[at].address == address ? &branches->branch[at]
                                                                           : NULL;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static enum err take_branches(struct branches *branches, const struct meta *meta,
                              struct diag *diag)
{
    struct branch *grown = realloc(branches->branch,
                                   (branches->count + meta->marks + 1) * sizeof *grown);

    if (grown == NULL)
        return diag_no_memory(diag, "branches");
    branches->branch = grown;
    for (size_t i = 0; i < meta->marks; i++)
        branches->branch[branches->count++] = (struct branch){
            .address = meta->mark[i].address, .bytes = (unsigned)meta->mark[i].bytes};
    return ERR_OK;
}

/* The requested functions. */
struct of { const struct symbols_entry **entry; size_t count; };

static enum err find_functions(const struct branches *branches, const char *name, struct of *of,
                               struct diag *diag)
{
    const struct target *target = &branches->tool.target;

    of->entry = symbols_functions(target->symbols, name, &of->count);
    if (of->entry == NULL)
        return diag_no_memory(diag, "functions");
    if (of->count != 0)
        return ERR_OK;
    diag_set(diag, ERR_USAGE, "branches: --of %s: no such function in %s", name,
             target->image.path);
    return symbols_suggest(target->symbols, name, ERR_USAGE, diag);
}

static void keep_branches(struct branches *branches, const struct of *of)
{
    size_t kept = 0;

    for (size_t i = 0; i < branches->count; i++) {
        const struct symbols_entry *at = symbols_at(branches->tool.target.symbols,
                                                    branches->branch[i].address);

        for (size_t k = 0; at != NULL && k < of->count; k++)
            if (of->entry[k]->address == at->address) {
                branches->branch[kept++] = branches->branch[i];
                break;
            }
    }
    branches->count = kept;
}

/* Finds those of one file as a metadata file would. */
static enum err find_in(struct branches *branches, struct target *file, struct diag *diag)
{
    static const char text[] = "branches(*) * counter\n";
    const struct meta_resolver resolver = target_resolver(file);
    struct meta meta = {.marks = 0};
    enum err err = meta_read(&meta, text, strlen(text), "(marks)", &resolver, diag);

    if (err == ERR_OK)
        err = take_branches(branches, &meta, diag);
    meta_free(&meta);
    return err;
}

static enum err find_all(struct branches *branches, struct diag *diag)
{
    struct target *target = &branches->tool.target;
    enum err err = find_in(branches, target, diag);

    for (size_t i = 0; i < target->modules && err == ERR_OK; i++) {
        struct target alone = {.image = target->module[i]->image,
                               .symbols = target->module[i]->symbols};

        err = find_in(branches, &alone, diag);
    }
    if (err == ERR_OK)
        qsort(branches->branch, branches->count, sizeof *branches->branch, compare_addresses);
    return err;
}

static enum err find_branches(struct branches *branches, struct diag *diag)
{
    const char *name = command_value(branches->tool.line, OPT_BRANCHES_OF);
    struct of of = {NULL, 0};
    enum err err = name != NULL ? find_functions(branches, name, &of, diag) : ERR_OK;

    if (err == ERR_OK)
        err = find_all(branches, diag);
    if (err == ERR_OK && name != NULL)
        keep_branches(branches, &of);
    free(of.entry);
    if (err == ERR_OK && branches->count == 0)
        return diag_set(diag, ERR_USAGE, "branches: %s has no conditional branch",
                        name != NULL ? name : branches->tool.target.image.path);
    return err;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Own counters count `own`; performance counters count the other kinds, for each branch by its
 * label. */
struct plan { unsigned own, label[BRANCHES_KINDS], labels; bool measures_penalty; };

static const unsigned event_of[BRANCHES_KINDS] = {EVENT_BRANCHES, EVENT_BRANCHES_TAKEN,
                                         EVENT_BRANCHES_MISPREDICTED};

/* Executions and taken branches; with labels in one run. */
static unsigned make_untimed_plan(const struct branches *branches, struct plan plan[BRANCHES_KINDS])
{
    plan[BRANCHES_ALL] = (struct plan){.own = BRANCHES_ALL};
    plan[BRANCHES_TAKEN] = (struct plan){.own = BRANCHES_TAKEN};
    if (branches->count > branches->tool.options.config.pmu_counters)
        return 2;
    plan[BRANCHES_ALL].label[plan[BRANCHES_ALL].labels++] = BRANCHES_TAKEN;
    return 1;
}

/* Uses as few runs as the counters permit. Returns their number. */
static unsigned make_plan(const struct branches *branches, struct plan plan[BRANCHES_KINDS])
{
    size_t counters = branches->tool.options.config.pmu_counters;
    unsigned runs = BRANCHES_KINDS;

    if (tool_is_fast(&branches->tool))
        return make_untimed_plan(branches, plan);

    for (unsigned kind = 0; kind < BRANCHES_KINDS; kind++)
        plan[kind] = (struct plan){.own = kind};
    if (branches->count + PENALTY_COUNTERS <= counters) {
        runs = 2;
        plan[BRANCHES_TAKEN].label[plan[BRANCHES_TAKEN].labels++] = BRANCHES_MISPREDICTED;
    }
    if (2 * branches->count + PENALTY_COUNTERS <= counters) {
        runs = 1;
        plan[BRANCHES_ALL].label[plan[BRANCHES_ALL].labels++] = BRANCHES_TAKEN;
        plan[BRANCHES_ALL].label[plan[BRANCHES_ALL].labels++] = BRANCHES_MISPREDICTED;
    }
    plan[runs - 1].measures_penalty = true;
    return runs;
}

static char *make_marks(const struct branches *branches, const struct plan *plan)
{
    static const char *const flags[] = {"counter", "counter taken", "counter mispredicted"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    for (size_t i = 0; out != NULL && i < branches->count; i++) {
        const struct branch *branch = &branches->branch[i];

        fprintf(out, "0x%" PRIx64 " %u %s\n", branch->address, branch->bytes, flags[plan->own]);
        if (plan->labels != 0)
            fprintf(out, "0x%" PRIx64 " %u label=%zu\n", branch->address, branch->bytes, i + 1);
    }
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static struct profiler_counters make_counters(const struct branches *branches,
                                              const struct plan *plan)
{
    struct profiler_counters counters = {.count = 0};

    for (unsigned k = 0; k < plan->labels; k++)
        for (size_t i = 0; i < branches->count; i++)
            counters.select[counters.count++] =
                event_of[plan->label[k]] | PMU_FILTER_LABEL << PMU_FILTER_SHIFT |
                (uint64_t)(i + 1) << PMU_ARGUMENT_SHIFT;
    if (plan->measures_penalty) {
        counters.select[counters.count++] = EVENT_CPI_BRANCH;
        counters.select[counters.count++] = EVENT_BRANCHES_MISPREDICTED;
    }
    return counters;
}

/* Compares each run with its own truth. */
static void take_kind(struct branches *branches, const struct profile *profile, unsigned kind,
                      struct branches_extent extent)
{
    branches->extent[kind] = extent;
    for (size_t i = 0; i < branches->count; i++) {
        struct branch *branch = &branches->branch[i];
        const struct profile_cost *cost = cost_at(profile, branch->address);

        if (cost != NULL)
            branch->truth[kind] = kind == BRANCHES_ALL ? cost->count
                                  : kind == BRANCHES_TAKEN ? cost->taken : cost->mispredicted;
    }
}

/* The oracle's loss is that of the longest run: an interrupted one adds nothing to a whole one. */
static void take_lost(struct branches *branches, const struct profile *profile,
                      struct branches_extent extent)
{
    if (extent.instructions < branches->lost.instructions)
        return;
    branches->lost = extent;
    for (size_t i = 0; i < branches->count; i++) {
        const struct profile_cost *cost = cost_at(profile, branches->branch[i].address);

        if (cost != NULL)
            branches->branch[i].lost = cost->lost;
    }
}

static void collect(struct branches *branches, const struct plan *plan,
                    const struct trial_result *result)
{
    const struct profile *profile = &result->profile;
    const struct branches_extent extent = {profile->instructions, !branches->tool.is_interrupted};
    const uint64_t *counter = result->counter;

    branches->units_per_cycle = profile->units_per_cycle;
    for (size_t i = 0; i < profile->marks; i++) {
        struct branch *branch = find(branches, profile->mark[i].address);

        if (branch != NULL && profile->mark[i].is_code)
            branch->count[plan->own] += profile->mark[i].count;
    }
    take_kind(branches, profile, plan->own, extent);
    take_lost(branches, profile, extent);
    for (unsigned k = 0; k < plan->labels; k++) {
        for (size_t i = 0; i < branches->count; i++)
            branches->branch[i].count[plan->label[k]] = *counter++;
        take_kind(branches, profile, plan->label[k], extent);
    }
    if (plan->measures_penalty && counter[1] != 0)
        branches->penalty = (double)counter[0] / (double)counter[1];
}

static enum err run_plan(struct branches *branches, const struct plan *plan, struct diag *diag)
{
    static const char *const what[] = {"executed", "taken", "mispredicted"};
    char *marks = make_marks(branches, plan);
    struct trial trial = {.what = what[plan->own], .marks = marks, .set = {TOOL_FREE_METADATA},
                          .counters = make_counters(branches, plan)};
    struct trial_result result;
    enum err err;

    if (marks == NULL)
        return diag_no_memory(diag, "branches");
    err = tool_run(&branches->tool, &trial, &result, diag);
    if (err == ERR_OK && result.profile.instructions != 0)
        collect(branches, plan, &result);
    profile_free(&result.profile);
    free(marks);
    return err;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct branches *branches, struct diag *diag)
{
    struct tool *tool = &branches->tool;
    const struct tool_files files = {command_value(tool->line, OPT_BRANCHES_OUTPUT),
                                     command_value(tool->line, OPT_BRANCHES_JSON)};
    struct plan plan[BRANCHES_KINDS];
    enum err err;

    branches->top = TOP_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_BRANCHES_SHOW_OUTPUT) != NULL;
    err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_BRANCHES_TOP, 0, UINT32_MAX, &branches->top, diag);
    if (err == ERR_OK)
        err = survey_make(tool, diag);
    if (err != ERR_OK || tool->is_interrupted)
        return err;
    err = find_branches(branches, diag);
    branches->runs = err == ERR_OK ? make_plan(branches, plan) : 0;
    for (unsigned i = 0; i < branches->runs && err == ERR_OK && !tool->is_interrupted; i++)
        err = run_plan(branches, &plan[i], diag);
    tool->shows_nothing = branches->extent[BRANCHES_ALL].instructions == 0;
    if (err != ERR_OK || tool->shows_nothing)
        return err;
    branches_sort(branches);
    if (!tool_files_take_output(&files))
        branches_print(branches);
    return tool_files_write(&files, branches_write_csv, branches_write_json, branches, diag);
}

int command_branches(const struct command_line *line)
{
    struct branches branches = {.count = 0};
    struct diag diag = {""};
    enum err err = tool_open(&branches.tool, "branches", line, TOOL_EITHER, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&branches, &diag);
    free(branches.branch);
    return tool_end(&branches.tool, err, &diag);
}
