/* Outcomes and cost of each branch, by the oracle profile and by the counters of marks. */
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/profile/cost.h"
#include "prof/report/report.h"

/* cost, mark: either may be NULL, not both. */
struct branch {
    const struct profile_cost *cost;
    const struct profile_mark *mark;
};

static bool has_word(const char *flags, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = flags; (at = strstr(at, word)) != NULL; at += length)
        if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The event that the own counter of a marked branch counts. */
static const char *counted(const struct profile_mark *mark)
{
    if (has_word(mark->flags, "taken"))
        return "taken";
    return has_word(mark->flags, "mispredicted") ? "mispredicted" : "executed";
}

static uint64_t truth_of(const struct branch *branch)
{
    if (strcmp(counted(branch->mark), "taken") == 0)
        return branch->cost->taken;
    return strcmp(counted(branch->mark), "mispredicted") == 0 ? branch->cost->mispredicted
                                                              : branch->cost->count;
}

static bool is_marked_branch(const struct report *report, const struct profile_mark *mark)
{
    struct insn insn;

    return mark->is_code && mark->has_counter && mark->limit == 0 &&
           symbols_insn(report->symbols, mark->address, &insn) &&
           insn_info[insn.op].kind >= KIND_BRANCH && insn_info[insn.op].kind <= KIND_JALR;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_costs(const struct profile_cost *x, const struct profile_cost *y)
{
    if (x->lost != y->lost)
        return x->lost > y->lost ? -1 : 1;
    if (x->mispredicted != y->mispredicted)
        return x->mispredicted > y->mispredicted ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

/* Branches in the oracle profile come first. */
static int compare_branches(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;

    if ((x->cost == NULL) != (y->cost == NULL))
        return x->cost == NULL ? 1 : -1;
    if (x->cost != NULL)
        return compare_costs(x->cost, y->cost);
    if (x->mark->count != y->mark->count)
        return x->mark->count > y->mark->count ? -1 : 1;
    return (x->mark->address > y->mark->address) - (x->mark->address < y->mark->address);
}

/* Both lists are in order of address; the monitor's code is at the end of the first. *measured:
 * number of branches with a mark. */
static size_t make_rows(const struct report *report, struct branch *row, size_t *measured)
{
    const struct profile *profile = report->profile;
    size_t rows = 0, at = 0;

    *measured = 0;
    for (size_t i = 0; i < profile->costs; i++)
        if (profile->cost[i].is_transfer)
            row[rows++].cost = &profile->cost[i];
    for (size_t i = 0, known = rows; i < profile->marks; i++) {
        const struct profile_mark *mark = &profile->mark[i];

        if (!is_marked_branch(report, mark))
            continue;
        while (at < known && !row[at].cost->is_monitor && row[at].cost->address < mark->address)
            at++;
        *measured += 1;
        if (at < known && !row[at].cost->is_monitor && row[at].cost->address == mark->address)
            row[at].mark = mark;
        else if (mark->count != 0)
            row[rows++].mark = mark;
    }
    qsort(row, rows, sizeof *row, compare_branches);
    return rows;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_cost(const struct report *report, const struct profile_cost *cost)
{
    char taken[REPORT_NUMBER], other[REPORT_NUMBER], wrong[REPORT_NUMBER], lost[REPORT_NUMBER];

    if (cost == NULL) {
        fprintf(report->out, "%14s %14s %14s %7s %16s", "-", "-", "-", "", "-");
        return;
    }
    fprintf(report->out, "%14s %14s %14s %6.2f%% %16s", report_number(cost->taken, taken),
            report_number(cost->count - cost->taken, other),
            report_number(cost->mispredicted, wrong),
            report_percent(cost->mispredicted, cost->count),
            report_cycles(report->profile, cost->lost, lost));
}

static void print_branch(const struct report *report, const struct branch *branch,
                         bool has_measured)
{
    char place[SYMBOLS_TEXT] = "(monitor)", line[SYMBOLS_TEXT] = "", number[REPORT_NUMBER];
    uint64_t address = branch->cost != NULL ? branch->cost->address : branch->mark->address;

    if (branch->cost == NULL || !branch->cost->is_monitor) {
        symbols_describe(report->symbols, address, place);
        symbols_describe_line(report->symbols, address, line);
    }
    if (report->profile->units_per_cycle != 0)
        print_cost(report, branch->cost);
    if (has_measured && branch->mark != NULL)
        fprintf(report->out, " %14s %-12s", report_number(branch->mark->count, number),
                counted(branch->mark));
    else if (has_measured)
        fprintf(report->out, " %14s %-12s", "", "");
    fprintf(report->out, "  %s%s%s\n", place, line[0] != '\0' ? "  " : "", line);
}

static void print_agreement(const struct report *report, const struct branch *row, size_t rows)
{
    char number[REPORT_NUMBER], all[REPORT_NUMBER];
    size_t same = 0, executed = 0;

    for (size_t i = 0; i < rows; i++) {
        executed += row[i].mark != NULL;
        same += row[i].mark != NULL && row[i].cost != NULL &&
                row[i].mark->count == truth_of(&row[i]);
    }
    fprintf(report->out, "%s of %s measured branches %s the oracle's count\n",
            report_number(same, number), report_number(executed, all), same == 1 ? "has" : "have");
}

static void print_rows(const struct report *report, const struct branch *row, size_t rows,
                       bool has_measured)
{
    bool has_oracle = report->profile->units_per_cycle != 0;

    fputc('\n', report->out);
    if (has_oracle)
        fprintf(report->out, "%14s %14s %14s %7s %16s", "taken", "not taken", "mispredicted", "",
                "cycles lost");
    if (has_measured)
        fprintf(report->out, " %14s %-12s", "measured", "");
    fputs("  branch or jump\n", report->out);
    for (size_t i = 0; i < report_shown(report, rows); i++)
        print_branch(report, &row[i], has_measured);
    report_rest(report, rows);
    if (has_oracle && has_measured)
        print_agreement(report, row, rows);
}

enum err report_branches(const struct report *report, struct diag *diag)
{
    const struct profile *profile = report->profile;
    struct branch *row = calloc(profile->costs + profile->marks + 1, sizeof *row);
    size_t rows, measured;

    if (row == NULL)
        return diag_no_memory(diag, "the report");
    rows = make_rows(report, row, &measured);
    if (measured != 0 || profile->units_per_cycle != 0)
        print_rows(report, row, rows, measured != 0);
    free(row);
    if (measured != 0 || profile->units_per_cycle != 0)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "report --branches: the profile was made without --oracle, or "
                    "not with --mode detailed, and no branch has a counter");
}
