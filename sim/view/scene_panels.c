/* Queues, predictor, counters, harts, marks, output: lists and bars. */
#include <stdio.h>

#include "sim/view/scene_internal.h"

enum { BAR_NAME = 15, BAR_NUMBER = 8, HISTORY_SHOWN = 32 };
/* A hart's instructions beyond this number, for which there is room, are shown in thousands. */
enum { INSNS_MOST = 99999999 };

static double at_least_none(double cells)
{
    return cells > 0 ? cells : 0;
}

struct area scene_inside(struct area area, double left, double top, double right, double bottom)
{
    return (struct area){area.x + left, area.y + top, at_least_none(area.width - left - right),
                         at_least_none(area.height - top - bottom)};
}

struct area scene_panel(const struct scene *scene, struct area area, const char *name)
{
    draw_box(scene->draw, area.x, area.y, area.width, area.height, TINT_PANEL);
    draw_text(scene->draw, area.x + 1, area.y, area.width - 2, TINT_DIM, "%s", name);
    return scene_inside(area, 1, 1, 1, 0);
}

/* A full queue has the colour of a stall. */
void scene_queues(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Queues and TLBs");
    const struct draw *draw = scene->draw;
    double bar = inside.width - BAR_NAME - BAR_NUMBER - 2;

    for (unsigned i = 0; i < scene->model->places && i < (unsigned)inside.height; i++) {
        const struct view_place *place = &scene->model->place[i];
        double y = inside.y + i, part = (double)place->used / (double)place->size;
        bool is_full = place->used >= place->size && !place->fills;
        char number[VIEW_NAME];

        draw_text(draw, inside.x, y, BAR_NAME, TINT_INK, "%s", place->name);
        draw_box(draw, inside.x + BAR_NAME + 1, y + (draw->is_text ? 0 : 0.2), bar,
                 draw->is_text ? 1 : 0.6, TINT_STRIPE);
        draw_box(draw, inside.x + BAR_NAME + 1, y + (draw->is_text ? 0 : 0.2),
                 bar * (part < 1 ? part : 1), draw->is_text ? 1 : 0.6,
                 is_full ? TINT_VERMILLION : TINT_SKY);
        snprintf(number, sizeof number, "%u/%u", place->used, place->size);
        draw_text(draw, inside.x + BAR_NAME + bar + 2, y, BAR_NUMBER,
                  is_full ? TINT_VERMILLION : TINT_INK, "%s%s", number, is_full ? "!" : "");
    }
}

void scene_predictor(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Branch predictor");
    const struct view_model *model = scene->model;
    const struct draw *draw = scene->draw;
    double y = inside.y, end = inside.y + inside.height;

    draw_text(draw, inside.x, y, 8, TINT_INK, "history");
    for (unsigned i = 0; i < HISTORY_SHOWN && 9 + i < inside.width; i++) {
        bool is_taken = (model->history >> (HISTORY_SHOWN - 1 - i) & 1) != 0;

        draw_text(draw, inside.x + 9 + i, y, 1, is_taken ? TINT_SKY : TINT_DIM, "%s",
                  is_taken ? "T" : "n");
    }
    y += 1;
    if (model->btb_entries != 0 && y < end)
        draw_text(draw, inside.x, y++, inside.width, TINT_INK, "targets  %u of %u entries used",
                  model->btb_used, model->btb_entries);
    for (unsigned i = 0; i < model->stack && y < end; i++)
        draw_text(draw, inside.x, y++, inside.width, i == 0 ? TINT_INK : TINT_DIM, "%s%s",
                  i == 0 ? "return   " : "         ", model->return_to[i]);
    if (model->stack == 0 && y < end)
        draw_text(draw, inside.x, y, inside.width, TINT_DIM, "return   stack is empty");
}

void scene_counters(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Counters, and what this step changed");
    const struct view_model *model = scene->model;
    unsigned row = 0;

    for (unsigned i = 0; i < model->counters && row < (unsigned)inside.height; i++) {
        const struct view_counter *counter = &model->counter[i];
        bool is_less = counter->value < counter->before;
        uint64_t more = is_less ? counter->before - counter->value
                                : counter->value - counter->before;
        char value[DRAW_NUMBER], change[DRAW_NUMBER];
        double y = inside.y + row;

        if (counter->value == 0 && model->counters > inside.height)
            continue;
        row++;
        draw_text(scene->draw, inside.x, y, 22, TINT_INK, "%s", counter->name);
        draw_text(scene->draw, inside.x + 22, y, 13, TINT_INK, "%12s",
                  draw_number(counter->value, value));
        if (more != 0)
            draw_text(scene->draw, inside.x + 35, y, inside.width - 35, TINT_ORANGE, "%c%s",
                      is_less ? '-' : '+', draw_number(more, change));
    }
}

/* Harts take turns, so a hart may be some cycles ahead of the shown one, or not as far. */
static void draw_distance(const struct draw *draw, double x, double y, uint64_t cycles,
                          uint64_t shown)
{
    long long away = (long long)(cycles - shown);

    if (away != 0)
        draw_text(draw, x, y, 4, TINT_ORANGE, "%+4lld", away);
}

void scene_harts(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    bool has_distance = model->harts > 1;
    struct area inside = scene_panel(scene, area, has_distance
                                         ? "Harts: mode, thread, insns, ahead, place"
                                         : "Hart: mode, thread, instructions, place");
    double place = has_distance ? 29 : 24;

    for (unsigned i = 0; i < model->harts && i < (unsigned)inside.height; i++) {
        const struct view_hart *hart = &model->of[i];
        double y = inside.y + i;
        bool is_long = hart->insns > INSNS_MOST;
        char insns[DRAW_NUMBER];

        if (i == model->hart)
            draw_box(scene->draw, inside.x, y, inside.width, 1, TINT_STRIPE);
        draw_text(scene->draw, inside.x, y, 14, TINT_INK, "%s%-2u %c t%llu",
                  i == model->hart ? ">" : " ", i, hart->mode,
                  (unsigned long long)hart->thread);
        draw_text(scene->draw, inside.x + 11, y, 12, TINT_DIM, is_long ? "%10sK" : "%11s",
                  draw_number(is_long ? hart->insns / 1000 : hart->insns, insns));
        draw_distance(scene->draw, inside.x + 24, y, hart->cycles, model->of[model->hart].cycles);
        draw_text(scene->draw, inside.x + place, y, inside.width - place,
                  hart->waits ? TINT_DIM : TINT_INK, "%s", hart->waits ? "waits (WFI)"
                                                                       : hart->place);
    }
}

/* A mark: its count, as a bar up to its limit. */
static void draw_mark(const struct scene *scene, struct area area, const struct view_mark *mark)
{
    const struct draw *draw = scene->draw;
    char count[DRAW_NUMBER], limit[DRAW_NUMBER];
    double part = mark->limit != 0 ? (double)mark->count / (double)mark->limit : 0;

    draw_box(draw, area.x, area.y, area.width * (part < 1 ? part : 1), 1, TINT_STRIPE);
    draw_text(draw, area.x, area.y, area.width - 22, TINT_PURPLE, "%s%s",
              mark->is_code ? "* " : "= ", mark->place);
    draw_text(draw, area.x + area.width - 21, area.y, 21, TINT_INK, "%10s%s%s",
              draw_number(mark->count, count), mark->limit != 0 ? " of " : "",
              mark->limit != 0 ? draw_number(mark->limit, limit) : "");
}

void scene_marks(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    struct area inside = scene_panel(scene, area, "Marks: counts and limits");
    unsigned rows = (unsigned)inside.height, row = 0;

    if (model->marks == 0 && model->indicators == 0)
        draw_text(scene->draw, inside.x, inside.y, inside.width, TINT_DIM, "none");
    for (unsigned i = 0; i < model->indicators && i < 8 && row < rows; i++) {
        const struct view_indicator *one = &model->indicator[i];

        draw_text(scene->draw, inside.x, inside.y + row++, inside.width, TINT_VERMILLION,
                  "! %llx  count %llu  %llu cycles", (unsigned long long)one->pc,
                  (unsigned long long)one->count, (unsigned long long)one->cycles);
    }
    for (unsigned i = 0; i < model->marks && row < rows; i++, row++)
        draw_mark(scene, (struct area){inside.x, inside.y + row, inside.width, 1},
                  &model->mark[i]);
}

void scene_output(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Output of the program");
    unsigned rows = VIEW_OUTPUT;

    while (rows != 0 && scene->model->output[rows - 1][0] == '\0')
        rows--;
    if (rows > inside.height)
        rows = (unsigned)inside.height;
    for (unsigned i = 0; i < rows; i++)
        draw_text(scene->draw, inside.x, inside.y + (rows - 1 - i), inside.width, TINT_INK, "%s",
                  scene->model->output[i]);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void draw_line_of(const struct scene *scene, struct area area, unsigned row, bool is_next,
                         const char *number, const char *text)
{
    double y = area.y + row;

    if (is_next)
        draw_box(scene->draw, area.x, y, area.width, 1, TINT_STRIPE);
    draw_text(scene->draw, area.x, y, 12, is_next ? TINT_ORANGE : TINT_DIM, "%s%s",
              is_next ? ">" : " ", number);
    draw_text(scene->draw, area.x + 12, y, area.width - 12, TINT_INK, "%s", text);
}

/* The next line is in the middle if there are enough lines. */
static unsigned first_of(unsigned lines, unsigned next, double height)
{
    unsigned rows = (unsigned)height, first = next > rows / 2 ? next - rows / 2 : 0;

    return lines > rows ? (first + rows > lines ? lines - rows : first) : 0;
}

static bool is_next(const struct view_model *model, const struct view_line *line, bool is_code)
{
    return is_code ? line->pc == model->next_pc : line->number == model->line;
}

/* Lines of source, by number, or of code, by address. */
static void draw_lines(const struct scene *scene, struct area area, const char *name,
                       const struct view_line *line, unsigned lines, bool is_code)
{
    const struct view_model *model = scene->model;
    struct area inside = scene_panel(scene, area, name);
    char number[VIEW_NAME];
    unsigned next = 0, first;

    for (unsigned i = 0; i < lines; i++)
        next = is_next(model, &line[i], is_code) ? i : next;
    first = first_of(lines, next, inside.height);
    for (unsigned i = 0; i < (unsigned)inside.height && first + i < lines; i++) {
        const struct view_line *row = &line[first + i];

        if (is_code)
            snprintf(number, sizeof number, "%llx", (unsigned long long)row->pc & 0xffffffffff);
        else
            snprintf(number, sizeof number, "%5u", row->number);
        draw_line_of(scene, inside, i, is_next(model, row, is_code), number, row->text);
    }
}

void scene_code(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    char name[2 * VIEW_TEXT];

    snprintf(name, sizeof name, "Code  %s", model->of[model->hart].place);
    draw_lines(scene, area, name, model->code, model->code_lines, true);
}

/* If the source line is unknown, shows the code instead of an empty panel. */
void scene_source(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    char name[2 * VIEW_TEXT];

    if (model->source_lines == 0) {
        scene_code(scene, area);
        return;
    }
    snprintf(name, sizeof name, "Source  %s", model->file);
    draw_lines(scene, area, name, model->source, model->source_lines, false);
}

/* ---- settings -------------------------------------------------------------------------------- */

void scene_sliders(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Machine settings: up/down, then left/right");
    const struct scene_look *look = scene->look;

    for (unsigned i = 0; i < look->sliders && i < (unsigned)inside.height; i++) {
        const struct scene_slider *setting = &look->setting[i];
        bool is_changed = setting->first[0] != '\0';
        double y = inside.y + i;

        if (i == look->slider)
            draw_box(scene->draw, inside.x, y, inside.width, 1, TINT_STRIPE);
        draw_text(scene->draw, inside.x, y, 22, TINT_INK, "%s%s", i == look->slider ? ">" : " ",
                  setting->key);
        draw_text(scene->draw, inside.x + 23, y, 10, is_changed ? TINT_ORANGE : TINT_INK,
                  "%s%s%s", i == look->slider ? "< " : "  ", setting->value,
                  i == look->slider ? " >" : "");
        if (is_changed)
            draw_text(scene->draw, inside.x + 34, y, inside.width - 34, TINT_DIM, "was %s",
                      setting->first);
    }
}
