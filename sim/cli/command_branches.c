/* rvsim branches: what each conditional branch did, measured with marks.
 *
 * An own counter counts one thing, so three runs: every branch with a counter, with one that counts
 * when it is taken, and with one that counts when it was mispredicted. What a misprediction costs
 * on average is measured in the last run too, by two performance counters; the oracle knows what
 * each branch really lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/cost.h"
#include "prof/report.h"
#include "sim/cli/tool.h"

enum { TOP_DEFAULT = 20 };
enum { ALL, TAKEN, MISPREDICTED, KINDS };

struct branch {
    uint64_t address;
    uint64_t count[KINDS];              /* measured */
    uint64_t truth[KINDS], lost;        /* lost: units */
};

struct branches {
    struct tool tool;
    uint64_t top, units_per_cycle;
    struct branch *branch;
    size_t count;
    double penalty;                     /* cycles a misprediction costs, measured */
};

/* ---- runs ------------------------------------------------------------------------------------ */

static struct branch *find(struct branches *branches, uint64_t address)
{
    size_t low = 0, high = branches->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (branches->branch[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < branches->count && branches->branch[low].address == address
               ? &branches->branch[low] : NULL;
}

/* The first run says which branches there are; marks are in order of address. */
static enum err note(struct branches *branches, const struct profile *profile, struct diag *diag)
{
    branches->branch = calloc(profile->marks + 1, sizeof *branches->branch);
    if (branches->branch == NULL)
        return diag_no_memory(diag, "branches");
    for (size_t i = 0; i < profile->marks; i++)
        branches->branch[branches->count++].address = profile->mark[i].address;
    return ERR_OK;
}

/* Each run is compared with its own truth. */
static void collect(struct branches *branches, const struct profile *profile, unsigned kind)
{
    branches->units_per_cycle = profile->units_per_cycle;
    for (size_t i = 0; i < profile->marks; i++) {
        struct branch *branch = find(branches, profile->mark[i].address);
        const struct profile_cost *cost = cost_at(profile, profile->mark[i].address);

        if (branch == NULL)
            continue;
        branch->count[kind] = profile->mark[i].count;
        if (cost == NULL)
            continue;
        branch->truth[kind] = kind == ALL ? cost->count
                              : kind == TAKEN ? cost->taken : cost->mispredicted;
        branch->lost = cost->lost;
    }
}

static enum err run_kind(struct branches *branches, unsigned kind, struct diag *diag)
{
    static const char *const flags[] = {"counter", "counter taken", "counter mispredicted"};
    const char *of = command_value(branches->tool.line, OPT_BRANCHES_OF);
    char marks[512];
    struct trial trial = {.what = flags[kind], .marks = marks};
    struct trial_result result;
    enum err err;

    snprintf(marks, sizeof marks, "branches(%.400s) * %s\n", of != NULL ? of : "*", flags[kind]);
    if (kind == MISPREDICTED)
        trial.counters = (struct profiler_counters){
            .select = {EVENT_CPI_BRANCH, EVENT_BRANCHES_MISPREDICTED}, .count = 2};
    err = tool_run(&branches->tool, &trial, &result, diag);
    if (err == ERR_OK && kind == ALL)
        err = note(branches, &result.profile, diag);
    if (err == ERR_OK)
        collect(branches, &result.profile, kind);
    if (err == ERR_OK && kind == MISPREDICTED && result.counter[1] != 0)
        branches->penalty = (double)result.counter[0] / (double)result.counter[1];
    profile_free(&result.profile);
    return err;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int compare_branches(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;

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

static void print_summary(const struct branches *branches, size_t executed)
{
    char total[REPORT_NUMBER], number[REPORT_NUMBER];
    size_t same = 0;

    for (size_t i = 0; i < executed; i++)
        same += memcmp(branches->branch[i].count, branches->branch[i].truth,
                       sizeof branches->branch[i].count) == 0;
    printf("\n%s of %s branches executed; the counts of %s are the oracle's; "
           "%.1f cycles a misprediction\n", report_number(executed, number),
           report_number(branches->count, total), same == executed ? "all" : "not all",
           branches->penalty);
}

static void print_report(struct branches *branches)
{
    size_t executed = 0;

    qsort(branches->branch, branches->count, sizeof *branches->branch, compare_branches);
    printf("%14s %14s %14s %7s %12s %12s  branch\n", "taken", "not taken", "mispredicted", "",
           "cycles lost", "oracle");
    for (size_t i = 0; i < branches->count; i++) {
        if (branches->branch[i].count[ALL] == 0)
            continue;
        branches->branch[executed] = branches->branch[i];
        if (branches->top == 0 || executed < branches->top)
            print_branch(branches, &branches->branch[executed]);
        executed++;
    }
    if (branches->top != 0 && executed > branches->top)
        printf("... and %zu more; --top 0 shows all\n", executed - branches->top);
    print_summary(branches, executed);
}

static enum err write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct branches *branches = arg;

    (void)diag;
    fputs("address,taken,not_taken,mispredicted,cycles_lost,place,line\n", out);
    for (size_t i = 0; i < branches->count && branches->branch[i].count[ALL] != 0; i++) {
        const struct branch *branch = &branches->branch[i];
        char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";

        symbols_describe_line(branches->tool.target.symbols, branch->address, line);
        fprintf(out, "0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.1f,%s,%s\n",
                branch->address, branch->count[TAKEN], branch->count[ALL] - branch->count[TAKEN],
                branch->count[MISPREDICTED], lost_of(branches, branch),
                symbols_describe(branches->tool.target.symbols, branch->address, place), line);
    }
    return ERR_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct branches *branches, struct diag *diag)
{
    struct tool *tool = &branches->tool;
    const char *output = command_value(tool->line, OPT_BRANCHES_OUTPUT);
    enum err err;

    branches->top = TOP_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_BRANCHES_SHOW_OUTPUT) != NULL;
    err = tool_number(tool, OPT_BRANCHES_TOP, 0, UINT32_MAX, &branches->top, diag);
    for (unsigned kind = ALL; kind < KINDS && err == ERR_OK; kind++)
        err = run_kind(branches, kind, diag);
    if (err != ERR_OK)
        return err;
    print_report(branches);
    return output != NULL ? tool_write(output, write_csv, branches, diag) : ERR_OK;
}

int command_branches(const struct command_line *line)
{
    struct branches branches = {.count = 0};
    struct diag diag = {""};
    enum err err = tool_open(&branches.tool, "branches", line, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&branches, &diag);
    free(branches.branch);
    tool_close(&branches.tool);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
