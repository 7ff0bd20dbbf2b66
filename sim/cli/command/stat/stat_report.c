/* The table of rvsim stat: a row for each event, its share of others, its spread over the runs. */
#include <inttypes.h>
#include <math.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/cli/command/stat/stat.h"

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

/* ---- rows ------------------------------------------------------------------------------------ */

/* The parts into which a run under the guest kernel divides each row, in the order of output. */
static const struct { enum stat_part part; const char *name, *suffix; } divided[] = {
    {STAT_USER, "user", ":u"}, {STAT_KERNEL, "kernel", ":k"}, {STAT_IDLE, "idle", ":idle"},
};
enum { DIVIDED = sizeof divided / sizeof divided[0] };

const char *stat_row_name(const struct stat_row *row, char name[STAT_NAME])
{
    const char *suffix = row->parts == (STAT_USER | STAT_KERNEL) ? ":uk" : "";

    for (unsigned i = 0; i < DIVIDED; i++)
        if (row->parts == divided[i].part)
            suffix = divided[i].suffix;
    snprintf(name, STAT_NAME, "%s%s", event_name(row->event), suffix);
    return name;
}

/* True for a row whose parts stand beside it. */
static bool is_divided(const struct stat_command *stat, const struct stat_row *row)
{
    return stat->profile.modes != NULL && row->parts == STAT_ALL;
}

static struct stat_row part_of(const struct stat_row *row, enum stat_part part)
{
    return (struct stat_row){row->event, part, row->is_known};
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The part of an event's count from cycles in which a hart waited. It is 0 for all other events,
 * apart from accesses that were still under way. */
static uint64_t idle_part(const struct stat_counts *count, unsigned code)
{
    if (code == EVENT_CYCLES || code == EVENT_CYCLES_NO_COMMIT)
        return count->all[EVENT_CYCLES_IDLE];
    if (code == EVENT_CYCLES_IDLE || code == EVENT_SLOTS_IDLE || code == EVENT_CPI_IDLE)
        return count->all[code];
    return 0;
}

static uint64_t value_of(const struct stat_counts *count, const struct stat_row *row)
{
    uint64_t user = count->user[row->event], idle = idle_part(count, row->event);
    uint64_t kernel = count->all[row->event] - user - idle;

    return ((row->parts & STAT_USER) != 0 ? user : 0) +
           ((row->parts & STAT_KERNEL) != 0 ? kernel : 0) +
           ((row->parts & STAT_IDLE) != 0 ? idle : 0);
}

static double mean_of(const struct stat_command *stat, const struct stat_row *row)
{
    double sum = 0;

    for (unsigned i = 0; i < stat->runs; i++)
        sum += (double)value_of(&stat->count[i], row);
    return stat->runs != 0 ? sum / stat->runs : 0;
}

/* The standard deviation of a sample. */
static double deviation_of(const struct stat_command *stat, const struct stat_row *row)
{
    double mean = mean_of(stat, row), squares = 0;

    for (unsigned i = 0; i < stat->runs; i++) {
        double off = (double)value_of(&stat->count[i], row) - mean;
        squares += off * off;
    }
    return stat->runs > 1 ? sqrt(squares / (stat->runs - 1)) : 0;
}

/* False for an event that is not counted: its value is 0 or meaningless. */
static bool is_counted(const struct stat_command *stat, unsigned code)
{
    for (unsigned i = 0; i < stat->rows; i++)
        if (stat->row[i].event == code)
            return stat->row[i].is_known;
    return stat->tool.options.engine == ENGINE_DETAILED;
}

/* The row as a share of, or ratio to, the same parts of other events. */
static const char *note_of(const struct stat_command *stat, const struct stat_row *row,
                           char text[NOTE_BYTES])
{
    text[0] = '\0';
    for (unsigned i = 0; i < NOTES; i++) {
        double value = mean_of(stat, row), whole = 0;

        for (unsigned k = 0; k < WHOLES && notes[i].whole[k] != EVENT_NONE; k++) {
            const struct stat_row other = {.event = notes[i].whole[k], .parts = row->parts};

            whole += is_counted(stat, other.event) ? mean_of(stat, &other) : 0;
        }
        if (notes[i].event != row->event || whole <= 0)
            continue;
        if (notes[i].text[0] == '/')
            snprintf(text, NOTE_BYTES, "%.3f %s", value / whole, notes[i].text + 1);
        else
            snprintf(text, NOTE_BYTES, "%.2f %% %s", 100 * value / whole, notes[i].text);
    }
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* True if a row has parts beside it, in columns of their own. */
static bool has_columns(const struct stat_command *stat)
{
    for (unsigned i = 0; i < stat->rows; i++)
        if (is_divided(stat, &stat->row[i]))
            return true;
    return false;
}

static void print_heads(const struct stat_command *stat, FILE *out)
{
    for (unsigned i = 0; i < DIVIDED && has_columns(stat); i++)
        fprintf(out, " %18s", divided[i].name);
}

static void print_row(const struct stat_command *stat, const struct stat_row *row, FILE *out)
{
    char number[REPORT_NUMBER], note[NOTE_BYTES], spread[NOTE_BYTES] = "", name[STAT_NAME];
    double mean = mean_of(stat, row);

    if (stat->runs > 1)
        snprintf(spread, sizeof spread, "  +- %5.2f%%",
                 row->is_known && mean > 0 ? 100 * deviation_of(stat, row) / mean : 0);
    fprintf(out, "%18s%s", row->is_known ? report_number((uint64_t)llround(mean), number)
                                         : "not counted", row->is_known ? spread : "");
    for (unsigned i = 0; i < DIVIDED && has_columns(stat); i++) {
        const struct stat_row part = part_of(row, divided[i].part);

        if (row->is_known && is_divided(stat, row))
            fprintf(out, " %18s", report_number((uint64_t)llround(mean_of(stat, &part)), number));
        else
            fprintf(out, " %18s", "");
    }
    note_of(stat, row, note);
    if (!row->is_known)
        note[0] = '\0';
    fprintf(out, "  %-*s%s\n", note[0] != '\0' ? 24 : 0, stat_row_name(row, name), note);
}

/* The counts of one interval. */
static void take_interval(const struct stat_command *stat, size_t at, struct stat_counts *count)
{
    const struct intervals *over_time = &stat->over_time;
    const uint64_t *value = over_time->interval[at].count;

    for (unsigned k = 0; k < over_time->events; k++) {
        count->all[over_time->event[k]] = value[k];
        count->user[over_time->event[k]] = value[over_time->events + k];
    }
}

static void print_interval_row(const struct stat_command *stat, const struct stat_counts *count,
                               const struct stat_row *row, FILE *out)
{
    char number[REPORT_NUMBER], name[STAT_NAME];

    fprintf(out, " %18s", report_number(value_of(count, row), number));
    for (unsigned i = 0; i < DIVIDED && has_columns(stat); i++) {
        const struct stat_row part = part_of(row, divided[i].part);

        fprintf(out, " %18s", is_divided(stat, row) ? report_number(value_of(count, &part), number)
                                                    : "");
    }
    fprintf(out, "  %s\n", stat_row_name(row, name));
}

static void print_intervals(const struct stat_command *stat, FILE *out)
{
    struct stat_counts count = {.all = {0}};
    char end[REPORT_NUMBER];

    fprintf(out, "%18s %18s", "cycles", "count");
    print_heads(stat, out);
    fputs("  event\n", out);
    for (size_t i = 0; i < stat->over_time.intervals; i++) {
        take_interval(stat, i, &count);
        for (unsigned k = 0; k < stat->rows; k++) {
            fprintf(out, "%18s", report_number(stat->over_time.interval[i].end, end));
            print_interval_row(stat, &count, &stat->row[k], out);
        }
    }
    fputc('\n', out);
}

/* As perf stat: simulated seconds, of the longest hart and in each mode of all harts. */
static void print_seconds(const struct stat_command *stat, FILE *out)
{
    double hertz = 1e6 * stat->tool.options.config.machine_clock_mhz;
    const struct stat_row cycles = {.event = EVENT_CYCLES};

    if (!stat_has_seconds(stat) || stat->runs == 0)
        return;
    fprintf(out, "\n%18.9f  seconds elapsed\n", (double)stat->elapsed / stat->runs / hertz);
    for (unsigned i = 0; i < DIVIDED; i++) {
        const struct stat_row part = part_of(&cycles, divided[i].part);

        fprintf(out, "%18.9f  seconds %s%s\n", mean_of(stat, &part) / hertz, divided[i].name,
                stat->profile.harts == 1 ? "" : ", sum of all harts");
    }
}

bool stat_has_seconds(const struct stat_command *stat)
{
    return stat->profile.modes != NULL && stat->tool.options.engine == ENGINE_DETAILED;
}

void stat_print(const struct stat_command *stat, FILE *out)
{
    const struct report report = {.profile = &stat->profile, .out = out};

    fprintf(out, "%s: %u run%s\n\n", symbols_base_name(stat->tool.target.image.path), stat->runs,
            stat->runs == 1 ? "" : "s, means and standard deviations over machine.seed");
    if (stat->over_time.period != 0)
        print_intervals(stat, out);
    if (has_columns(stat)) {
        fprintf(out, "%18s%s", "all", stat->runs > 1 ? "           " : "");
        print_heads(stat, out);
        fputc('\n', out);
    }
    for (unsigned i = 0; i < stat->rows; i++)
        print_row(stat, &stat->row[i], out);
    print_seconds(stat, out);
    if (stat->has_topdown)
        report_topdown(&report);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Calls `write` with the row, and with each of its parts if it is divided. */
struct writer { const struct stat_command *stat; const struct stat_counts *count; FILE *out; };
typedef void write_row(const struct writer *writer, uint64_t end, const struct stat_row *row);

static void write_divided(const struct writer *writer, uint64_t end, const struct stat_row *row,
                          write_row *write)
{
    write(writer, end, row);
    for (unsigned i = 0; i < DIVIDED && is_divided(writer->stat, row); i++) {
        const struct stat_row part = part_of(row, divided[i].part);

        write(writer, end, &part);
    }
}

static void write_interval_row(const struct writer *writer, uint64_t end,
                               const struct stat_row *row)
{
    char name[STAT_NAME];

    fprintf(writer->out, "%" PRIu64 ",%s,%" PRIu64 "\n", end, stat_row_name(row, name),
            value_of(writer->count, row));
}

static void write_interval_rows(const struct stat_command *stat, FILE *out)
{
    struct stat_counts count = {.all = {0}};
    const struct writer writer = {stat, &count, out};

    fputs("cycles,event,count\n", out);
    for (size_t i = 0; i < stat->over_time.intervals; i++) {
        take_interval(stat, i, &count);
        for (unsigned k = 0; k < stat->rows; k++)
            write_divided(&writer, stat->over_time.interval[i].end, &stat->row[k],
                          write_interval_row);
    }
}

/* An event that the engine does not count has empty fields. */
static void write_event_row(const struct writer *writer, uint64_t end, const struct stat_row *row)
{
    const struct stat_command *stat = writer->stat;
    char name[STAT_NAME];

    (void)end;
    fprintf(writer->out, "%s,", stat_row_name(row, name));
    if (row->is_known)
        fprintf(writer->out, "%.15g,%.15g", mean_of(stat, row), deviation_of(stat, row));
    else
        fputc(',', writer->out);
    for (unsigned i = 0; i < stat->runs; i++)
        if (row->is_known)
            fprintf(writer->out, ",%" PRIu64, value_of(&stat->count[i], row));
        else
            fputc(',', writer->out);
    fputc('\n', writer->out);
}

enum err stat_write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct stat_command *stat = arg;
    const struct writer writer = {stat, NULL, out};

    (void)diag;
    if (stat->over_time.period != 0) {
        write_interval_rows(stat, out);
        return ERR_OK;
    }
    fputs("event,mean,deviation", out);
    for (unsigned i = 0; i < stat->runs; i++)
        fprintf(out, ",run%u", i + 1);
    fputc('\n', out);
    for (unsigned k = 0; k < stat->rows; k++)
        write_divided(&writer, 0, &stat->row[k], write_event_row);
    return ERR_OK;
}

static void add_counts(const struct stat_command *stat, cJSON *object, const struct stat_row *row)
{
    cJSON *runs;

    json_real(object, "mean", mean_of(stat, row));
    json_real(object, "deviation", deviation_of(stat, row));
    runs = cJSON_AddArrayToObject(object, "runs");
    for (unsigned i = 0; i < stat->runs; i++)
        json_append_number(runs, value_of(&stat->count[i], row));
}

static void add_events(const struct stat_command *stat, cJSON *root)
{
    cJSON *events = cJSON_AddArrayToObject(root, "events");
    char name[STAT_NAME];

    for (unsigned k = 0; k < stat->rows; k++) {
        const struct stat_row *from = &stat->row[k];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddItemToArray(events, row);
        cJSON_AddStringToObject(row, "event", stat_row_name(from, name));
        cJSON_AddBoolToObject(row, "is_counted", from->is_known);
        if (!from->is_known)
            continue;
        add_counts(stat, row, from);
        for (unsigned i = 0; i < DIVIDED && is_divided(stat, from); i++) {
            const struct stat_row part = part_of(from, divided[i].part);

            add_counts(stat, cJSON_AddObjectToObject(row, divided[i].name), &part);
        }
    }
}

/* The member "counts", or that of a part. */
static void add_interval_counts(const struct stat_command *stat, cJSON *object,
                                const struct stat_counts *count, enum stat_part part)
{
    char name[STAT_NAME];

    for (unsigned k = 0; k < stat->rows; k++) {
        const struct stat_row *row = &stat->row[k], own = part_of(row, part);

        if (part == STAT_ALL || is_divided(stat, row))
            json_number(object, stat_row_name(row, name),
                        value_of(count, part == STAT_ALL ? row : &own));
    }
}

static void add_intervals(const struct stat_command *stat, cJSON *root)
{
    cJSON *intervals = cJSON_AddArrayToObject(root, "intervals");
    struct stat_counts count = {.all = {0}};

    for (size_t i = 0; i < stat->over_time.intervals; i++) {
        cJSON *row = cJSON_CreateObject();

        cJSON_AddItemToArray(intervals, row);
        take_interval(stat, i, &count);
        json_number(row, "cycles", stat->over_time.interval[i].end);
        add_interval_counts(stat, cJSON_AddObjectToObject(row, "counts"), &count, STAT_ALL);
        for (unsigned k = 0; k < DIVIDED && has_columns(stat); k++)
            add_interval_counts(stat, cJSON_AddObjectToObject(row, divided[k].name), &count,
                                divided[k].part);
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
