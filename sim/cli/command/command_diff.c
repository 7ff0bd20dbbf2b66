/* rvsim diff: two profiles side by side, by routine and line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/annotate/annotate.h"
#include "prof/compare/difference.h"
#include "prof/export/export.h"
#include "prof/profile/json.h"
#include "prof/records/csv.h"
#include "prof/report/report.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/tool/opened.h"
#include "sim/cli/tool/tool.h"

enum { TOP_DEFAULT = 30, SIGNED_TEXT = POINTS_TEXT + 1, COLUMN = 16, SAMPLING_TEXT = 96 };

struct diff {
    const struct command_line *line;
    const char *path[DIFFERENCE_SIDES];
    struct opened opened[DIFFERENCE_SIDES];
    struct difference_side side[DIFFERENCE_SIDES];
    struct difference routine, source;      /* by routine; by line */
    struct report report;                   /* rows of a table */
};

static const struct points *points_of(const struct diff *diff)
{
    return &diff->side[0].points;
}

static struct difference_row totals(const struct diff *diff)
{
    struct difference_row row = {.name = "total"};

    for (unsigned side = 0; side < DIFFERENCE_SIDES; side++)
        memcpy(row.value[side], diff->side[side].points.total, sizeof row.value[side]);
    return row;
}

/* ---- machines -------------------------------------------------------------------------------- */

/* "one every 10007 cycles", or "" without samples by an event. */
static const char *sampling_of(const struct profile *profile, char text[SAMPLING_TEXT])
{
    const struct profile_sampling *sampling = profile->sampling;

    text[0] = '\0';
    if (sampling != NULL && sampling->period != 0)
        snprintf(text, SAMPLING_TEXT, "one every %" PRIu64 " %s", sampling->period,
                 sampling->event);
    return text;
}

/* Calls `show` for each setting in which the machines, or the sampling, differ. */
static void each_setting(const struct diff *diff,
                         void (*show)(void *arg, const char *key, const char *a, const char *b),
                         void *arg)
{
    const struct profile *a = diff->side[0].profile, *b = diff->side[1].profile;
    char text[2][SAMPLING_TEXT];

    for (size_t i = 0; i < a->settings; i++) {
        const char *value = profile_setting(b, a->setting[i].key);

        if (value == NULL)
            value = "";
        if (strcmp(a->setting[i].value, value) != 0)
            show(arg, a->setting[i].key, a->setting[i].value, value);
    }
    if (strcmp(sampling_of(a, text[0]), sampling_of(b, text[1])) != 0)
        show(arg, "samples", text[0], text[1]);
}

static void print_setting(void *out, const char *key, const char *a, const char *b)
{
    fprintf(out, "  %s: %s, then %s\n", key, a, b);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *signed_text(const struct points *points, unsigned measure, int64_t delta,
                               char text[SIGNED_TEXT])
{
    uint64_t size = delta < 0 ? 0 - (uint64_t)delta : (uint64_t)delta;

    text[0] = delta < 0 ? '-' : '+';
    points_text(points, measure, size, text + 1);
    return delta != 0 ? text : "0";
}

static void print_row(const struct diff *diff, const struct difference_row *row)
{
    const struct points *points = points_of(diff);
    struct style style = style_of(diff->report.out);
    char a[POINTS_TEXT], b[POINTS_TEXT], delta[SIGNED_TEXT], share[32] = "";
    int64_t change = difference_delta(row, 0);
    const char *colour = change > 0 ? style.bad : change < 0 ? style.good : "";

    if (row->value[0][0] != 0)
        snprintf(share, sizeof share, "%+.2f%%", 100 * (double)change / (double)row->value[0][0]);
    fprintf(diff->report.out, "%*s %*s %s%*s %10s%s", COLUMN,
            points_text(points, 0, row->value[0][0], a), COLUMN,
            points_text(points, 0, row->value[1][0], b), colour, COLUMN,
            signed_text(points, 0, change, delta), share, *colour != '\0' ? style.off : "");
    for (unsigned k = 1; k < points->measures; k++)
        fprintf(diff->report.out, " %*s", COLUMN,
                signed_text(points, k, difference_delta(row, k), delta));
    fprintf(diff->report.out, "  %s\n", row->name);
}

static bool has_changed(const struct diff *diff, const struct difference_row *row)
{
    for (unsigned k = 0; k < points_of(diff)->measures; k++)
        if (difference_delta(row, k) != 0)
            return true;
    return false;
}

/* Rows without a change are left out, and counted. */
static void print_table(const struct diff *diff, const struct difference *difference,
                        const char *what)
{
    struct difference_row total = totals(diff);
    size_t changed = 0;

    fprintf(diff->report.out, "\n%*s %*s %*s %10s", COLUMN, "A", COLUMN, "B", COLUMN,
            points_of(diff)->measure[0].name, "");
    for (unsigned k = 1; k < points_of(diff)->measures; k++)
        fprintf(diff->report.out, " %*s", COLUMN, points_of(diff)->measure[k].name);
    fprintf(diff->report.out, "  %s\n", what);
    for (size_t i = 0; i < difference->rows; i++)
        changed += has_changed(diff, &difference->row[i]);
    for (size_t i = 0; i < report_shown(&diff->report, changed); i++)
        print_row(diff, &difference->row[i]);
    print_row(diff, &total);
    report_rest(&diff->report, changed);
    if (changed < difference->rows)
        fprintf(diff->report.out, "%zu without a change\n", difference->rows - changed);
}

static void print(const struct diff *diff)
{
    FILE *out = diff->report.out;

    fprintf(out, "A: %s\nB: %s\n", diff->path[0], diff->path[1]);
    if (strcmp(diff->side[0].profile->program_id, diff->side[1].profile->program_id) != 0)
        fputs("the programs differ; routines and lines are joined by name\n", out);
    each_setting(diff, print_setting, out);
    print_table(diff, &diff->routine, "routine");
    if (command_value(diff->line, OPT_DIFF_LINES) != NULL)
        print_table(diff, &diff->source, "line");
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_csv_rows(const struct diff *diff, const struct difference_row *row, size_t rows,
                           const char *by, FILE *out)
{
    const struct points *points = points_of(diff);

    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "%s,", by);
        csv_put(out, row[i].name);
        for (unsigned k = 0; k < points->measures; k++)
            fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRId64, row[i].value[0][k],
                    row[i].value[1][k], difference_delta(&row[i], k));
        fputc('\n', out);
    }
}

static enum err write_csv(void *arg, FILE *out, struct diag *diag)
{
    const struct diff *diff = arg;
    const struct points *points = points_of(diff);
    struct difference_row total = totals(diff);

    (void)diag;
    fputs("by,name", out);
    for (unsigned k = 0; k < points->measures; k++) {
        const char *name = points->measure[k].kind == POINTS_CYCLES ? "cycle"
                                                                    : points->measure[k].name;
        const char *unit = points_is_time(points, k) ? "_units" : "";

        fprintf(out, ",%s%s_a,%s%s_b,%s%s_delta", name, unit, name, unit, name, unit);
    }
    fputc('\n', out);
    write_csv_rows(diff, &total, 1, "total", out);
    write_csv_rows(diff, diff->routine.row, diff->routine.rows, "routine", out);
    write_csv_rows(diff, diff->source.row, diff->source.rows, "line", out);
    return ERR_OK;
}

static cJSON *row_object(const struct diff *diff, const struct difference_row *row)
{
    const struct points *points = points_of(diff);
    cJSON *object = cJSON_CreateObject(), *delta;

    cJSON_AddStringToObject(object, "name", row->name);
    points_add_json(cJSON_AddObjectToObject(object, "a"), points, row->value[0]);
    points_add_json(cJSON_AddObjectToObject(object, "b"), points, row->value[1]);
    delta = cJSON_AddObjectToObject(object, "delta");
    for (unsigned k = 0; k < points->measures; k++) {
        int64_t number = difference_delta(row, k);

        if (points->measure[k].kind == POINTS_CYCLES) {
            json_real(delta, "cycles", (double)number / (double)points->unit);
            json_signed(delta, "cycle_units", number);
        } else if (points_is_time(points, k)) {
            json_real(delta, points->measure[k].name, (double)number / (double)points->unit);
        } else {
            json_signed(delta, points->measure[k].name, number);
        }
    }
    return object;
}

static void add_rows(cJSON *root, const char *key, const struct diff *diff,
                     const struct difference *difference)
{
    cJSON *array = cJSON_AddArrayToObject(root, key);

    for (size_t i = 0; i < difference->rows; i++)
        cJSON_AddItemToArray(array, row_object(diff, &difference->row[i]));
}

static void add_setting(void *arg, const char *key, const char *a, const char *b)
{
    cJSON *object = cJSON_AddObjectToObject(arg, key);

    cJSON_AddStringToObject(object, "a", a);
    cJSON_AddStringToObject(object, "b", b);
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct diff *diff = arg;
    struct difference_row total = totals(diff);
    cJSON *root = json_document(), *side;

    for (unsigned i = 0; i < DIFFERENCE_SIDES; i++) {
        side = cJSON_AddObjectToObject(root, i == 0 ? "a" : "b");
        cJSON_AddStringToObject(side, "file", diff->path[i]);
        cJSON_AddStringToObject(side, "program",
                                symbols_base_name(diff->side[i].profile->program));
        cJSON_AddStringToObject(side, "id", diff->side[i].profile->program_id);
    }
    each_setting(diff, add_setting, cJSON_AddObjectToObject(root, "settings"));
    json_number(root, "units_per_cycle", points_of(diff)->unit);
    cJSON_AddItemToObject(root, "total", row_object(diff, &total));
    add_rows(root, "routines", diff, &diff->routine);
    add_rows(root, "lines", diff, &diff->source);
    return json_print(root, out, diag);
}

static enum err write_folded(void *arg, FILE *out, struct diag *diag)
{
    const struct diff *diff = arg;
    const struct profile *const profile[] = {diff->side[0].profile, diff->side[1].profile};
    const struct symbols *const symbols[] = {diff->side[0].symbols, diff->side[1].symbols};

    return export_folded_difference(profile, symbols, out, diag);
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err show(struct diff *diff, const struct tool_files *files, struct diag *diag)
{
    const char *folded = command_value(diff->line, OPT_DIFF_FOLDED);
    bool is_folded_alone = folded != NULL && strcmp(folded, "-") == 0;
    enum err err = folded != NULL ? tool_write(folded, write_folded, diff, diag) : ERR_OK;

    if (err == ERR_OK && is_folded_alone && files->csv == NULL && files->json == NULL)
        return ERR_OK;
    if (err == ERR_OK)
        err = difference_measure(diff->side, command_value(diff->line, OPT_DIFF_EVENT), diag);
    if (err != ERR_OK)
        return err;
    err = difference_make(&diff->routine, diff->side, DIFFERENCE_BY_ROUTINE, diag);
    if (err == ERR_OK)
        err = difference_make(&diff->source, diff->side, DIFFERENCE_BY_LINE, diag);
    if (err == ERR_OK && !tool_files_take_output(files) && !is_folded_alone)
        print(diff);
    if (err == ERR_OK)
        err = tool_files_write(files, write_csv, write_json, diff, diag);
    difference_free(&diff->routine);
    difference_free(&diff->source);
    points_free(&diff->side[0].points);
    points_free(&diff->side[1].points);
    return err;
}

static enum err open_both(struct diff *diff, struct diag *diag)
{
    static const enum command_option_id moved[] = {OPT_DIFF_PROGRAM_A, OPT_DIFF_PROGRAM_B};
    enum err err = ERR_OK;

    for (unsigned i = 0; i < DIFFERENCE_SIDES && err == ERR_OK; i++) {
        diff->path[i] = diff->line->word[i];
        err = opened_read(&diff->opened[i], diff->path[i], command_value(diff->line, moved[i]),
                          diag);
        if (err != ERR_OK && i == 1)
            opened_close(&diff->opened[0]);
        diff->side[i].file = diff->path[i];
        diff->side[i].profile = &diff->opened[i].profile;
        diff->side[i].symbols = diff->opened[i].target.symbols;
    }
    return err;
}

int command_diff(const struct command_line *line)
{
    const struct tool_files files = {command_value(line, OPT_DIFF_CSV),
                                     command_value(line, OPT_DIFF_JSON)};
    struct diff diff = {.line = line, .report = {.out = stdout}};
    struct diag diag = {""};
    uint64_t rows = TOP_DEFAULT;
    enum err err;

    if (line->words != DIFFERENCE_SIDES)
        return command_misuse("diff: expected two files, as `rvsim --profile FILE` writes them");
    err = command_number("diff", line, OPT_DIFF_TOP, 0, UINT32_MAX, &rows, &diag);
    diff.report.top = rows;
    if (err == ERR_OK)
        err = tool_files_check(&files, &diag);
    if (err == ERR_OK)
        err = open_both(&diff, &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    err = show(&diff, &files, &diag);
    opened_close(&diff.opened[0]);
    opened_close(&diff.opened[1]);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
