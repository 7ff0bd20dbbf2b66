/* Annotated routines as JSON; docs/profiling/annotate.md describes the members. */
#include <string.h>

#include "prof/annotate/annotate_text.h"
#include "prof/profile/json.h"

void points_add_json(cJSON *object, const struct points *points, const uint64_t *value)
{
    for (unsigned k = 0; k < points->measures; k++) {
        uint64_t number = value != NULL ? value[k] : 0;

        if (points->measure[k].kind == POINTS_CYCLES) {
            json_real(object, "cycles", points_real(points, k, number));
            json_number(object, "cycle_units", number);
        } else if (points_is_time(points, k)) {
            json_real(object, points->measure[k].name, points_real(points, k, number));
        } else {
            json_number(object, points->measure[k].name, number);
        }
    }
}

static void add_place(cJSON *object, const struct symbols_line *line)
{
    if (line == NULL) {
        cJSON_AddNullToObject(object, "file");
        cJSON_AddNullToObject(object, "line");
        return;
    }
    cJSON_AddStringToObject(object, "file", line->file);
    json_number(object, "line", line->line);
}

static void add_lines(cJSON *routine, const struct annotate_view *view,
                      const struct annotate *annotate)
{
    cJSON *array = cJSON_AddArrayToObject(routine, "lines");

    for (size_t i = 0; i < annotate->lines; i++) {
        const struct annotate_line *line = &annotate->line[i];
        cJSON *object = cJSON_CreateObject();
        const char *text = line->line != NULL
                               ? source_line(view->sources, line->line->file, line->line->line)
                               : NULL;

        add_place(object, line->line);
        if (text != NULL)
            cJSON_AddStringToObject(object, "source", text);
        points_add_json(object, view->points, line->value);
        cJSON_AddItemToArray(array, object);
    }
}

static void add_insns(cJSON *routine, const struct annotate_view *view,
                      const struct annotate *annotate, struct disasm *disasm)
{
    cJSON *array = cJSON_AddArrayToObject(routine, "instructions");
    char text[ANNOTATE_TEXT];

    for (size_t i = 0; i < annotate->insns; i++) {
        const struct annotate_insn *insn = &annotate->insn[i];
        cJSON *object = cJSON_CreateObject();

        json_address(object, "address", insn->address);
        cJSON_AddStringToObject(object, "text", annotate_insn_text(disasm, view->symbols, annotate,
                                                                   i, text));
        add_place(object, insn->line);
        if (insn->target != ANNOTATE_NONE)
            json_address(object, "target", annotate->insn[insn->target].address);
        points_add_json(object, view->points, insn->point != NULL ? insn->point->value : NULL);
        cJSON_AddItemToArray(array, object);
    }
}

enum err annotate_add_json(cJSON *array, const struct annotate_view *view,
                           const struct annotate *annotate, bool has_insns, struct diag *diag)
{
    struct disasm *disasm = disasm_open_xlen(symbols_xlen(view->symbols));
    cJSON *object = cJSON_CreateObject();

    if (disasm == NULL) {
        cJSON_Delete(object);
        return diag_no_memory(diag, "the disassembler");
    }
    cJSON_AddStringToObject(object, "name", annotate->entry->name);
    json_address(object, "address", annotate->entry->address);
    points_add_json(object, view->points, annotate->value);
    add_lines(object, view, annotate);
    if (has_insns)
        add_insns(object, view, annotate, disasm);
    cJSON_AddItemToArray(array, object);
    disasm_close(disasm);
    return ERR_OK;
}

void annotate_add_totals(cJSON *root, const struct annotate_view *view,
                         const struct annotate_routine *rest)
{
    const struct points *points = view->points;
    cJSON *events = cJSON_AddArrayToObject(root, "events"), *totals;

    for (unsigned k = 0; k < points->measures; k++)
        cJSON_AddItemToArray(events, cJSON_CreateString(points->measure[k].name));
    json_number(root, "units_per_cycle", points->unit);
    totals = cJSON_AddObjectToObject(root, "totals");
    points_add_json(cJSON_AddObjectToObject(totals, "program"), points, points->total);
    points_add_json(cJSON_AddObjectToObject(totals, "no_routine"), points, rest->value);
    points_add_json(cJSON_AddObjectToObject(totals, "monitor"), points, points->monitor);
    points_add_json(cJSON_AddObjectToObject(totals, "no_instruction"), points, points->outside);
}
