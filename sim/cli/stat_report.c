/* The table of rvsim stat: a row for each event, its share of others, its spread over the runs. */
#include <inttypes.h>
#include <math.h>

#include "prof/json.h"
#include "prof/report.h"
#include "sim/cli/stat.h"

enum { WHOLES = 4, NOTE_BYTES = 64 };

/* perf stat's usual set: each event, and the events of which it is shown as a share. */
static const struct note {
    unsigned event, whole[WHOLES];
    const char *text;               /* for a share in percent; for a ratio when it starts with / */
} notes[] = {
    {EVENT_CYCLES, {0}, NULL},
    {EVENT_INSNS_RETIRED, {EVENT_CYCLES}, "/per cycle"},
    {EVENT_BRANCHES, {0}, NULL},
    {EVENT_BRANCHES_MISPREDICTED, {EVENT_BRANCHES, EVENT_JUMPS, EVENT_CALLS, EVENT_RETURNS},
     "of branches, jumps, calls and returns"},
    {EVENT_LOADS, {0}, NULL},
    {EVENT_STORES, {0}, NULL},
    {EVENT_L1I_ACCESS, {0}, NULL},
    {EVENT_L1I_MISS, {EVENT_L1I_ACCESS}, "of l1i_access"},
    {EVENT_L1D_READ, {0}, NULL},
    {EVENT_L1D_READ_MISS, {EVENT_L1D_READ}, "of l1d_read"},
    {EVENT_L2_ACCESS, {0}, NULL},
    {EVENT_L2_ACCESS_MISS, {EVENT_L2_ACCESS}, "of l2_access"},
    {EVENT_ITLB_WALK, {0}, NULL},
    {EVENT_DTLB_WALK, {0}, NULL},
};
enum { NOTES = sizeof notes / sizeof notes[0] };

unsigned stat_usual(unsigned index)
{
    return index < NOTES ? notes[index].event : EVENT_NONE;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double mean_of(const struct stat_command *stat, unsigned code)
{
    double sum = 0;

    for (unsigned i = 0; i < stat->runs; i++)
        sum += (double)stat->count[i][code];
    return stat->runs != 0 ? sum / stat->runs : 0;
}

/* The standard deviation of a sample. */
static double deviation_of(const struct stat_command *stat, unsigned code)
{
    double mean = mean_of(stat, code), squares = 0;

    for (unsigned i = 0; i < stat->runs; i++) {
        double off = (double)stat->count[i][code] - mean;
        squares += off * off;
    }
    return stat->runs > 1 ? sqrt(squares / (stat->runs - 1)) : 0;
}

/* False for an event that is not counted: its value is 0 or meaningless. */
static bool is_counted(const struct stat_command *stat, unsigned code)
{
    for (unsigned i = 0; i < stat->events; i++)
        if (stat->event[i] == code)
            return stat->is_known[i];
    return stat->tool.options.engine == ENGINE_DETAILED;
}

static const char *note_of(const struct stat_command *stat, unsigned code, char text[NOTE_BYTES])
{
    text[0] = '\0';
    for (unsigned i = 0; i < NOTES; i++) {
        double whole = 0;

        for (unsigned k = 0; k < WHOLES && notes[i].whole[k] != EVENT_NONE; k++)
            whole += is_counted(stat, notes[i].whole[k]) ? mean_of(stat, notes[i].whole[k]) : 0;
        if (notes[i].event != code || whole <= 0)
            continue;
        if (notes[i].text[0] == '/')
            snprintf(text, NOTE_BYTES, "%.3f %s", mean_of(stat, code) / whole, notes[i].text + 1);
        else
            snprintf(text, NOTE_BYTES, "%.2f %% %s", 100 * mean_of(stat, code) / whole,
                     notes[i].text);
    }
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_row(const struct stat_command *stat, unsigned index, FILE *out)
{
    unsigned code = stat->event[index];
    char number[REPORT_NUMBER], note[NOTE_BYTES], spread[NOTE_BYTES] = "";
    double mean = mean_of(stat, code);

    if (!stat->is_known[index]) {
        fprintf(out, "%18s  %s\n", "not counted", event_name(code));
        return;
    }
    if (stat->runs > 1)
        snprintf(spread, sizeof spread, "  +- %5.2f%%",
                 mean > 0 ? 100 * deviation_of(stat, code) / mean : 0);
    note_of(stat, code, note);
    fprintf(out, "%18s%s  %-*s%s\n", report_number((uint64_t)llround(mean), number), spread,
            note[0] != '\0' ? 24 : 0, event_name(code), note);
}

static void print_intervals(const struct stat_command *stat, FILE *out)
{
    char end[REPORT_NUMBER], number[REPORT_NUMBER];

    fprintf(out, "%18s %18s  event\n", "cycles", "count");
    for (size_t i = 0; i < stat->over_time.intervals; i++)
        for (unsigned k = 0; k < stat->events; k++)
            fprintf(out, "%18s %18s  %s\n", report_number(stat->over_time.interval[i].end, end),
                    report_number(stat->over_time.interval[i].count[k], number),
                    event_name(stat->event[k]));
    fputc('\n', out);
}

void stat_print(const struct stat_command *stat, FILE *out)
{
    const struct report report = {.profile = &stat->profile, .out = out};

    fprintf(out, "%s: %u run%s\n\n", symbols_base_name(stat->tool.target.image.path), stat->runs,
            stat->runs == 1 ? "" : "s, means and standard deviations over machine.seed");
    if (stat->over_time.period != 0)
        print_intervals(stat, out);
    for (unsigned i = 0; i < stat->events; i++)
        print_row(stat, i, out);
    if (stat->has_topdown)
        report_topdown(&report);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_interval_rows(const struct stat_command *stat, FILE *out)
{
    fputs("cycles,event,count\n", out);
    for (size_t i = 0; i < stat->over_time.intervals; i++)
        for (unsigned k = 0; k < stat->events; k++)
            fprintf(out, "%" PRIu64 ",%s,%" PRIu64 "\n", stat->over_time.interval[i].end,
                    event_name(stat->event[k]), stat->over_time.interval[i].count[k]);
}

/* An event that the engine does not count has empty fields. */
enum err stat_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct stat_command *stat = arg;

    (void)diag;
    if (stat->over_time.period != 0) {
        write_interval_rows(stat, out);
        return ERR_OK;
    }
    fputs("event,mean,deviation", out);
    for (unsigned i = 0; i < stat->runs; i++)
        fprintf(out, ",run%u", i + 1);
    fputc('\n', out);
    for (unsigned k = 0; k < stat->events; k++) {
        unsigned code = stat->event[k];

        fprintf(out, "%s,", event_name(code));
        if (stat->is_known[k])
            fprintf(out, "%.15g,%.15g", mean_of(stat, code), deviation_of(stat, code));
        else
            fputc(',', out);
        for (unsigned i = 0; i < stat->runs; i++)
            if (stat->is_known[k])
                fprintf(out, ",%" PRIu64, stat->count[i][code]);
            else
                fputc(',', out);
        fputc('\n', out);
    }
    return ERR_OK;
}

static void add_events(const struct stat_command *stat, cJSON *root)
{
    cJSON *events = cJSON_AddArrayToObject(root, "events");

    for (unsigned k = 0; k < stat->events; k++) {
        cJSON *row = cJSON_CreateObject(), *runs;

        cJSON_AddItemToArray(events, row);
        cJSON_AddStringToObject(row, "event", event_name(stat->event[k]));
        cJSON_AddBoolToObject(row, "is_counted", stat->is_known[k]);
        if (!stat->is_known[k])
            continue;
        json_real(row, "mean", mean_of(stat, stat->event[k]));
        json_real(row, "deviation", deviation_of(stat, stat->event[k]));
        runs = cJSON_AddArrayToObject(row, "runs");
        for (unsigned i = 0; i < stat->runs; i++)
            json_append_number(runs, stat->count[i][stat->event[k]]);
    }
}

static void add_intervals(const struct stat_command *stat, cJSON *root)
{
    cJSON *intervals = cJSON_AddArrayToObject(root, "intervals");

    for (size_t i = 0; i < stat->over_time.intervals; i++) {
        cJSON *row = cJSON_CreateObject(), *counts;

        cJSON_AddItemToArray(intervals, row);
        json_number(row, "cycles", stat->over_time.interval[i].end);
        counts = cJSON_AddObjectToObject(row, "counts");
        for (unsigned k = 0; k < stat->events; k++)
            json_number(counts, event_name(stat->event[k]), stat->over_time.interval[i].count[k]);
    }
}

/* In the tree's order; names repeat under different parents. */
static void add_topdown(const struct stat_command *stat, cJSON *root)
{
    cJSON *topdown = cJSON_AddArrayToObject(root, "topdown");
    struct summary summary;

    summary_make(&summary, &stat->profile);
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddItemToArray(topdown, row);
        cJSON_AddStringToObject(row, "name", topdown_row(node).name);
        json_number(row, "depth", topdown_row(node).depth);
        json_number(row, "slots", summary.slots[node]);
    }
}

enum err stat_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct stat_command *stat = arg;
    cJSON *root = tool_document(&stat->tool);

    add_events(stat, root);
    if (stat->over_time.period != 0)
        add_intervals(stat, root);
    if (stat->has_topdown)
        add_topdown(stat, root);
    return json_print(root, out, diag);
}
