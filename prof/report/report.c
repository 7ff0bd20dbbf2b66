/* The tables of a report. */
#include "prof/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "prof/report/summary.h"

/* ---- overview -------------------------------------------------------------------------------- */

static void print_monitor(const struct report *report)
{
    const struct profile *profile = report->profile;
    uint64_t cycles = profile_event(profile, "cycles_monitor");
    char interrupts[REPORT_NUMBER], text[REPORT_NUMBER];

    fprintf(report->out, "monitor   %s: %s interrupt%s, %s cycles (%.2f %%)", profile->monitor,
            report_number(profile->interrupts, interrupts), report_s(profile->interrupts),
            report_number(cycles, text),
            report_percent(cycles, profile_event(profile, "cycles")));
    if (profile->dropped != 0)
        fprintf(report->out, ", %s not stored", report_number(profile->dropped, text));
    if (profile->lost != 0)
        fprintf(report->out, ", %s lost", report_number(profile->lost, text));
    if (profile->throttled != 0)
        fprintf(report->out, ", %s throttled", report_number(profile->throttled, text));
    fputc('\n', report->out);
}

static void print_ranges(const struct report *report)
{
    char entries[REPORT_NUMBER], executed[REPORT_NUMBER];

    for (size_t i = 0; i < report->profile->ranges; i++) {
        const struct profile_range *range = &report->profile->range[i];

        fprintf(report->out, "range     %s %s: entered %s time%s, %s %s%s\n", range->name,
                range->place, report_number(range->entries, entries), report_s(range->entries),
                report_number(range->executed, executed),
                range->is_data ? "access" : "instruction",
                range->executed == 1 ? "" : range->is_data ? "es" : "s");
    }
}

static void print_count(const struct profile_count *count, FILE *out)
{
    char text[REPORT_NUMBER];

    fprintf(out, "%16s  %s",
            count->is_known ? report_number(count->value, text) : "not counted", count->text);
    for (size_t i = 0; count->is_known && !count->is_sum && count->harts > 1 && i < count->harts;
         i++)
        fprintf(out, "%s hart %zu %s", i == 0 ? " " : ",", i, report_number(count->hart[i], text));
    fputc('\n', out);
}

void report_counts(const struct profile *profile, FILE *out)
{
    bool is_complete = true;

    if (profile->counts != 0)
        fprintf(out, "%16s  counter\n", "count");
    for (size_t i = 0; i < profile->counts; i++) {
        print_count(&profile->count[i], out);
        is_complete &= profile->count[i].is_known;
    }
    if (!is_complete)
        fprintf(out, "%16s  --mode detailed counts these, too\n", "");
}

static const char *or_none(const char *colour)
{
    return colour != NULL ? colour : "";
}

enum { HOT_PERCENT = 10, WARM_PERCENT = 1 };

void report_share(const struct report *report, uint64_t part, uint64_t whole)
{
    const struct report_style *style = &report->style;
    double percent = report_percent(part, whole);
    const char *colour = percent >= HOT_PERCENT    ? or_none(style->hot)
                         : percent >= WARM_PERCENT ? or_none(style->warm)
                                                   : "";

    fprintf(report->out, "%s %6.2f%%%s", colour, percent, *colour != '\0' ? style->off : "");
}

static void print_command(const struct report *report)
{
    const struct profile *profile = report->profile;
    const char *bold = or_none(report->style.bold), *off = or_none(report->style.off);
    bool is_bad = profile->exit_code != 0;

    fprintf(report->out, "command   %s", bold);
    for (size_t i = 0; i < profile->commands; i++)
        fprintf(report->out, "%s%s", i == 0 ? "" : " ",
                i == 0 ? symbols_base_name(profile->command[i]) : profile->command[i]);
    fprintf(report->out, "%s\nended     %s%s, status %d%s%s%s\n", off,
            is_bad ? or_none(report->style.hot) : "", profile->reason, profile->exit_code,
            profile->text[0] != '\0' ? ": " : "", profile->text, is_bad ? off : "");
}

void report_overview(const struct report *report)
{
    const struct profile *profile = report->profile;
    char text[REPORT_NUMBER], line[REPORT_IMAGE], modes[REPORT_MODES];

    print_command(report);
    fprintf(report->out, "engine    %s: %s instruction%s", profile->engine,
            report_number(profile->instructions, text), report_s(profile->instructions));
    if (summary_is_timed(profile))
        fprintf(report->out, ", %s cycle%s", report_number(profile->cycles, text),
                report_s(profile->cycles));
    fputc('\n', report->out);
    if (profile->modes != NULL)
        fprintf(report->out, "time      %s\n", report_modes(profile->modes, modes));
    report_covered(profile, "names     ", report->out);
    for (size_t i = 0; i < profile->images; i++)
        fprintf(report->out, "%-10s%s\n", i == 0 ? "programs" : "",
                report_image(profile->image, profile->images, i, line));
    if (strcmp(profile->monitor, "none") != 0 || profile->lost != 0)
        print_monitor(report);
    if (profile->counted_from != 0)
        fprintf(report->out, "counted   marks and ranges only from instruction %s on, each routine "
                "from when it became hot; all else is of the whole run\n",
                report_number(profile->counted_from, text));
    print_ranges(report);
    report_counts(profile, report->out);
}

/* ---- sums of marks --------------------------------------------------------------------------- */

/* A symbol or a line. */
struct row {
    const struct symbols_entry *entry;
    const struct symbols_line *line;
    uint64_t address;               /* of its first mark */
    bool is_code;
    uint64_t count, interrupts;
    uint64_t entries;               /* count of the symbol's first instruction, if it is marked */
    bool has_entered;               /* `entries` are calls, of the time in which it was marked */
    bool has_entries, has_counter;  /* false: its marks count nowhere */
    uint64_t most;                  /* highest count of a single mark */
    size_t marks;
};

static void add_mark(struct row *row, const struct profile_mark *mark)
{
    if (row->marks == 0)
        row->address = mark->address;
    row->is_code = mark->is_code;
    row->has_counter |= mark->has_counter;
    row->count += mark->count;
    row->interrupts += mark->interrupts;
    row->most = mark->count > row->most ? mark->count : row->most;
    row->marks++;
    if (mark->is_code && mark->has_counter && row->entry != NULL &&
        row->entry->address == mark->address) {
        row->entries = mark->has_entered ? mark->entered : mark->count;
        row->has_entered = mark->has_entered;
        row->has_entries = true;
    }
}

/* False for marks that only filter the counters of events: they have no numbers of their own. */
static bool has_row(const struct profile_mark *mark)
{
    return mark->has_counter || mark->interrupts != 0 || strstr(mark->flags, "interrupt") != NULL;
}

static void print_executions(const struct report *report, const struct row *row, uint64_t total)
{
    char count[REPORT_NUMBER];

    if (!row->has_counter) {
        fprintf(report->out, "%16s %7s", "-", "");
        return;
    }
    fprintf(report->out, "%16s", report_number(row->count, count));
    report_share(report, row->count, total);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->is_code != y->is_code)
        return x->is_code ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->interrupts != y->interrupts)
        return x->interrupts > y->interrupts ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static struct row *make_rows(const struct report *report, struct diag *diag)
{
    struct row *row = calloc(report->profile->marks + 1, sizeof *row);

    if (row == NULL)
        diag_no_memory(diag, "the report");
    return row;
}

static uint64_t total_of(const struct row *row, size_t rows, bool is_code)
{
    uint64_t total = 0;

    for (size_t i = 0; i < rows; i++)
        total += row[i].is_code == is_code ? row[i].count : 0;
    return total;
}

static size_t rows_shown(const struct report *report, size_t rows)
{
    return report->top != 0 && rows > report->top ? report->top : rows;
}

static void print_rest(const struct report *report, size_t rows)
{
    size_t shown = rows_shown(report, rows);

    if (shown < rows)
        fprintf(report->out, "... and %zu more; --top 0 shows all\n", rows - shown);
}

/* ---- by symbol ------------------------------------------------------------------------------- */

/* Marks are in order of address, so those of a symbol are adjacent. */
static size_t sum_symbols(const struct report *report, struct row *row)
{
    size_t rows = 0;

    for (size_t i = 0; i < report->profile->marks; i++) {
        const struct profile_mark *mark = &report->profile->mark[i];
        const struct symbols_entry *entry = symbols_at(report->symbols, mark->address);

        if (!has_row(mark))
            continue;
        if (rows == 0 || entry == NULL || row[rows - 1].entry != entry)
            row[rows++] = (struct row){.entry = entry};
        add_mark(&row[rows - 1], mark);
    }
    return rows;
}

/* The number of calls if known, as the first instruction may head a loop. */
static uint64_t entered(const struct report *report, const struct row *row)
{
    return report->profile->calls > 1 && !row->has_entered
               ? profile_entered(report->profile, row->entry->address) : row->entries;
}

static void print_symbol_row(const struct report *report, const struct row *row, uint64_t total)
{
    char entries[REPORT_NUMBER], interrupts[REPORT_NUMBER];
    char name[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";
    uint64_t address = row->entry != NULL ? row->entry->address : row->address;

    if (row->is_code)
        symbols_describe_line(report->symbols, address, line);
    print_executions(report, row, total);
    fprintf(report->out, " %14s %12s %6zu  %s%s%s\n",
            row->has_entries ? report_number(entered(report, row), entries) : "",
            report_number(row->interrupts, interrupts), row->marks,
            symbols_describe(report->symbols, address, name), line[0] != '\0' ? "  " : "", line);
}

enum err report_symbols(const struct report *report, struct diag *diag)
{
    struct row *row = make_rows(report, diag);
    size_t rows;
    bool is_data = false;

    if (row == NULL)
        return ERR_NO_MEMORY;
    rows = sum_symbols(report, row);
    qsort(row, rows, sizeof row[0], compare_rows);
    if (rows != 0)
        fputc('\n', report->out);
    if (rows != 0 && row[0].is_code)
        fprintf(report->out, "%16s %7s %14s %12s %6s  %s\n", "count", "", "entered", "interrupts",
                "marks", "symbol");
    for (size_t i = 0; i < rows_shown(report, rows); i++) {
        if (!row[i].is_code && !is_data)
            fprintf(report->out, "%16s %7s %14s %12s %6s  data\n", "accesses", "", "", "interrupts",
                    "marks");
        is_data = !row[i].is_code;
        print_symbol_row(report, &row[i], total_of(row, rows, row[i].is_code));
    }
    print_rest(report, rows);
    free(row);
    return ERR_OK;
}

/* ---- by line --------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order;

    if (x->line == NULL || y->line == NULL)
        return (x->line == NULL) - (y->line == NULL);
    order = strcmp(x->line->file, y->line->file);
    return order != 0 ? order : (x->line->line > y->line->line) - (x->line->line < y->line->line);
}

/* Joins rows of one line, whose code need not be contiguous. */
static size_t join_lines(struct row *row, size_t rows)
{
    size_t kept = 0;

    qsort(row, rows, sizeof row[0], compare_lines);
    for (size_t i = 0; i < rows; i++) {
        struct row *last = &row[kept];

        if (kept == 0 || compare_lines(&last[-1], &row[i]) != 0) {
            row[kept++] = row[i];
            continue;
        }
        last[-1].has_counter |= row[i].has_counter;
        last[-1].count += row[i].count;
        last[-1].interrupts += row[i].interrupts;
        last[-1].marks += row[i].marks;
        if (row[i].most > last[-1].most)
            last[-1].most = row[i].most;
    }
    return kept;
}

static size_t sum_lines(const struct report *report, struct row *row)
{
    size_t rows = 0;

    for (size_t i = 0; i < report->profile->marks; i++) {
        const struct profile_mark *mark = &report->profile->mark[i];

        if (!mark->is_code || !has_row(mark))
            continue;
        row[rows] = (struct row){.line = symbols_line_at(report->symbols, mark->address)};
        add_mark(&row[rows++], mark);
    }
    return join_lines(row, rows);
}

static enum err report_mark_lines(const struct report *report, struct diag *diag)
{
    struct row *row = make_rows(report, diag);
    char most[REPORT_NUMBER], interrupts[REPORT_NUMBER];
    uint64_t total;
    size_t rows;

    if (row == NULL)
        return ERR_NO_MEMORY;
    rows = sum_lines(report, row);
    total = total_of(row, rows, true);
    qsort(row, rows, sizeof row[0], compare_rows);
    if (rows != 0)
        fprintf(report->out, "\n%16s %7s %14s %12s %6s  %s\n", "count", "", "highest", "interrupts",
                "marks", "line");
    for (size_t i = 0; i < rows_shown(report, rows); i++) {
        const struct symbols_line *line = row[i].line;

        print_executions(report, &row[i], total);
        fprintf(report->out, " %14s %12s %6zu  ",
                row[i].has_counter ? report_number(row[i].most, most) : "-",
                report_number(row[i].interrupts, interrupts), row[i].marks);
        if (line != NULL)
            fprintf(report->out, "%s:%u\n", symbols_base_name(line->file), line->line);
        else
            fputs("(no line)\n", report->out);
    }
    print_rest(report, rows);
    free(row);
    return ERR_OK;
}

enum err report_lines(const struct report *report, struct diag *diag)
{
    if (report->profile->marks != 0)
        return report_mark_lines(report, diag);
    if (report->profile->units_per_cycle != 0)
        return report_oracle_lines(report, diag);
    return report_sample_lines(report, diag);
}

/* ---- callers --------------------------------------------------------------------------------- */

/* Prints the callers of the routine and kind that begin at row[0]; returns the number of rows. */
static size_t print_routine(const struct report *report, const struct callgraph_caller *row,
                            size_t rows)
{
    char number[REPORT_NUMBER], executions[REPORT_NUMBER], own[REPORT_NUMBER];
    char since[REPORT_NUMBER], name[SYMBOLS_TEXT];
    uint64_t total = row->total;
    size_t count = 0;

    while (count < rows && row[count].routine == row->routine && row[count].kind == row->kind)
        count++;
    fprintf(report->out, "\n%s (%s): %s interrupt%s\n",
            callgraph_name(report->profile, report->symbols, row->routine, name),
            callgraph_kind_name(row->kind), report_number(total, number), report_s(total));
    fprintf(report->out, "%16s %7s %14s %17s %16s  %s\n", "interrupts", "", "executions",
            "own instructions", "since interrupt", "caller");
    for (size_t i = 0; i < rows_shown(report, count); i++) {
        fprintf(report->out, "%16s", report_number(row[i].interrupts, number));
        report_share(report, row[i].interrupts, total);
        fprintf(report->out, " %14s %17s %16s  %s\n",
                report_number(row[i].executions, executions),
                row[i].has_own ? report_number(row[i].own, own) : "-",
                report_number(row[i].instructions, since),
                callgraph_name(report->profile, report->symbols, row[i].caller, name));
    }
    print_rest(report, count);
    return count;
}

enum err report_callers(const struct report *report, struct diag *diag)
{
    struct callgraph graph;
    enum err err = callgraph_build(&graph, report->profile, report->symbols, diag);
    size_t at = 0;

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; at < graph.callers && (report->top == 0 || i < report->top); i++)
        at += print_routine(report, &graph.caller[at], graph.callers - at);
    if (at < graph.callers)
        fprintf(report->out, "\n... and routines with fewer interrupts; --top 0 shows all\n");
    callgraph_free(&graph);
    return ERR_OK;
}
