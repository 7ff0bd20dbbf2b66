/* The report of `rvsim scan`: measured, the timer and the truth side by side. See scan.h. */
#include "sim/cli/command/scan/scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "pmu/exact/oracle.h"
#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/report/report.h"
#include "sim/cli/command/record.h"

const char *const scan_cost_names[SCAN_COSTS] = {"timer", "counting, the longest"};

/* Counts of slices are scaled up to the whole run; those of separate runs are exact. */
static double estimate(const struct scan *scan, const struct piece *piece)
{
    if (scan->slice == 0 || piece->insns == 0)
        return (double)piece->count;
    return (double)piece->count * (double)scan->insns / (double)piece->insns;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->true_count != y->true_count)
        return x->true_count > y->true_count ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static void print_count(const struct scan *scan, const struct piece *piece)
{
    char count[REPORT_NUMBER];

    printf("%16s %7.2f%%  %s\n", report_number(piece->count, count),
           report_percent(piece->count, scan->all_count), scan->units.unit[piece->unit].name);
}

static void print_piece(const struct scan *scan, const struct piece *piece)
{
    if (scan->is_quick) {
        print_count(scan, piece);
        return;
    }
    double count = estimate(scan, piece), truth = (double)piece->true_count;
    char measured[REPORT_NUMBER], oracle[REPORT_NUMBER], error[REPORT_CHANGE];

    if (scan->made == 0) {              /* interrupted before */
        printf("%16s %16s %8s %8.2f%% %9s  %s\n", "-", "-", "-",
               report_percent(piece->samples, scan->samples), "-",
               scan->units.unit[piece->unit].name);
        return;
    }
    printf("%16s %16s %8s %8.2f%% %8.2f%%  %s\n",
           report_number((uint64_t)llround(count), measured),
           report_number(piece->true_count, oracle),
           report_change(count, truth, error),
           report_percent(piece->samples, scan->samples),
           report_percent(piece->true_units, scan->all_units), scan->units.unit[piece->unit].name);
}

/* True if the piece executed, or had samples if only the timer's run was made. */
static bool is_seen(const struct scan *scan, const struct piece *piece)
{
    return scan->made != 0 ? piece->true_count != 0 : piece->samples != 0;
}

static void print_table(const struct scan *scan)
{
    size_t executed = 0, rows;
    char number[REPORT_NUMBER];

    while (executed < scan->units.count && is_seen(scan, &scan->piece[executed]))
        executed++;
    rows = scan->top != 0 && scan->top < executed ? scan->top : executed;
    if (scan->is_quick)
        printf("\n%16s %8s  %s\n", "instructions", "", units_by_name(scan->units.by));
    else
        printf("\n%16s %16s %8s %9s %9s  %s\n", "instructions", "oracle", "error", "timer",
               "oracle", units_by_name(scan->units.by));
    for (size_t i = 0; i < rows; i++)
        print_piece(scan, &scan->piece[i]);
    if (rows < executed)
        printf("... and %s more; --top 0 shows all\n", report_number(executed - rows, number));
}

/* Half the sum of the differences of two distributions, in percent. */
static double misplaced(const struct scan *scan, bool is_timer)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < scan->units.count; i++)
        all += estimate(scan, &scan->piece[i]);
    for (size_t i = 0; i < scan->units.count; i++) {
        const struct piece *piece = &scan->piece[i];

        if (is_timer)
            sum += fabs(report_percent(piece->samples, scan->samples) -
                        report_percent(piece->true_units, scan->all_units));
        else
            sum += fabs((all != 0 ? 100 * estimate(scan, piece) / all : 0) -
                        report_percent(piece->true_count, scan->all_count));
    }
    return sum / 2;
}

/* What was counted before an interruption. */
static void print_part(const struct scan *scan)
{
    const char *by = units_by_name(scan->units.by);
    char count[REPORT_NUMBER], part[REPORT_NUMBER], all[REPORT_NUMBER];
    size_t some = 0;

    for (size_t i = 0; i < scan->units.count; i++)
        some += scan->piece[i].insns != 0;
    printf("%s: interrupted: of %s %s%s, %s counted",
           symbols_base_name(scan->tool.target.image.path),
           report_number(scan->units.count, all), by, report_s(scan->units.count),
           report_number(scan->slice != 0 ? some : scan->whole, count));
    if (scan->slice == 0 && some != scan->whole)
        printf(", %s more in a part of the run", report_number(some - scan->whole, part));
    putchar('\n');
}

static void print_coverage(const struct scan *scan)
{
    const char *by = units_by_name(scan->units.by), *plural = scan->made == 1 ? "" : "s";
    char count[REPORT_NUMBER], marked[REPORT_NUMBER], seen[REPORT_NUMBER];
    uint64_t executed = 0, turns = UINT64_MAX;

    for (size_t i = 0; i < scan->units.count; i++) {
        executed += scan->piece[i].seen;
        turns = scan->piece[i].turns < turns ? scan->piece[i].turns : turns;
    }
    if (scan->slice != 0)
        printf("%s: all %s %s%s covered, each at least %" PRIu64 " time%s, in %" PRIu64 " run%s\n",
               symbols_base_name(scan->tool.target.image.path),
               report_number(scan->units.count, count), by, report_s(scan->units.count), turns,
               report_s(turns), scan->made, plural);
    else
        printf("%s: all %s %s%s covered in %" PRIu64 " run%s; %s of %s instructions executed\n",
               symbols_base_name(scan->tool.target.image.path),
               report_number(scan->units.count, count), by, report_s(scan->units.count), scan->made,
               plural,
               report_number(executed, seen), report_number(scan->units.insns, marked));
}

static void print_unseen(const struct scan *scan)
{
    const char *by = units_by_name(scan->units.by);
    char pieces[REPORT_NUMBER], insns[REPORT_NUMBER], samples[REPORT_NUMBER];
    char period[REPORT_NUMBER];
    uint64_t unseen = 0, count = 0, time = 0;

    for (size_t i = 0; i < scan->units.count; i++) {
        const struct piece *piece = &scan->piece[i];

        if (piece->samples != 0 || piece->count == 0)
            continue;
        unseen++;
        count += piece->true_count;
        time += piece->true_units;
    }
    if (scan->samples == 0)
        printf("timer: no samples, one every %s cycles: %s\n", report_number(scan->period, period),
               scan->timed.cycles > scan->period
                   ? "the program keeps its interrupts disabled, and a timer waits for them"
                   : "a smaller --period gives some");
    else
        printf("timer: %s sample%s, one every %s cycles; %.2f%% of the profile is in the wrong "
               "%s\n",
               report_number(scan->samples, samples), report_s(scan->samples),
               report_number(scan->period, period),
               misplaced(scan, true), by);
    record_print_left_out(&scan->timed.profile);
    printf("scan: %.2f%% of the instructions are in the wrong %s\n", misplaced(scan, false), by);
    if (scan->samples == 0)
        return;
    printf("the timer never saw %s %s%s that the scan did: %s instruction%s, %.2f%% of the "
           "cycles\n",
           report_number(unseen, pieces), by, report_s(unseen), report_number(count, insns),
           report_s(count),
           report_percent(time, scan->all_units));
}

void scan_sort(struct scan *scan)
{
    qsort(scan->piece, scan->units.count, sizeof *scan->piece, compare_pieces);
}

void scan_print(const struct scan *scan)
{
    if (scan->is_partial)
        print_part(scan);
    else
        print_coverage(scan);
    print_table(scan);
    if (scan->is_quick || scan->is_partial)    /* the timer's run was longer, or shorter */
        return;
    putchar('\n');
    print_unseen(scan);
}

enum err scan_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct scan *scan = arg;

    (void)diag;
    fprintf(out, "%s,instructions,oracle_instructions,oracle_cycles,timer_samples\n",
            units_by_name(scan->units.by));
    for (size_t i = 0; i < scan->units.count; i++) {
        const struct piece *piece = &scan->piece[i];

        csv_put(out, scan->units.unit[piece->unit].name);
        fprintf(out, ",%.0f,", estimate(scan, piece));
        if (scan->is_quick)
            fputs(",,\n", out);
        else
            fprintf(out, "%" PRIu64 ",%.1f,%" PRIu64 "\n", piece->true_count,
                    (double)piece->true_units / ORACLE_UNITS, piece->samples);
    }
    return ERR_OK;
}

enum err scan_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct scan *scan = arg;
    cJSON *root = tool_document(&scan->tool), *array;

    json_number(root, "runs", scan->made);
    cJSON_AddStringToObject(root, "by", units_by_name(scan->units.by));
    if (!scan->is_quick) {
        json_number(root, "timer_period", scan->period);
        json_number(root, "timer_samples", scan->samples);
    }
    if (!scan->is_quick && !scan->is_partial && scan->samples != 0)
        json_real(root, "timer_misplaced_percent", misplaced(scan, true));
    if (!scan->is_quick && !scan->is_partial)
        json_real(root, "misplaced_percent", misplaced(scan, false));
    array = cJSON_AddArrayToObject(root, "pieces");
    for (size_t i = 0; i < scan->units.count; i++) {
        const struct piece *piece = &scan->piece[i];
        cJSON *object = json_append_object(array);

        cJSON_AddStringToObject(object, "name", scan->units.unit[piece->unit].name);
        json_real(object, "instructions", estimate(scan, piece));
        if (scan->is_quick)
            continue;
        json_number(object, "oracle_instructions", piece->true_count);
        json_real(object, "oracle_cycles", (double)piece->true_units / ORACLE_UNITS);
        json_number(object, "timer_samples", piece->samples);
    }
    if (scan->has_cost)
        monitoring_add_json(root, scan->cost, scan_cost_names, SCAN_COSTS);
    return json_print(root, out, diag);
}
