/* Reports on data that the simulator has and hardware cannot have: the use of dispatch slots, and
 * the true time of each routine and line. */
#include <stdlib.h>

#include "prof/profile/cost.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"

/* ---- slots ----------------------------------------------------------------------------------- */

void report_monitor(const struct report *report, uint64_t number_of, const char *what)
{
    char number[REPORT_NUMBER];

    if (number_of != 0)
        fprintf(report->out, "%16s %7s  %sin the monitor, apart\n",
                report_number(number_of, number), "", what);
}

void report_topdown(const struct report *report)
{
    struct summary summary;
    char number[REPORT_NUMBER];

    summary_make(&summary, report->profile);
    fprintf(report->out, "\n%16s %7s  dispatch slots\n", "slots", "");
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        struct topdown_row row = topdown_row(node);

        if (summary.slots[node] != 0)
            fprintf(report->out, "%16s %6.2f%%  %*s%s\n",
                    report_number(summary.slots[node], number), summary_share(&summary, node),
                    2 * (int)row.depth, "", row.name);
    }
    report_monitor(report, summary.monitor_slots, "");
}

/* ---- the oracle profile ---------------------------------------------------------------------- */

const char *report_cycles(const struct profile *profile, uint64_t units,
                          char text[REPORT_NUMBER])
{
    return report_tenths(units, profile->units_per_cycle, text);
}

static enum err need_oracle(const struct report *report, const char *option, struct diag *diag)
{
    if (report->profile->units_per_cycle != 0)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "report --%s: the profile was made without --oracle, or not "
                    "with --mode detailed", option);
}

uint64_t report_all_units(const struct profile *profile)
{
    uint64_t units = profile->outside;

    for (size_t i = 0; i < profile->costs; i++)
        units += profile->cost[i].units;
    return units;
}

size_t report_shown(const struct report *report, size_t rows)
{
    return report->top != 0 && rows > report->top ? report->top : rows;
}

void report_rest(const struct report *report, size_t rows)
{
    if (report_shown(report, rows) < rows)
        fprintf(report->out, "... and %zu more; --top 0 shows all\n",
                rows - report_shown(report, rows));
}

static enum err print_costs(const struct report *report, enum cost_by by, struct diag *diag)
{
    const struct profile *profile = report->profile;
    uint64_t total = report_all_units(profile);
    struct cost_row *row;
    size_t rows;
    enum err err = cost_rows(profile, report->symbols, by, &row, &rows, diag);

    if (err != ERR_OK)
        return err;
    fprintf(report->out, "\n%18s %7s %16s %8s  %s\n", "cycles", "", "instructions", "CPI",
            by == COST_BY_SYMBOL ? "routine" : "line");
    for (size_t i = 0; i < report_shown(report, rows); i++) {
        char cycles[REPORT_NUMBER], count[REPORT_NUMBER], name[SYMBOLS_TEXT];
        char each[REPORT_CPI];

        fprintf(report->out, "%18s", report_cycles(profile, row[i].units, cycles));
        report_share(report, row[i].units, total);
        fprintf(report->out, " %16s %8s  %s\n", report_number(row[i].count, count),
                report_cycles_each(cost_cycles(profile, row[i].units), row[i].count, 2, each),
                cost_name(&row[i], by, report->symbols, name));
    }
    report_rest(report, rows);
    free(row);
    return ERR_OK;
}

enum err report_oracle_lines(const struct report *report, struct diag *diag)
{
    return print_costs(report, COST_BY_LINE, diag);
}

enum err report_oracle(const struct report *report, struct diag *diag)
{
    char cycles[REPORT_NUMBER];
    enum err err = need_oracle(report, "oracle", diag);

    if (err == ERR_OK)
        err = print_costs(report, COST_BY_SYMBOL, diag);
    if (err == ERR_OK)
        err = print_costs(report, COST_BY_LINE, diag);
    if (err == ERR_OK && report->profile->outside != 0)
        fprintf(report->out, "%18s cycles in which no instruction was there\n",
                report_cycles(report->profile, report->profile->outside, cycles));
    return err;
}
