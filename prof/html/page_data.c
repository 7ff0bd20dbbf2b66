/* See page_data.h. */
#include "prof/html/page_data.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/exact/topdown.h"
#include "prof/annotate/annotate.h"
#include "prof/compare/difference.h"
#include "prof/export/stacks.h"
#include "prof/profile/profile_write.h"
#include "prof/report/report.h"
#include "prof/report/summary.h"

enum { MARKS = 2000, ROUTINES = 60, LISTED = 10, TEXT_BYTES = 1024 };

/* ---- summary --------------------------------------------------------------------------------- */

static void put_blanks(char *text)
{
    for (; *text != '\0'; text++)
        *text = *text == '_' ? ' ' : *text;
}

static void add_limit(cJSON *array, const struct summary *summary)
{
    char text[TEXT_BYTES] = "";
    size_t length = 0;

    for (unsigned i = 0; i < summary->depth; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   i != 0 ? " › " : "", topdown_row(summary->path[i]).name);
    if (summary->depth != 0)
        html_add_card(array, "limited most by", text);
}

static void add_summary(cJSON *root, const struct profile *profile, const struct summary *summary)
{
    cJSON *array = cJSON_AddArrayToObject(root, "summary");
    char text[TEXT_BYTES];

    html_add_count(array, "instructions", summary->instructions);
    if (summary->has_time) {
        html_add_count(array, "cycles", summary->cycles);
        snprintf(text, sizeof text, "%.3f", summary->ipc);
        html_add_card(array, "instructions per cycle", text);
    }
    if (profile->harts > 1)
        html_add_count(array, "harts", profile->harts);
    if (summary->has_time)
        add_limit(array, summary);
    if (profile->interrupts != 0)
        html_add_count(array, "interrupts of the monitor", profile->interrupts);
    if (profile->sampling != NULL) {
        snprintf(text, sizeof text, "%s", profile->sampling->event);
        html_add_card(array, "sampled", text);
    }
    if (strcmp(profile->reason, "exit") == 0)
        snprintf(text, sizeof text, "exit, status %d", profile->exit_code);
    else
        snprintf(text, sizeof text, "%s", profile->reason);
    put_blanks(text);
    html_add_card(array, "end of the run", text);
}

static void add_slots(cJSON *root, const struct summary *summary)
{
    cJSON *array = cJSON_AddArrayToObject(root, "slots");

    for (unsigned node = 0; summary->has_time && node < TOPDOWN_COUNT; node++) {
        struct topdown_row row = topdown_row(node);
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "name", row.name);
        json_number(object, "depth", row.depth);
        json_number(object, "slots", summary->slots[node]);
        cJSON_AddItemToArray(array, object);
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

static void add_caches(cJSON *root, const struct profile *profile)
{
    static const struct { const char *name, *accesses, *misses; } caches[] = {
        {"L1I", "l1i_access", "l1i_miss"},
        {"L1D, reads", "l1d_read", "l1d_read_miss"},
        {"L1D, writes", "l1d_write", "l1d_write_miss"},
        {"L2", "l2_access", "l2_access_miss"},
        {"L3", "l3_access", "l3_access_miss"},
        {"DRAM, lines read", "dram_read", NULL},
        {"DRAM, writes", "dram_write", NULL},
        {"instruction TLB, walks", "itlb_walk", NULL},
        {"data TLB, walks", "dtlb_walk", NULL},
    };
    cJSON *array = cJSON_AddArrayToObject(root, "caches");

    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        uint64_t accesses = profile_event(profile, caches[i].accesses);
        cJSON *object;

        if (accesses == 0)
            continue;
        object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", caches[i].name);
        json_number(object, "accesses", accesses);
        if (caches[i].misses != NULL)
            json_number(object, "misses", profile_event(profile, caches[i].misses));
        else
            cJSON_AddNullToObject(object, "misses");
        cJSON_AddItemToArray(array, object);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* The count is null without a counter. */
static void add_mark(cJSON *array, const struct profile_mark *mark, const struct symbols *symbols)
{
    cJSON *object = cJSON_CreateObject();
    char place[SYMBOLS_TEXT], line[SYMBOLS_TEXT] = "";

    json_address(object, "address", mark->address);
    cJSON_AddStringToObject(object, "place", symbols_describe(symbols, mark->address, place));
    if (mark->is_code)
        symbols_describe_line(symbols, mark->address, line);
    cJSON_AddStringToObject(object, "line", line);
    cJSON_AddStringToObject(object, "flags", mark->flags);
    json_number(object, "bytes", mark->bytes);
    json_number(object, "label", mark->label);
    if (mark->has_counter)
        json_number(object, "count", mark->count);
    else
        cJSON_AddNullToObject(object, "count");
    json_number(object, "interrupts", mark->interrupts);
    cJSON_AddItemToArray(array, object);
}

static void add_marks(cJSON *root, const struct profile *profile, const struct symbols *symbols)
{
    cJSON *array = cJSON_AddArrayToObject(root, "marks");

    json_number(root, "marks_left_out", profile->marks > MARKS ? profile->marks - MARKS : 0);
    for (size_t i = 0; i < profile->marks && i < MARKS; i++)
        add_mark(array, &profile->mark[i], symbols);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static cJSON *pair(uint64_t a, uint64_t b)
{
    cJSON *array = cJSON_CreateArray();

    json_append_number(array, a);
    json_append_number(array, b);
    return array;
}

static enum err add_stacks(cJSON *root, const struct profile *profile,
                           const struct symbols *symbols, struct diag *diag)
{
    cJSON *object = cJSON_AddObjectToObject(root, "stacks");
    cJSON *functions = cJSON_AddArrayToObject(object, "functions");
    cJSON *frames = cJSON_AddArrayToObject(object, "frames");
    cJSON *samples = cJSON_AddArrayToObject(object, "samples");
    struct stacks stacks;
    enum err err = stacks_make(&stacks, profile, symbols, diag);

    if (err == ERR_OK)
        cJSON_AddStringToObject(object, "unit", profile->sampling != NULL
                                                    ? "samples" : stacks.value[stacks.main].name);
    for (size_t i = 0; err == ERR_OK && i < stacks.functions; i++)
        cJSON_AddItemToArray(functions, cJSON_CreateString(stacks.function[i].name));
    for (size_t i = 0; err == ERR_OK && i < stacks.frames; i++)
        cJSON_AddItemToArray(frames, pair(stacks.frame[i].function, stacks.frame[i].caller));
    for (size_t i = 0; err == ERR_OK && i < stacks.samples; i++)
        if (stacks.sample[i].value[stacks.main] != 0 && stacks.sample[i].leaf != 0)
            cJSON_AddItemToArray(samples, pair(stacks.sample[i].leaf,
                                               stacks.sample[i].value[stacks.main]));
    stacks_free(&stacks);
    return err;
}

/* ---- routines -------------------------------------------------------------------------------- */

static enum err add_routine(cJSON *array, const struct annotate_view *view,
                            const struct symbols_entry *entry, bool is_listed, struct diag *diag)
{
    struct annotate annotate;
    enum err err = annotate_make(&annotate, entry, view->points, view->symbols, diag);

    if (err != ERR_OK)
        return err;
    err = annotate_add_json(array, view, &annotate, is_listed, diag);
    annotate_free(&annotate);
    return err;
}

static void add_rest(cJSON *array, const struct points *points, const char *name,
                     const uint64_t *value)
{
    cJSON *object;

    if (value[0] == 0)
        return;
    object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    points_add_json(object, points, value);
    cJSON_AddItemToArray(array, object);
}

static enum err add_routines(cJSON *root, const struct annotate_view *view, struct diag *diag)
{
    const struct points *points = view->points;
    cJSON *array = cJSON_AddArrayToObject(root, "routines");
    struct annotate_routine *routine, rest;
    uint64_t others[POINTS_MEASURES] = {0};
    size_t routines;
    enum err err = annotate_routines(points, view->symbols, &routine, &routines, &rest, diag);

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < routines && err == ERR_OK; i++) {
        bool is_shown = i < ROUTINES && routine[i].value[0] != 0;

        if (is_shown)
            err = add_routine(array, view, routine[i].entry, i < LISTED, diag);
        for (unsigned k = 0; !is_shown && k < POINTS_MEASURES; k++)
            others[k] += routine[i].value[k];
    }
    add_rest(array, points, "(other routines)", others);
    add_rest(array, points, "(no routine)", rest.value);
    add_rest(array, points, "(monitor)", points->monitor);
    add_rest(array, points, "(no instruction)", points->outside);
    free(routine);
    return err;
}

/* A profile without measurements of instructions has no routines. */
static enum err add_measured(cJSON *root, const struct profile *profile,
                             const struct symbols *symbols, struct sources *sources,
                             struct diag *diag)
{
    static const char truth[] = "cycles,retiring,bad_speculation,front_end,back_end,idle,"
                                "insns_retired,branches_mispredicted,dcache_miss,l2_miss";
    cJSON *columns = cJSON_AddArrayToObject(root, "columns");
    cJSON *total = cJSON_AddObjectToObject(root, "total");
    struct points points;
    const struct annotate_view view = {.profile = profile, .points = &points, .symbols = symbols,
                                       .sources = sources};
    struct diag none;
    enum err err = points_make(&points, profile, profile->units_per_cycle != 0 ? truth : NULL,
                               &none);

    if (err == ERR_NO_MEMORY)
        return diag_no_memory(diag, "the page");
    if (err != ERR_OK) {
        cJSON_AddItemToArray(columns, cJSON_CreateString("count"));
        cJSON_AddArrayToObject(root, "routines");
        return ERR_OK;
    }
    for (unsigned k = 0; k < points.measures; k++)
        cJSON_AddItemToArray(columns, cJSON_CreateString(points.measure[k].name));
    points_add_json(total, &points, points.total);
    err = add_routines(root, &view, diag);
    points_free(&points);
    return err;
}

/* ---- comparison with another run ------------------------------------------------------------- */

static void add_difference(cJSON *array, const struct difference_row *row,
                           const struct points *points)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "name", row->name);
    json_real(object, "a", points_real(points, 0, row->value[0][0]));
    json_real(object, "b", points_real(points, 0, row->value[1][0]));
    cJSON_AddItemToArray(array, object);
}

/* Differences of routines by the first measure that both have; without one there are none. */
static enum err add_differences(cJSON *object, const struct report *report, struct diag *diag)
{
    struct difference_side side[DIFFERENCE_SIDES] = {
        {.file = "", .profile = report->profile, .symbols = report->symbols},
        {.file = "", .profile = report->beside->profile, .symbols = report->beside->symbols}};
    cJSON *array = cJSON_AddArrayToObject(object, "routines");
    struct difference difference;
    struct diag none;
    enum err err = difference_measure(side, NULL, &none);

    if (err != ERR_OK)
        return err == ERR_NO_MEMORY ? diag_no_memory(diag, "the page") : ERR_OK;
    cJSON_AddStringToObject(object, "measure", side[0].points.measure[0].name);
    err = difference_make(&difference, side, DIFFERENCE_BY_ROUTINE, diag);
    for (size_t i = 0; err == ERR_OK && i < difference.rows && i < ROUTINES; i++)
        add_difference(array, &difference.row[i], &side[0].points);
    if (err == ERR_OK)
        difference_free(&difference);
    points_free(&side[0].points);
    points_free(&side[1].points);
    return err;
}

/* A mark with each run's sum of counts, or of interrupts if it has no counter. */
static void add_mark_sum(cJSON *array, const char *place, uint64_t a, uint64_t b)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "name", place);
    json_number(object, "a", a);
    json_number(object, "b", b);
    cJSON_AddItemToArray(array, object);
}

static uint64_t mark_sum(const struct profile_mark *mark)
{
    return mark->has_counter ? mark->count : mark->interrupts;
}

/* The marks of both by address. The program is the same, so A's symbols name them. */
static void add_mark_differences(cJSON *object, const struct report *report)
{
    const struct profile *a = report->profile, *b = report->beside->profile;
    cJSON *array = cJSON_AddArrayToObject(object, "marks");
    char place[SYMBOLS_TEXT];

    if (strcmp(a->program_id, b->program_id) != 0)
        return;
    for (size_t i = 0, k = 0; (i < a->marks || k < b->marks) && i + k < 2 * MARKS;) {
        bool in_a = k == b->marks || (i < a->marks && a->mark[i].address <= b->mark[k].address);
        bool in_b = i == a->marks || (k < b->marks && b->mark[k].address <= a->mark[i].address);
        uint64_t address = in_a ? a->mark[i].address : b->mark[k].address;

        add_mark_sum(array, symbols_describe(report->symbols, address, place),
                     in_a ? mark_sum(&a->mark[i]) : 0, in_b ? mark_sum(&b->mark[k]) : 0);
        i += in_a;
        k += in_b;
    }
}

/* Adds settings that differ. */
static void add_settings(cJSON *object, const struct profile *a, const struct profile *b)
{
    cJSON *array = cJSON_AddArrayToObject(object, "settings");

    for (size_t i = 0; i < a->settings; i++) {
        const char *key = a->setting[i].key, *value = profile_setting(b, key);
        cJSON *setting;

        if (value == NULL || strcmp(value, a->setting[i].value) == 0)
            continue;
        setting = cJSON_CreateObject();
        cJSON_AddStringToObject(setting, "key", key);
        cJSON_AddStringToObject(setting, "a", a->setting[i].value);
        cJSON_AddStringToObject(setting, "b", value);
        cJSON_AddItemToArray(array, setting);
    }
}

static enum err add_beside(cJSON *root, const struct report *report, struct diag *diag)
{
    const struct profile *profile = report->beside->profile;
    cJSON *object = cJSON_AddObjectToObject(root, "beside");
    struct summary summary;

    summary_make(&summary, profile);
    cJSON_AddStringToObject(object, "title", symbols_base_name(profile->program));
    html_add_command(object, (const char *const *)profile->command, profile->commands);
    json_number(object, "instructions", summary.instructions);
    json_number(object, "cycles", summary.cycles);
    add_slots(object, &summary);
    add_mark_differences(object, report);
    add_settings(object, report->profile, profile);
    return add_differences(object, report, diag);
}

/* ---- the page -------------------------------------------------------------------------------- */

enum err page_data_make(cJSON **data, const struct report *report, struct sources *sources,
                        struct diag *diag)
{
    const struct profile *profile = report->profile;
    const struct symbols *symbols = report->symbols;
    cJSON *root = *data = cJSON_CreateObject();
    struct summary summary;
    enum err err;

    summary_make(&summary, profile);
    cJSON_AddStringToObject(root, "title", symbols_base_name(profile->program));
    html_add_command(root, (const char *const *)profile->command, profile->commands);
    add_summary(root, profile, &summary);
    json_number(root, "instructions", summary.instructions);
    json_number(root, "cycles", summary.cycles);
    add_slots(root, &summary);
    err = page_add_course(root, profile, diag);
    profile_write_threads(root, profile);
    page_add_schemes(root, profile);
    add_caches(root, profile);
    profile_write_maps(root, profile);
    add_marks(root, profile, symbols);
    if (err == ERR_OK)
        err = add_stacks(root, profile, symbols, diag);
    if (err == ERR_OK)
        err = add_measured(root, profile, symbols, sources, diag);
    if (err == ERR_OK && report->beside != NULL)
        err = add_beside(root, report, diag);
    if (err == ERR_OK && report->picture != NULL)
        err = picture_add_json(root, report->picture, symbols, diag);
    if (err != ERR_OK)
        cJSON_Delete(root);
    return err;
}
