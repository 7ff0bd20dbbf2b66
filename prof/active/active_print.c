/* Active time as text and as JSON. */
#include "prof/active/active.h"
#include "prof/profile/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COLUMN = 13 };

/* ---- text ------------------------------------------------------------------------------------ */

static void print_time(const struct active_view *view, uint64_t time, FILE *out)
{
    char text[TIMELINE_TEXT];

    fprintf(out, "%*s", COLUMN, timeline_text(view->timeline, time, text));
}

/* The mean of an activation, in the unit of times. */
static double mean_of(const struct active_view *view, const struct active_sum *sum,
                      enum active_part part)
{
    double mean = sum->activations != 0
                      ? (double)sum->total[part] / (double)sum->activations : 0;

    for (unsigned i = 0; i < view->timeline->digits; i++)
        mean /= 10;
    return mean;
}

static enum err print_parts(const struct active_view *view, uint32_t section,
                            const struct active_sum *sum, FILE *out, struct diag *diag)
{
    fprintf(out, "  %-12s%*s%*s%*s%*s%*s%*s%*s\n", view->timeline->unit, COLUMN, "total", COLUMN,
            "mean", COLUMN, "min", COLUMN, "median", COLUMN, "p90", COLUMN, "p99", COLUMN, "max");
    for (enum active_part part = 0; part < ACTIVE_PARTS; part++) {
        struct spread spread;
        enum err err = active_spread(view->active, section, part, &spread, diag);
        const uint64_t value[] = {
            spread.min, spread.median, spread.p90, spread.p99, spread.max,
        };

        if (err != ERR_OK)
            return err;
        fprintf(out, "  %-12s", active_part_name(part));
        print_time(view, sum->total[part], out);
        fprintf(out, "%*.*f", COLUMN, (int)view->timeline->digits + 1, mean_of(view, sum, part));
        for (unsigned i = 0; i < sizeof value / sizeof value[0]; i++)
            print_time(view, value[i], out);
        fputc('\n', out);
    }
    return ERR_OK;
}

static bool is_there(const struct active_sum *sum)
{
    return sum->activations + sum->inner + sum->incomplete != 0;
}

/* Prints a row for each thread that was in the section, if there are several. */
static void print_threads(const struct active_view *view, const struct active_sum *sum, FILE *out)
{
    size_t threads = 0;

    for (size_t i = 0; i < view->active->threads; i++)
        threads += is_there(&sum[i]);
    if (threads < 2)
        return;
    fprintf(out, "  %-12s%*s%*s%*s%*s%*s\n", "thread", COLUMN, "activations", COLUMN, "elapsed",
            COLUMN, "swapped out", COLUMN, "overhead", COLUMN, "active");
    for (size_t i = 0; i < view->active->threads; i++) {
        if (!is_there(&sum[i]))
            continue;
        fprintf(out, "  %-12s%*" PRIu64, view->timeline->thread.text[i], COLUMN,
                sum[i].activations);
        for (unsigned part = 0; part < ACTIVE_PARTS; part++)
            print_time(view, sum[i].total[part], out);
        fputc('\n', out);
    }
}

static void print_list(const struct active_view *view, uint32_t section, FILE *out)
{
    const struct active *active = view->active;

    fprintf(out, "  %-12s%*s%*s%*s%*s%*s%*s  depth\n", "thread", COLUMN, "start", COLUMN, "end",
            COLUMN, "elapsed", COLUMN, "swapped out", COLUMN, "overhead", COLUMN, "active");
    for (size_t i = active->first[section]; i < active->first[section + 1]; i++) {
        const struct active_run *run = &active->run[i];

        if (run->is_incomplete)
            continue;
        fprintf(out, "  %-12s", view->timeline->thread.text[run->thread]);
        print_time(view, run->start, out);
        print_time(view, run->end, out);
        for (unsigned part = 0; part < ACTIVE_PARTS; part++)
            print_time(view, run->part[part], out);
        fprintf(out, "  %5" PRIu32 "\n", run->depth);
    }
}

static void print_head(const struct active_view *view, uint32_t section,
                       const struct active_sum *sum, FILE *out)
{
    fprintf(out, "%s: %" PRIu64 " activation%s", view->timeline->name.text[section],
            sum->activations, sum->activations == 1 ? "" : "s");
    if (sum->inner != 0)
        fprintf(out, ", %" PRIu64 " within them", sum->inner);
    if (sum->incomplete != 0)
        fprintf(out, ", %" PRIu64 " incomplete", sum->incomplete);
    fputc('\n', out);
}

static enum err print_section(const struct active_view *view, uint32_t section,
                              struct active_sum *sum, FILE *out, struct diag *diag)
{
    struct active_sum all;
    enum err err;

    active_sum(view->active, section, sum, &all);
    print_head(view, section, &all, out);
    err = print_parts(view, section, &all, out, diag);
    print_threads(view, sum, out);
    if (view->lists)
        print_list(view, section, out);
    return err;
}

enum err active_print(const struct active_view *view, FILE *out, struct diag *diag)
{
    struct active_sum *sum = malloc((view->active->threads + 1) * sizeof *sum);
    enum err err = sum != NULL ? ERR_OK : diag_no_memory(diag, "threads");

    for (size_t i = 0; i < view->sections && err == ERR_OK; i++) {
        if (i != 0)
            fputc('\n', out);
        err = print_section(view, view->section[i], sum, out, diag);
    }
    free(sum);
    return err;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *const part_key[ACTIVE_PARTS] = {
    "elapsed", "swapped_out", "overhead", "active",
};

static void json_time(const struct active_view *view, cJSON *object, const char *key,
                      uint64_t time)
{
    char text[TIMELINE_TEXT];

    cJSON_AddRawToObject(object, key, timeline_text(view->timeline, time, text));
}

static enum err json_parts(const struct active_view *view, uint32_t section,
                           const struct active_sum *sum, cJSON *object, struct diag *diag)
{
    for (enum active_part part = 0; part < ACTIVE_PARTS; part++) {
        cJSON *member = cJSON_AddObjectToObject(object, part_key[part]);
        struct spread spread;
        enum err err = active_spread(view->active, section, part, &spread, diag);

        if (err != ERR_OK)
            return err;
        json_time(view, member, "total", sum->total[part]);
        json_real(member, "mean", mean_of(view, sum, part));
        json_time(view, member, "min", spread.min);
        json_time(view, member, "median", spread.median);
        json_time(view, member, "p90", spread.p90);
        json_time(view, member, "p99", spread.p99);
        json_time(view, member, "max", spread.max);
    }
    return ERR_OK;
}

static void json_counts(cJSON *object, const struct active_sum *sum)
{
    json_number(object, "activations", sum->activations);
    json_number(object, "inner", sum->inner);
    json_number(object, "incomplete", sum->incomplete);
}

static void json_threads(const struct active_view *view, const struct active_sum *sum,
                         cJSON *object)
{
    cJSON *array = cJSON_AddArrayToObject(object, "threads");

    for (size_t i = 0; i < view->active->threads; i++) {
        cJSON *member;

        if (!is_there(&sum[i]))
            continue;
        member = cJSON_CreateObject();
        cJSON_AddItemToArray(array, member);
        cJSON_AddStringToObject(member, "thread", view->timeline->thread.text[i]);
        json_counts(member, &sum[i]);
        for (unsigned part = 0; part < ACTIVE_PARTS; part++)
            json_time(view, member, part_key[part], sum[i].total[part]);
    }
}

static void json_list(const struct active_view *view, uint32_t section, cJSON *object)
{
    const struct active *active = view->active;
    cJSON *array = cJSON_AddArrayToObject(object, "list");

    for (size_t i = active->first[section]; i < active->first[section + 1]; i++) {
        const struct active_run *run = &active->run[i];
        cJSON *member;

        if (run->is_incomplete)
            continue;
        member = cJSON_CreateObject();
        cJSON_AddItemToArray(array, member);
        cJSON_AddStringToObject(member, "thread", view->timeline->thread.text[run->thread]);
        json_time(view, member, "start", run->start);
        json_time(view, member, "end", run->end);
        for (unsigned part = 0; part < ACTIVE_PARTS; part++)
            json_time(view, member, part_key[part], run->part[part]);
        json_number(member, "depth", run->depth);
    }
}

static enum err json_section(const struct active_view *view, uint32_t section,
                             struct active_sum *sum, cJSON *object, struct diag *diag)
{
    struct active_sum all;

    active_sum(view->active, section, sum, &all);
    cJSON_AddStringToObject(object, "section", view->timeline->name.text[section]);
    json_counts(object, &all);
    json_threads(view, sum, object);
    json_list(view, section, object);
    return json_parts(view, section, &all, object, diag);
}

enum err active_print_json(const struct active_view *view, FILE *out, struct diag *diag)
{
    struct active_sum *sum = malloc((view->active->threads + 1) * sizeof *sum);
    enum err err = sum != NULL ? ERR_OK : diag_no_memory(diag, "threads");
    cJSON *root = json_document(), *array;

    cJSON_AddStringToObject(root, "unit", view->timeline->unit);
    array = cJSON_AddArrayToObject(root, "sections");
    for (size_t i = 0; i < view->sections && err == ERR_OK; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddItemToArray(array, object);
        err = json_section(view, view->section[i], sum, object, diag);
    }
    free(sum);
    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}
