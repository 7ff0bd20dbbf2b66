/* The report of rvsim callers. See callers.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "prof/calls/callgraph.h"
#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/cli/command/callers/callers.h"

static int compare_calls(const void *a, const void *b)
{
    const struct callers_call *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

void callers_sort(struct callers *search)
{
    if (search->calls != 0)
        qsort(search->call, search->calls, sizeof *search->call, compare_calls);
}

static const char *name_of(const struct callers *search, size_t routine, char text[SYMBOLS_TEXT])
{
    if (routine == CALLERS_NONE)
        return "(root)";
    return callgraph_name(NULL, search->tool.target.symbols, search->routine[routine].entry, text);
}

static void print_row(const struct callers *search, uint64_t entries, uint64_t truth,
                      unsigned depth, const char *name, const char *note_text)
{
    char count[REPORT_NUMBER];

    printf("%14s ", report_number(entries, count));
    if (search->is_measured)
        printf("%14s ", report_number(truth, count));
    printf(" %*s%s%s\n", (int)(2 * depth), "", name, note_text);
}

/* Prints a routine's callers below it, for each routine only where it comes first. */
static void print_callers(const struct callers *search, size_t routine, unsigned depth, bool *shown)
{
    char text[SYMBOLS_TEXT];

    shown[routine] = true;
    for (size_t i = 0; i < search->calls; i++) {
        const struct callers_call *call = &search->call[i];
        bool is_known;

        if (call->routine != routine)
            continue;
        is_known = call->caller != CALLERS_NONE && shown[call->caller];
        print_row(search, call->entries, call->truth, depth,
                  name_of(search, call->caller, text), is_known ? " (above)" : "");
        if (call->caller != CALLERS_NONE && !is_known)
            print_callers(search, call->caller, depth + 1, shown);
    }
}

enum err callers_print(const struct callers *search, struct diag *diag)
{
    bool *shown = calloc(search->routines, sizeof *shown);
    char text[SYMBOLS_TEXT];

    if (shown == NULL)
        return diag_no_memory(diag, "callers");
    printf("%14s ", search->is_measured ? "executed" : "entered");
    if (search->is_measured)
        printf("%14s ", "calls");
    puts(" routine, and below it its callers");
    for (size_t i = 0; i < search->roots; i++) {
        print_row(search, search->routine[i].entered, search->routine[i].truth, 0,
                  name_of(search, i, text), "");
        print_callers(search, i, 1, shown);
    }
    if (search->is_measured)
        printf("%u run%s\n", search->tool.runs, report_s(search->tool.runs));
    free(shown);
    return ERR_OK;
}

/* "routine": index of the routine. */
enum err callers_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct callers *search = arg;
    cJSON *root = tool_document(&search->tool), *array;
    char text[SYMBOLS_TEXT];

    json_number(root, "runs", search->tool.runs);
    array = cJSON_AddArrayToObject(root, "routines");
    for (size_t i = 0; i < search->routines; i++) {
        const struct callers_routine *routine = &search->routine[i];
        cJSON *object = json_append_object(array);

        cJSON_AddStringToObject(object, "name", name_of(search, i, text));
        json_address(object, "address", routine->entry);
        json_number(object, "level", routine->level);
        json_number(object, "entered", routine->entered);
        if (search->is_measured)
            json_number(object, "calls", routine->truth);
    }
    array = cJSON_AddArrayToObject(root, "callers");
    for (size_t i = 0; i < search->calls; i++) {
        const struct callers_call *call = &search->call[i];
        cJSON *object = json_append_object(array);

        json_number(object, "routine", call->routine);
        if (call->caller != CALLERS_NONE)
            json_number(object, "caller", call->caller);
        json_number(object, "entered", call->entries);
        if (search->is_measured)
            json_number(object, "calls", call->truth);
    }
    return json_print(root, out, diag);
}
