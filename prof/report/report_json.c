/* A report as JSON: the statistics of the profile, and the measurements of each routine. */
#include <stdlib.h>

#include "prof/annotate/annotate.h"
#include "prof/calls/callgraph.h"
#include "prof/profile/profile_write.h"
#include "prof/report/report.h"

/* ---- by routine ------------------------------------------------------------------------------ */

static enum err add_routines(cJSON *root, const struct annotate_view *view, struct diag *diag)
{
    struct annotate_routine *routine, rest;
    cJSON *array;
    size_t routines;
    enum err err = annotate_routines(view->points, view->symbols, &routine, &routines, &rest, diag);

    if (err != ERR_OK)
        return err;
    annotate_add_totals(root, view, &rest);
    array = cJSON_AddArrayToObject(root, "routines");
    for (size_t i = 0; i < routines && err == ERR_OK; i++) {
        struct annotate annotate;

        err = annotate_make(&annotate, routine[i].entry, view->points, view->symbols, diag);
        if (err != ERR_OK)
            break;
        err = annotate_add_json(array, view, &annotate, false, diag);
        annotate_free(&annotate);
    }
    free(routine);
    return err;
}

/* A profile without measurements of instructions has no routines. */
static enum err add_measured(cJSON *root, const struct report *report, struct sources *sources,
                             struct diag *diag)
{
    struct points points;
    const struct annotate_view view = {.profile = report->profile, .points = &points,
                                       .symbols = report->symbols, .sources = sources};
    struct diag none;
    enum err err = points_make(&points, report->profile, NULL, &none);

    if (err == ERR_NO_MEMORY)
        return diag_no_memory(diag, "the report");
    if (err != ERR_OK)
        return ERR_OK;
    err = add_routines(cJSON_AddObjectToObject(root, "measured"), &view, diag);
    points_free(&points);
    return err;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The exact call tree: a parent before its children, referred to by its index in the array. */
static void add_calls(cJSON *root, const struct report *report)
{
    const struct profile *profile = report->profile;
    cJSON *array = profile->calls > 1 ? cJSON_AddArrayToObject(root, "call_tree") : NULL;
    char text[SYMBOLS_TEXT];

    for (size_t i = 1; i < profile->calls; i++) {
        const struct profile_call *call = &profile->call[i];
        cJSON *object = json_append_object(array);

        cJSON_AddStringToObject(object, "routine", callgraph_name(profile, report->symbols,
                                                                  call->routine, text));
        if (call->parent != 0)
            json_number(object, "parent", call->parent - 1);
        json_number(object, "calls", call->calls);
        json_number(object, "instructions", call->instructions);
        if (profile->units_per_cycle != 0)
            json_number(object, "cycle_units", call->units);
    }
}

/* ---- the document ---------------------------------------------------------------------------- */

enum err report_write_json(const struct report *report, struct sources *sources, FILE *out,
                           struct diag *diag)
{
    cJSON *root = json_document();
    enum err err = profile_write_members(root, report->profile, report->symbols, PROFILE_REPORT,
                                         diag);

    if (err == ERR_OK)
        err = add_measured(root, report, sources, diag);
    if (err == ERR_OK && report->picture != NULL)
        err = picture_add_json(root, report->picture, report->symbols, diag);
    if (err != ERR_OK) {
        cJSON_Delete(root);
        return err;
    }
    add_calls(root, report);
    return json_print(root, out, diag);
}
