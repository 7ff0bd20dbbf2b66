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

#include "prof/cost.h"
#include "prof/json.h"
#include "prof/records/csv.h"
#include "prof/report.h"
#include "sim/base/sorted.h"
#include "sim/cli/tool.h"

enum { TOP_DEFAULT = 20 };
enum { ALL, TAKEN, MISPREDICTED, KINDS, PENALTY_COUNTERS = 2 };

struct branch {
    uint64_t address;
    unsigned bytes;
    uint64_t count[KINDS];              /* measured */
    uint64_t truth[KINDS], lost;        /* lost: units, by the oracle */
};

struct branches {
    struct tool tool;
    uint64_t top, units_per_cycle;
    struct branch *branch;
    size_t count, executed;             /* executed: number of executed branches, which are sorted
                                         * to the front */
    double penalty;                     /* measured cycles of a misprediction */
    unsigned runs;
};

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
    branches->branch = calloc(meta->marks + 1, sizeof *branches->branch);
    if (branches->branch == NULL)
        return diag_no_memory(diag, "branches");
    for (size_t i = 0; i < meta->marks; i++)
        branches->branch[branches->count++] = (struct branch){
            .address = meta->mark[i].address, .bytes = (unsigned)meta->mark[i].bytes};
    qsort(branches->branch, branches->count, sizeof *branches->branch, compare_addresses);
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

/* Finds them as a metadata file would. */
static enum err find_all(struct branches *branches, struct diag *diag)
{
    static const char text[] = "branches(*) * counter\n";
    const struct meta_resolver resolver = target_resolver(&branches->tool.target);
    struct meta meta = {.marks = 0};
    enum err err = meta_read(&meta, text, strlen(text), "(marks)", &resolver, diag);

    if (err == ERR_OK)
        err = take_branches(branches, &meta, diag);
    meta_free(&meta);
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
struct plan { unsigned own, label[KINDS], labels; bool measures_penalty; };

static const unsigned event_of[KINDS] = {EVENT_BRANCHES, EVENT_BRANCHES_TAKEN,
                                         EVENT_BRANCHES_MISPREDICTED};

/* Executions and taken branches; with labels in one run. */
static unsigned make_untimed_plan(const struct branches *branches, struct plan plan[KINDS])
{
    plan[ALL] = (struct plan){.own = ALL};
    plan[TAKEN] = (struct plan){.own = TAKEN};
    if (branches->count > branches->tool.options.config.pmu_counters)
        return 2;
    plan[ALL].label[plan[ALL].labels++] = TAKEN;
    return 1;
}

/* Uses as few runs as the counters permit. Returns their number. */
static unsigned make_plan(const struct branches *branches, struct plan plan[KINDS])
{
    size_t counters = branches->tool.options.config.pmu_counters;
    unsigned runs = KINDS;

    if (tool_is_fast(&branches->tool))
        return make_untimed_plan(branches, plan);

    for (unsigned kind = 0; kind < KINDS; kind++)
        plan[kind] = (struct plan){.own = kind};
    if (branches->count + PENALTY_COUNTERS <= counters) {
        runs = 2;
        plan[TAKEN].label[plan[TAKEN].labels++] = MISPREDICTED;
    }
    if (2 * branches->count + PENALTY_COUNTERS <= counters) {
        runs = 1;
        plan[ALL].label[plan[ALL].labels++] = TAKEN;
        plan[ALL].label[plan[ALL].labels++] = MISPREDICTED;
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
static void take_kind(struct branches *branches, const struct profile *profile, unsigned kind)
{
    for (size_t i = 0; i < branches->count; i++) {
        struct branch *branch = &branches->branch[i];
        const struct profile_cost *cost = cost_at(profile, branch->address);

        if (cost == NULL)
            continue;
        branch->truth[kind] = kind == ALL ? cost->count
                              : kind == TAKEN ? cost->taken : cost->mispredicted;
        branch->lost = cost->lost;
    }
}

static void collect(struct branches *branches, const struct plan *plan,
                    const struct trial_result *result)
{
    const struct profile *profile = &result->profile;
    const uint64_t *counter = result->counter;

    branches->units_per_cycle = profile->units_per_cycle;
    for (size_t i = 0; i < profile->marks; i++) {
        struct branch *branch = find(branches, profile->mark[i].address);

        if (branch != NULL)
            branch->count[plan->own] = profile->mark[i].count;
    }
    take_kind(branches, profile, plan->own);
    for (unsigned k = 0; k < plan->labels; k++) {
        for (size_t i = 0; i < branches->count; i++)
            branches->branch[i].count[plan->label[k]] = *counter++;
        take_kind(branches, profile, plan->label[k]);
    }
    if (plan->measures_penalty && counter[1] != 0)
        branches->penalty = (double)counter[0] / (double)counter[1];
}

static enum err run_plan(struct branches *branches, const struct plan *plan, struct diag *diag)
{
    static const char *const what[] = {"executed", "taken", "mispredicted"};
    char *marks = make_marks(branches, plan);
    struct trial trial = {.what = what[plan->own], .marks = marks,
                          .counters = make_counters(branches, plan)};
    struct trial_result result;
    enum err err;

    if (marks == NULL)
        return diag_no_memory(diag, "branches");
    err = tool_run(&branches->tool, &trial, &result, diag);
    if (err == ERR_OK)
        collect(branches, plan, &result);
    profile_free(&result.profile);
    free(marks);
    return err;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* By falling true loss of cycles. */
static int compare_branches(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;

    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    if (x->count[MISPREDICTED] != y->count[MISPREDICTED])
        return x->count[MISPREDICTED] > y->count[MISPREDICTED] ? -1 : 1;
    if (x->count[ALL] != y->count[ALL])
        return x->count[ALL] > y->count[ALL] ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static double lost_of(const struct branches *branches, const struct branch *branch)
{
    return (double)branch->count[MISPREDICTED] * branches->penalty;
}

static double truly_lost(const struct branches *branches, const struct branch *branch)
{
    return (double)branch->lost / (double)branches->units_per_cycle;
}

/* Without time: mispredictions and cycles are not measured. */
static void print_untimed_branch(const struct branches *branches, const struct branch *branch)
{
    const struct symbols *symbols = branches->tool.target.symbols;
    char taken[REPORT_NUMBER], other[REPORT_NUMBER], place[SYMBOLS_TEXT];
    char line[SYMBOLS_TEXT] = "";

    symbols_describe_line(symbols, branch->address, line);
    printf("%14s %14s  %s%s%s\n", report_number(branch->count[TAKEN], taken),
           report_number(branch->count[ALL] - branch->count[TAKEN], other),
           symbols_describe(symbols, branch->address, place), line[0] != '\0' ? "  " : "", line);
}

static void print_branch(const struct branches *branches, const struct branch *branch)
{
    const struct symbols *symbols = branches->tool.target.symbols;
    char taken[REPORT_NUMBER], other[REPORT_NUMBER], wrong[REPORT_NUMBER], place[SYMBOLS_TEXT];
    char lost[REPORT_NUMBER], truth[REPORT_NUMBER], line[SYMBOLS_TEXT] = "";

    symbols_describe_line(symbols, branch->address, line);
    printf("%14s %14s %14s %6.2f%% %12s %12s  %s%s%s\n", report_number(branch->count[TAKEN], taken),
           report_number(branch->count[ALL] - branch->count[TAKEN], other),
           report_number(branch->count[MISPREDICTED], wrong),
           report_percent(branch->count[MISPREDICTED], branch->count[ALL]),
           report_number((uint64_t)lost_of(branches, branch), lost),
           report_number((uint64_t)truly_lost(branches, branch), truth),
           symbols_describe(symbols, branch->address, place), line[0] != '\0' ? "  " : "", line);
}

static void print_untimed_summary(const struct branches *branches, size_t executed)
{
    char total[REPORT_NUMBER], number[REPORT_NUMBER];

    printf("\n%s of %s branches executed; %u run%s; mispredictions and cycles need "
           "--mode detailed\n", report_number(executed, number),
           report_number(branches->count, total), branches->runs, branches->runs != 1 ? "s" : "");
}

static void print_summary(const struct branches *branches, size_t executed)
{
    char total[REPORT_NUMBER], number[REPORT_NUMBER];
    size_t same = 0;

    for (size_t i = 0; i < executed; i++)
        same += memcmp(branches->branch[i].count, branches->branch[i].truth,
                       sizeof branches->branch[i].count) == 0;
    printf("\n%s of %s branches executed; the counts of ", report_number(executed, number),
           report_number(branches->count, total));
    if (same == executed)
        fputs("all are the oracle's", stdout);
    else
        printf("%s are not the oracle's", report_number(executed - same, number));
    printf("; %.1f cycles a misprediction; %u run%s\n", branches->penalty, branches->runs,
           branches->runs != 1 ? "s" : "");
}

/* Moves executed branches to the front. */
static void sort_branches(struct branches *branches)
{
    size_t executed = 0;

    qsort(branches->branch, branches->count, sizeof *branches->branch, compare_branches);
    for (size_t i = 0; i < branches->count; i++) {
        struct branch branch = branches->branch[i];

        if (branch.count[ALL] == 0)
            continue;
        branches->branch[i] = branches->branch[executed];
        branches->branch[executed++] = branch;
    }
    branches->executed = executed;
}

static void print_report(const struct branches *branches)
{
    size_t executed = branches->executed;
    bool is_fast = tool_is_fast(&branches->tool);
    void (*print)(const struct branches *, const struct branch *) =
        is_fast ? print_untimed_branch : print_branch;

    if (is_fast)
        printf("%14s %14s  branch\n", "taken", "not taken");
    else
        printf("%14s %14s %14s %7s %12s %12s  branch\n", "taken", "not taken", "mispredicted", "",
               "cycles lost", "oracle");
    for (size_t i = 0; i < executed && (branches->top == 0 || i < branches->top); i++)
        print(branches, &branches->branch[i]);
    if (branches->top != 0 && executed > branches->top)
        printf("... and %zu more; --top 0 shows all\n", executed - branches->top);
    (is_fast ? print_untimed_summary : print_summary)(branches, executed);
}

static enum err write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct branches *branches = arg;

    (void)diag;
    fputs("address,taken,not_taken,mispredicted,cycles_lost,oracle_cycles_lost,place,line\n", out);
    for (size_t i = 0; i < branches->executed; i++) {
        const struct branch *branch = &branches->branch[i];
        char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";

        symbols_describe_line(branches->tool.target.symbols, branch->address, line);
        fprintf(out, "0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",", branch->address,
                branch->count[TAKEN], branch->count[ALL] - branch->count[TAKEN]);
        if (tool_is_fast(&branches->tool))
            fputs(",,,", out);
        else
            fprintf(out, "%" PRIu64 ",%.1f,%.1f,", branch->count[MISPREDICTED],
                    lost_of(branches, branch), truly_lost(branches, branch));
        csv_put(out, symbols_describe(branches->tool.target.symbols, branch->address, place));
        fputc(',', out);
        csv_put(out, line);
        fputc('\n', out);
    }
    return ERR_OK;
}

static void add_branch(cJSON *array, const struct branches *branches, const struct branch *branch)
{
    const struct symbols *symbols = branches->tool.target.symbols;
    cJSON *object = json_append_object(array);
    char text[SYMBOLS_TEXT];

    json_address(object, "address", branch->address);
    cJSON_AddStringToObject(object, "place", symbols_describe(symbols, branch->address, text));
    cJSON_AddStringToObject(object, "line", symbols_describe_line(symbols, branch->address, text));
    json_number(object, "taken", branch->count[TAKEN]);
    json_number(object, "not_taken", branch->count[ALL] - branch->count[TAKEN]);
    if (tool_is_fast(&branches->tool))
        return;
    json_number(object, "mispredicted", branch->count[MISPREDICTED]);
    json_real(object, "cycles_lost", lost_of(branches, branch));
    json_real(object, "oracle_cycles_lost", truly_lost(branches, branch));
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct branches *branches = arg;
    cJSON *root = json_document(), *array;

    cJSON_AddStringToObject(root, "program", branches->tool.target.image.path);
    json_number(root, "runs", branches->runs);
    if (!tool_is_fast(&branches->tool))
        json_real(root, "misprediction_cycles", branches->penalty);
    array = cJSON_AddArrayToObject(root, "branches");
    for (size_t i = 0; i < branches->executed; i++)
        add_branch(array, branches, &branches->branch[i]);
    return json_print(root, out, diag);
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct branches *branches, struct diag *diag)
{
    struct tool *tool = &branches->tool;
    const struct tool_files files = {command_value(tool->line, OPT_BRANCHES_OUTPUT),
                                     command_value(tool->line, OPT_BRANCHES_JSON)};
    struct plan plan[KINDS];
    enum err err;

    branches->top = TOP_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_BRANCHES_SHOW_OUTPUT) != NULL;
    err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_BRANCHES_TOP, 0, UINT32_MAX, &branches->top, diag);
    if (err == ERR_OK)
        err = find_branches(branches, diag);
    branches->runs = err == ERR_OK ? make_plan(branches, plan) : 0;
    for (unsigned i = 0; i < branches->runs && err == ERR_OK && !tool->is_interrupted; i++)
        err = run_plan(branches, &plan[i], diag);
    tool->shows_nothing = tool->is_interrupted && branches->runs != 1;
    if (err != ERR_OK || tool->shows_nothing)
        return err;                 /* some kinds were not counted */
    sort_branches(branches);
    if (!tool_files_take_output(&files))
        print_report(branches);
    return tool_files_write(&files, write_csv, write_json, branches, diag);
}

int command_branches(const struct command_line *line)
{
    struct branches branches = {.count = 0};
    struct diag diag = {""};
    enum err err = tool_open(&branches.tool, "branches", line, TOOL_EITHER, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    branches.tool.leaves_libraries_out = true;
    err = run(&branches, &diag);
    free(branches.branch);
    return tool_end(&branches.tool, err, &diag);
}
