/* The samples of a profile by routine. */
#include <stdlib.h>

#include "prof/annotate.h"
#include "prof/report.h"

static void print_row(const struct report *report, const uint64_t *value, uint64_t total,
                      const char *name)
{
    char samples[REPORT_NUMBER], events[REPORT_NUMBER];
    uint64_t period = report->profile->sampling->period;

    fprintf(report->out, "%16s %6.2f%% %18s  %s\n", report_number(value[0], samples),
            report_percent(value[0], total),
            period != 0 ? report_number(value[0] * period, events) : "", name);
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
        fprintf(report->out, "\n%16s %7s %18s  %s\n", "samples", "",
                sampling->period != 0 ? sampling->event : "", "routine");
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
