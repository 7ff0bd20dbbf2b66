/* The threads of a profile, a row each. */
#include <stdlib.h>

#include "prof/profile/profile_select.h"
#include "prof/report/report.h"

/* A column is shown if a thread has a value in it. */
struct columns {
    const struct profile_thread_row *row;
    size_t rows;
    struct profile_thread_row sum;
};

static struct columns sum_up(const struct profile_thread_row *row, size_t rows)
{
    struct columns columns = {.row = row, .rows = rows};

    for (size_t i = 0; i < rows; i++) {
        columns.sum.units += row[i].units;
        columns.sum.instructions += row[i].instructions;
        columns.sum.executions += row[i].executions;
        columns.sum.interrupts += row[i].interrupts;
    }
    return columns;
}

/* By falling cycles, then interrupts, then executions. */
static int compare(const void *a, const void *b)
{
    const struct profile_thread_row *x = a, *y = b;

    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    if (x->interrupts != y->interrupts)
        return x->interrupts > y->interrupts ? -1 : 1;
    if (x->executions != y->executions)
        return x->executions > y->executions ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static void print_head(const struct report *report, const struct profile_thread_row *sum)
{
    fputc('\n', report->out);
    if (sum->units != 0)
        fprintf(report->out, "%18s %7s %16s ", "cycles", "", "instructions");
    if (sum->interrupts != 0)
        fprintf(report->out, "%12s %7s ", report->profile->sampling != NULL ? "samples"
                                                                              : "interrupts", "");
    if (sum->executions != 0)
        fprintf(report->out, "%16s %7s ", "marks", "");
    fprintf(report->out, " thread\n");
}

static void print_part(const struct report *report, int width, uint64_t part, uint64_t whole)
{
    char number[REPORT_NUMBER];

    if (whole != 0)
        fprintf(report->out, "%*s %6.2f%% ", width, report_number(part, number),
                report_percent(part, whole));
}

static void print_row(const struct report *report, const struct columns *columns, size_t i)
{
    const struct profile_thread_row *row = &columns->row[i], *sum = &columns->sum;
    char cycles[REPORT_NUMBER], number[REPORT_NUMBER], thread[PROFILE_THREAD_TEXT];

    if (sum->units != 0)
        fprintf(report->out, "%18s %6.2f%% %16s ",
                report_cycles(report->profile, row->units, cycles),
                report_percent(row->units, sum->units), report_number(row->instructions, number));
    print_part(report, 12, row->interrupts, sum->interrupts);
    print_part(report, 16, row->executions, sum->executions);
    fprintf(report->out, " %s\n", profile_thread_text(report->profile, row->thread, thread));
}

static bool is_empty(const struct profile_thread_row *sum)
{
    return sum->units == 0 && sum->interrupts == 0 && sum->executions == 0;
}

enum err report_threads(const struct report *report, struct diag *diag)
{
    struct profile_thread_row *row;
    struct columns columns;
    size_t rows;
    enum err err = profile_thread_rows(report->profile, &row, &rows, diag);

    if (err == ERR_OK) {
        qsort(row, rows, sizeof *row, compare);
        columns = sum_up(row, rows);
        if (rows != 0 && is_empty(&columns.sum))
            err = diag_set(diag, ERR_USAGE, "report --sort thread: no thread has cycles, samples "
                           "or marks; --thread %u shows its ranges and counters",
                           (unsigned)row[0].thread);
    }
    if (err == ERR_OK) {
        print_head(report, &columns.sum);
        for (size_t i = 0; i < report_shown(report, rows); i++)
            print_row(report, &columns, i);
        report_rest(report, rows);
    }
    free(row);
    return err;
}
