/* The report of `rvsim branches`. */
#include "sim/cli/command/branches/branches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/report/report.h"

enum { ALL = BRANCHES_ALL, TAKEN = BRANCHES_TAKEN, WRONG = BRANCHES_MISPREDICTED,
       HEADING = 16, PLACE = 2 * SYMBOLS_TEXT };

static const char *const kind_name[BRANCHES_KINDS] = {"executed", "taken", "mispredicted"};

/* ---- what is known --------------------------------------------------------------------------- */

static bool is_known(const struct branches *branches, unsigned kind)
{
    return branches->extent[kind].instructions != 0;
}

/* True if both kinds were counted over the same instructions, so that they can be subtracted. */
static bool are_alike(const struct branches *branches, unsigned a, unsigned b)
{
    return is_known(branches, a) &&
           branches->extent[a].instructions == branches->extent[b].instructions;
}

static bool has_not_taken(const struct branches *branches)
{
    return are_alike(branches, ALL, TAKEN);
}

static uint64_t not_taken(const struct branch *branch)
{
    return branch->count[ALL] - branch->count[TAKEN];
}

static double lost_of(const struct branches *branches, const struct branch *branch)
{
    return (double)branch->count[WRONG] * branches->penalty;
}

static double truly_lost(const struct branches *branches, const struct branch *branch)
{
    return (double)branch->lost / (double)branches->units_per_cycle;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* By falling true loss of cycles. */
static int compare_branches(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;

    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    if (x->count[WRONG] != y->count[WRONG])
        return x->count[WRONG] > y->count[WRONG] ? -1 : 1;
    if (x->count[ALL] != y->count[ALL])
        return x->count[ALL] > y->count[ALL] ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

void branches_sort(struct branches *branches)
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

/* ---- the table ------------------------------------------------------------------------------- */

/* The heading of a column; * marks counts of a part of the run. */
static const char *heading(const char *name, struct branches_extent extent, char text[HEADING])
{
    snprintf(text, HEADING, "%s%s", name, extent.instructions != 0 && !extent.is_whole ? "*" : "");
    return text;
}

static const char *cell(bool is_known, uint64_t number, char text[REPORT_NUMBER])
{
    return is_known ? report_number(number, text) : "-";
}

/* The branch's place and line, where known. */
static const char *place_of(const struct branches *branches, const struct branch *branch,
                            char text[PLACE])
{
    const struct symbols *symbols = branches->tool.target.symbols;
    char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";

    symbols_describe_line(symbols, branch->address, line);
    snprintf(text, PLACE, "%s%s%s", symbols_describe(symbols, branch->address, place),
             line[0] != '\0' ? "  " : "", line);
    return text;
}

static void print_outcomes_heading(const struct branches *branches)
{
    char first[HEADING], second[HEADING];

    if (has_not_taken(branches))
        printf("%14s %14s", heading("taken", branches->extent[TAKEN], first),
               heading("not taken", branches->extent[TAKEN], second));
    else
        printf("%14s %14s", heading("executed", branches->extent[ALL], first),
               heading("taken", branches->extent[TAKEN], second));
}

static void print_heading(const struct branches *branches)
{
    char wrong[HEADING], lost[HEADING], truth[HEADING];

    print_outcomes_heading(branches);
    if (!tool_is_fast(&branches->tool))
        printf(" %14s %7s %12s %12s", heading("mispredicted", branches->extent[WRONG], wrong), "",
               heading("cycles lost", branches->extent[WRONG], lost),
               heading("oracle", branches->lost, truth));
    puts("  branch");
}

static void print_outcomes(const struct branches *branches, const struct branch *branch)
{
    char first[REPORT_NUMBER], second[REPORT_NUMBER];

    if (has_not_taken(branches))
        printf("%14s %14s", report_number(branch->count[TAKEN], first),
               report_number(not_taken(branch), second));
    else
        printf("%14s %14s", report_number(branch->count[ALL], first),
               cell(is_known(branches, TAKEN), branch->count[TAKEN], second));
}

/* Mispredictions and cycles, which need time. */
static void print_losses(const struct branches *branches, const struct branch *branch)
{
    char wrong[REPORT_NUMBER], share[REPORT_NUMBER] = "", lost[REPORT_NUMBER];
    char truth[REPORT_NUMBER];
    bool has_wrong = is_known(branches, WRONG);

    if (are_alike(branches, ALL, WRONG))
        snprintf(share, sizeof share, "%6.2f%%",
                 report_percent(branch->count[WRONG], branch->count[ALL]));
    printf(" %14s %7s %12s %12s", cell(has_wrong, branch->count[WRONG], wrong), share,
           cell(has_wrong, (uint64_t)lost_of(branches, branch), lost),
           report_number((uint64_t)truly_lost(branches, branch), truth));
}

static void print_branch(const struct branches *branches, const struct branch *branch)
{
    char place[PLACE];

    print_outcomes(branches, branch);
    if (!tool_is_fast(&branches->tool))
        print_losses(branches, branch);
    printf("  %s\n", place_of(branches, branch, place));
}

/* ---- below the table ------------------------------------------------------------------------- */

static void print_agreement(const struct branches *branches)
{
    char number[REPORT_NUMBER];
    size_t same = 0;

    for (size_t i = 0; i < branches->executed; i++)
        same += memcmp(branches->branch[i].count, branches->branch[i].truth,
                       sizeof branches->branch[i].count) == 0;
    if (same == branches->executed)
        fputs("; the counts of all are the oracle's", stdout);
    else
        printf("; the counts of %s are not the oracle's",
               report_number(branches->executed - same, number));
    if (is_known(branches, WRONG))
        printf("; %.1f cycles a misprediction", branches->penalty);
}

/* Prints for each kind how many instructions its run executed, if some runs were interrupted. */
static void print_extents(const struct branches *branches)
{
    char number[REPORT_NUMBER];

    fputs("counted:", stdout);
    for (unsigned kind = 0; kind < BRANCHES_KINDS; kind++) {
        const struct branches_extent *extent = &branches->extent[kind];

        if (tool_is_fast(&branches->tool) && kind == WRONG)
            continue;
        printf("%s %s", kind != 0 ? "," : "", kind_name[kind]);
        if (extent->instructions == 0)
            fputs(" not at all", stdout);
        else
            printf(" in %s %s instructions%s",
                   extent->is_whole ? "all" : "the first",
                   report_number(extent->instructions, number), extent->is_whole ? "" : " (*)");
    }
    putchar('\n');
}

static void print_summary(const struct branches *branches)
{
    bool is_fast = tool_is_fast(&branches->tool);
    char total[REPORT_NUMBER], number[REPORT_NUMBER];
    unsigned runs = branches->tool.runs;

    printf("\n%s of %s branches executed", report_number(branches->executed, number),
           report_number(branches->count, total));
    if (!is_fast)
        print_agreement(branches);
    printf("; %u run%s%s\n", runs, report_s(runs),
           is_fast ? "; mispredictions and cycles need --mode detailed" : "");
    if (branches->tool.is_interrupted)
        print_extents(branches);
}

void branches_print(const struct branches *branches)
{
    size_t executed = branches->executed;

    print_heading(branches);
    for (size_t i = 0; i < executed && (branches->top == 0 || i < branches->top); i++)
        print_branch(branches, &branches->branch[i]);
    if (branches->top != 0 && executed > branches->top)
        printf("... and %zu more; --top 0 shows all\n", executed - branches->top);
    print_summary(branches);
}

/* ---- CSV: a number that is not known is an empty field --------------------------------------- */

static void write_number(bool is_known, uint64_t number, FILE *out)
{
    if (is_known)
        fprintf(out, "%" PRIu64, number);
    fputc(',', out);
}

static void write_losses(const struct branches *branches, const struct branch *branch, FILE *out)
{
    if (is_known(branches, WRONG))
        fprintf(out, "%.1f", lost_of(branches, branch));
    fprintf(out, ",%.1f,", truly_lost(branches, branch));
}

enum err branches_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct branches *branches = arg;
    const struct symbols *symbols = branches->tool.target.symbols;

    (void)diag;
    fputs("address,taken,not_taken,mispredicted,cycles_lost,oracle_cycles_lost,place,line,"
          "executed\n", out);
    for (size_t i = 0; i < branches->executed; i++) {
        const struct branch *branch = &branches->branch[i];
        char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";

        symbols_describe_line(symbols, branch->address, line);
        fprintf(out, "0x%" PRIx64 ",", branch->address);
        write_number(is_known(branches, TAKEN), branch->count[TAKEN], out);
        write_number(has_not_taken(branches), not_taken(branch), out);
        write_number(is_known(branches, WRONG), branch->count[WRONG], out);
        if (tool_is_fast(&branches->tool))
            fputs(",,", out);
        else
            write_losses(branches, branch, out);
        csv_put(out, symbols_describe(symbols, branch->address, place));
        fputc(',', out);
        csv_put(out, line);
        fprintf(out, ",%" PRIu64 "\n", branch->count[ALL]);
    }
    return ERR_OK;
}

/* ---- JSON: a number that is not known is absent ---------------------------------------------- */

static void add_branch(cJSON *array, const struct branches *branches, const struct branch *branch)
{
    const struct symbols *symbols = branches->tool.target.symbols;
    cJSON *object = json_append_object(array);
    char text[SYMBOLS_TEXT];

    json_address(object, "address", branch->address);
    cJSON_AddStringToObject(object, "place", symbols_describe(symbols, branch->address, text));
    cJSON_AddStringToObject(object, "line", symbols_describe_line(symbols, branch->address, text));
    json_number(object, "executed", branch->count[ALL]);
    if (is_known(branches, TAKEN))
        json_number(object, "taken", branch->count[TAKEN]);
    if (has_not_taken(branches))
        json_number(object, "not_taken", not_taken(branch));
    if (is_known(branches, WRONG)) {
        json_number(object, "mispredicted", branch->count[WRONG]);
        json_real(object, "cycles_lost", lost_of(branches, branch));
    }
    if (!tool_is_fast(&branches->tool))
        json_real(object, "oracle_cycles_lost", truly_lost(branches, branch));
}

static void add_extents(cJSON *root, const struct branches *branches)
{
    cJSON *counted = cJSON_AddObjectToObject(root, "counted");

    for (unsigned kind = 0; kind < BRANCHES_KINDS; kind++) {
        const struct branches_extent *extent = &branches->extent[kind];
        cJSON *object;

        if (extent->instructions == 0)
            continue;
        object = cJSON_AddObjectToObject(counted, kind_name[kind]);
        json_number(object, "instructions", extent->instructions);
        cJSON_AddBoolToObject(object, "is_whole", extent->is_whole);
    }
}

enum err branches_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct branches *branches = arg;
    cJSON *root = tool_document(&branches->tool), *array;

    json_number(root, "runs", branches->tool.runs);
    if (branches->tool.is_interrupted)
        add_extents(root, branches);
    if (is_known(branches, WRONG))
        json_real(root, "misprediction_cycles", branches->penalty);
    array = cJSON_AddArrayToObject(root, "branches");
    for (size_t i = 0; i < branches->executed; i++)
        add_branch(array, branches, &branches->branch[i]);
    return json_print(root, out, diag);
}
