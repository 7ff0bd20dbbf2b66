/* The samples of a profile by routine, and by line. */
#include <stdlib.h>

#include "prof/annotate/annotate.h"
#include "prof/profile/cost.h"
#include "prof/report/report.h"

static void print_row(const struct report *report, const uint64_t *value, uint64_t total,
                      const char *name)
{
    char samples[REPORT_NUMBER], events[REPORT_NUMBER];
    uint64_t period = report->profile->sampling->period;

    fprintf(report->out, "%16s", report_number(value[0], samples));
    report_share(report, value[0], total);
    fprintf(report->out, " %18s  %s\n",
            period != 0 ? report_number(value[0] * period, events) : "", name);
}

static void print_head(const struct report *report, const char *what)
{
    const struct profile_sampling *sampling = report->profile->sampling;

    fprintf(report->out, "\n%16s %7s %18s  %s\n", "samples", "",
            sampling->period != 0 ? sampling->event : "", what);
}

enum err report_samples(const struct report *report, struct diag *diag)
{
    const struct profile_sampling *sampling = report->profile->sampling;
    struct annotate_routine *routine = NULL, rest;
    struct points points;
    size_t routines = 0;
    enum err err;

    if (sampling == NULL || report->profile->records == 0)
        return ERR_OK;
    err = points_make(&points, report->profile, "samples", diag);
    if (err != ERR_OK)
        return err;
    err = annotate_routines(&points, report->symbols, &routine, &routines, &rest, diag);
    if (err == ERR_OK) {
        print_head(report, "routine");
        for (size_t i = 0; i < report_shown(report, routines); i++)
            print_row(report, routine[i].value, points.total[0], routine[i].entry->name);
        if (rest.value[0] != 0)
            print_row(report, rest.value, points.total[0], "(no routine)");
        report_rest(report, routines);
    }
    free(routine);
    points_free(&points);
    return err;
}

/* The points as costs, one unit for each sample. */
static struct profile_cost *costs_of(const struct points *points)
{
    struct profile_cost *cost = calloc(points->points + 1, sizeof *cost);

    for (size_t i = 0; cost != NULL && i < points->points; i++)
        cost[i] = (struct profile_cost){
            .address = points->point[i].address, .units = points->point[i].value[0]};
    return cost;
}

static enum err print_lines(const struct report *report, const struct points *points,
                            struct profile_cost *cost, struct diag *diag)
{
    const struct profile samples = {.cost = cost, .costs = points->points};
    struct cost_row *row;
    size_t rows;
    enum err err = cost_rows(&samples, report->symbols, COST_BY_LINE, &row, &rows, diag);

    if (err != ERR_OK)
        return err;
    print_head(report, "line");
    for (size_t i = 0; i < report_shown(report, rows); i++) {
        char name[SYMBOLS_TEXT];

        print_row(report, &row[i].units, points->total[0],
                  cost_name(&row[i], COST_BY_LINE, report->symbols, name));
    }
    report_rest(report, rows);
    free(row);
    return ERR_OK;
}

enum err report_sample_lines(const struct report *report, struct diag *diag)
{
    struct profile_cost *cost;
    struct points points;
    enum err err = points_make(&points, report->profile, "samples", diag);

    if (err != ERR_OK)
        return err;
    cost = costs_of(&points);
    err = cost != NULL ? print_lines(report, &points, cost, diag)
                       : diag_no_memory(diag, "samples");
    free(cost);
    points_free(&points);
    return err;
}
