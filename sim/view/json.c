/* The model as JSON, for programs. */
#include "prof/profile/json.h"
#include "sim/view/files.h"

static void add_insn(cJSON *rows, const struct view_insn *insn)
{
    static const char *const end[] = {"in flight", "committed", "squashed"};
    cJSON *row = cJSON_CreateObject(), *producers = cJSON_CreateArray();

    json_number(row, "id", insn->id);
    json_address(row, "pc", insn->pc);
    cJSON_AddStringToObject(row, "text", insn->text);
    for (unsigned i = 0; i < VIEW_STAGE_COUNT; i++)
        if (insn->at[i] != 0 || i == VIEW_FETCH)
            json_number(row, view_stage_name((enum view_stage)i), insn->at[i]);
    cJSON_AddStringToObject(row, "state", end[insn->end]);
    if (insn->end != VIEW_IN_FLIGHT)
        json_number(row, "left", insn->left);
    for (unsigned i = 0; i < 3; i++)
        if (insn->producer[i] != 0)
            json_append_number(producers, insn->producer[i]);
    cJSON_AddItemToObject(row, "producers", producers);
    cJSON_AddBoolToObject(row, "marked", insn->is_marked);
    cJSON_AddBoolToObject(row, "mispredicted", insn->is_mispredicted);
    cJSON_AddItemToArray(rows, row);
}

static void add_insns(cJSON *root, const struct view_model *model)
{
    cJSON *rows = cJSON_AddArrayToObject(root, "instructions");
    char why[VIEW_WHY];

    for (size_t i = 0; i < model->rows; i++) {
        int awaited = view_awaited(model, i);

        add_insn(rows, &model->row[i]);
        if (awaited < 0)
            continue;
        view_explain(model, i, why);
        json_number(cJSON_GetArrayItem(rows, (int)i), "waits_for", model->row[awaited].id);
        cJSON_AddStringToObject(cJSON_GetArrayItem(rows, (int)i), "why", why);
    }
}

static void add_places(cJSON *root, const struct view_model *model)
{
    cJSON *places = cJSON_AddObjectToObject(root, "queues");

    for (unsigned i = 0; i < model->places; i++) {
        cJSON *place = cJSON_AddObjectToObject(places, model->place[i].name);

        json_number(place, "used", model->place[i].used);
        json_number(place, "size", model->place[i].size);
    }
}

/* Adds the cells that are not empty, by kind. */
static void add_maps(cJSON *root, const struct view_model *model)
{
    cJSON *maps = cJSON_AddObjectToObject(root, "maps");

    for (unsigned i = 0; i < model->maps; i++) {
        const struct view_map *map = &model->map[i];
        cJSON *object = cJSON_AddObjectToObject(maps, map->name);
        uint64_t modified = 0, coming = 0, metadata = 0, counting = 0;

        for (uint32_t cell = 0; cell < map->columns * map->rows; cell++) {
            modified += (map->cell[cell] & CELL_MASK) == CELL_MODIFIED;
            coming += (map->cell[cell] & CELL_MASK) == CELL_COMING;
            metadata += (map->cell[cell] & CELL_META) != 0;
            counting += (map->cell[cell] & CELL_COUNTS) != 0;
        }
        json_number(object, "used", map->used);
        json_number(object, "total", map->total);
        json_number(object, "modified", modified);
        json_number(object, "coming", coming);
        json_number(object, "metadata", metadata);
        json_number(object, "counting", counting);
    }
}

static void add_harts(cJSON *root, const struct view_model *model)
{
    cJSON *harts = cJSON_AddArrayToObject(root, "harts");

    for (unsigned i = 0; i < model->harts && i < VIEW_HARTS; i++) {
        const struct view_hart *hart = &model->of[i];
        cJSON *object = cJSON_CreateObject();

        json_address(object, "pc", hart->pc);
        json_number(object, "instructions", hart->insns);
        json_number(object, "cycles", hart->cycles);
        json_number(object, "thread", hart->thread);
        cJSON_AddStringToObject(object, "place", hart->place);
        cJSON_AddStringToObject(object, "mode", (char[]){hart->mode, '\0'});
        cJSON_AddBoolToObject(object, "waits", hart->waits);
        cJSON_AddItemToArray(harts, object);
    }
}

static void add_marks(cJSON *root, const struct view_model *model)
{
    cJSON *marks = cJSON_AddArrayToObject(root, "marks");

    for (unsigned i = 0; i < model->marks; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "place", model->mark[i].place);
        json_number(object, "count", model->mark[i].count);
        json_number(object, "limit", model->mark[i].limit);
        json_number(object, "interrupts", model->mark[i].interrupts);
        cJSON_AddItemToArray(marks, object);
    }
}

enum err files_json(const struct view_model *model, FILE *out, struct diag *diag)
{
    cJSON *root = json_document(), *counters;

    json_number(root, "cycle", model->now);
    json_number(root, "hart", model->hart);
    json_number(root, "committed", model->insns);
    json_address(root, "next_pc", model->next_pc);
    cJSON_AddStringToObject(root, "file", model->file);
    json_number(root, "line", model->line);
    cJSON_AddBoolToObject(root, "ended", model->has_ended);
    add_insns(root, model);
    add_places(root, model);
    add_maps(root, model);
    counters = cJSON_AddObjectToObject(root, "counters");
    for (unsigned i = 0; i < model->counters; i++)
        json_number(counters, model->counter[i].name, model->counter[i].value);
    add_marks(root, model);
    json_number(root, "indicators", model->indicators);
    add_harts(root, model);
    return json_print(root, out, diag);
}
