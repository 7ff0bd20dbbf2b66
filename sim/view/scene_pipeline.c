/* The pipeline as a picture: a row for each instruction, a column for each cycle, in the manner of
 * Konata. Cycles that have not passed are empty. */
#include <stdio.h>

#include "sim/view/scene_internal.h"

enum { LABEL_CELLS = 38, LABEL_SMALL = 28, TICK = 5,
       CHOOSE_ROWS = 12 };              /* in flight, searched for one that waits */

struct chart {
    const struct scene *scene;
    struct area area;               /* of the cells, without labels */
    double label;                   /* cells of a label, left of it */
    double cell;                    /* width of a cycle */
    uint64_t first, cycles;         /* shown cycles */
    size_t row, rows;               /* shown rows */
    int chosen, awaited;
};

static enum tint stage_tint(enum view_stage stage)
{
    static const uint8_t tint[] = {
        [VIEW_FETCH] = TINT_SKY, [VIEW_DECODE] = TINT_BLUE, [VIEW_RENAME] = TINT_PURPLE,
        [VIEW_DISPATCH] = TINT_ORANGE, [VIEW_ISSUE] = TINT_GREEN, [VIEW_COMPLETE] = TINT_YELLOW,
    };

    return (enum tint)tint[stage];
}

/* The oldest instruction in flight; `rows`: none. */
static size_t oldest_row(const struct view_model *model)
{
    size_t oldest = 0;

    while (oldest < model->rows && model->row[oldest].end != VIEW_IN_FLIGHT)
        oldest++;
    return oldest;
}

int scene_chosen(const struct view_model *model, const struct scene_look *look)
{
    size_t oldest = oldest_row(model);

    if (look->chosen != 0 && view_find(model, look->chosen) >= 0)
        return view_find(model, look->chosen);
    for (size_t i = oldest; i < model->rows && i < oldest + CHOOSE_ROWS; i++)
        if (view_awaited(model, i) >= 0)
            return (int)i;
    return oldest < model->rows ? (int)oldest : (int)model->rows - 1;
}

/* Puts the oldest instruction in flight at a third of the height, unless the view is scrolled. */
static size_t first_row(const struct scene *scene, size_t rows)
{
    const struct view_model *model = scene->model;
    long first = (long)oldest_row(model) - (long)rows / 3 + scene->look->up;
    if (first + (long)rows > (long)model->rows)
        first = (long)model->rows - (long)rows;
    return first > 0 ? (size_t)first : 0;
}

/* The width of a cycle, such that the visible parts of the rows fit and letters stay readable. */
static double cycle_cells(const struct chart *chart)
{
    const struct view_model *model = chart->scene->model;
    uint64_t first = chart->row < model->rows ? model->row[chart->row].at[VIEW_FETCH] : 0;
    double cells;

    if (chart->scene->look->cycle_cells != 0)
        return chart->scene->look->cycle_cells;
    cells = chart->area.width / (double)(model->now + 1 - first);
    return cells < 3 ? 2 : cells < 4 ? 3 : 4;
}

static struct chart chart_of(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    struct chart chart = {.scene = scene, .area = area};
    uint64_t end;

    chart.label = area.width < 90 ? LABEL_SMALL : LABEL_CELLS;
    chart.area = scene_inside(area, chart.label, 1, 0, 0);
    chart.rows = (size_t)chart.area.height;
    chart.row = first_row(scene, chart.rows);
    chart.cell = cycle_cells(&chart);
    chart.cycles = (uint64_t)(chart.area.width / chart.cell);
    end = model->now + 1;
    end = end > (uint64_t)scene->look->back ? end - (uint64_t)scene->look->back : 0;
    chart.first = end > chart.cycles ? end - chart.cycles : 0;
    if (chart.rows > model->rows - chart.row)
        chart.rows = model->rows - chart.row;
    chart.chosen = scene_chosen(model, scene->look);
    chart.awaited = chart.chosen >= 0 ? view_awaited(model, (size_t)chart.chosen) : -1;
    return chart;
}

static double x_of(const struct chart *chart, uint64_t cycle)
{
    return chart->area.x + (double)(cycle - chart->first) * chart->cell;
}

/* Numbers above the columns, and a line at each. */
static void draw_ticks(const struct chart *chart)
{
    const struct draw *draw = chart->scene->draw;
    uint64_t step = chart->cell >= 2 ? TICK : 2 * TICK;
    double bottom = chart->area.y + chart->area.height;

    for (uint64_t cycle = (chart->first + step - 1) / step * step;
         cycle < chart->first + chart->cycles; cycle += step) {
        double x = x_of(chart, cycle), room = chart->area.x + chart->area.width - x;

        draw_line(draw, x, chart->area.y, x, bottom, TINT_RULE);
        if (room >= 5)
            draw_text(draw, x, chart->area.y - 1, (double)step * chart->cell - 1, TINT_DIM,
                      "%llu", (unsigned long long)cycle);
    }
}

/* Draws an instruction's row in pieces, one for each stage. */
static void draw_stages(const struct chart *chart, const struct view_insn *insn, double y)
{
    const struct view_model *model = chart->scene->model;
    const struct draw *draw = chart->scene->draw;
    uint64_t end = chart->first + chart->cycles, next;

    for (uint64_t cycle = chart->first; cycle < end; cycle = next) {
        enum view_stage stage = view_stage_in(insn, cycle, model->now);
        enum tint tint;

        next = cycle + 1;
        if (stage == VIEW_STAGE_COUNT)
            continue;
        while (next < end && view_stage_in(insn, next, model->now) == stage)
            next++;
        tint = insn->end == VIEW_SQUASHED ? TINT_RULE : stage_tint(stage);
        draw_box(draw, x_of(chart, cycle), y + (draw->is_text ? 0 : 0.08),
                 (double)(next - cycle) * chart->cell - (draw->is_text ? 0 : 0.06),
                 draw->is_text ? 1 : 0.84, tint);
        draw_text(draw, x_of(chart, cycle) + (draw->is_text || chart->cell < 3 ? 0 : 0.25), y,
                  (double)(next - cycle) * chart->cell,
                  insn->end == VIEW_SQUASHED ? TINT_INK : draw_ink_on(tint), "%.*s",
                  chart->cell < 2 ? 1 : 2, view_stage_letters(stage));
    }
}

static void draw_label(const struct chart *chart, size_t row, double y)
{
    const struct view_insn *insn = &chart->scene->model->row[row];
    const struct draw *draw = chart->scene->draw;
    double x = chart->area.x - chart->label;
    bool is_next = row == oldest_row(chart->scene->model);
    enum tint ink = insn->end == VIEW_IN_FLIGHT ? TINT_INK : TINT_DIM;

    if ((int)row == chart->awaited) {
        draw_box(draw, x, y, draw->is_text ? 1 : chart->label - 1, 1, TINT_YELLOW);
        ink = draw->is_text ? ink : TINT_DARK_INK;
    }
    draw_text(draw, x, y, 1, (int)row == chart->awaited ? TINT_DARK_INK : ink, "%s",
              (int)row == chart->chosen    ? ">"
              : (int)row == chart->awaited ? "<"
              : is_next                    ? "-"
                                           : "");
    draw_text(draw, x + 1, y, 1, insn->is_marked ? TINT_PURPLE : ink, "%s",
              insn->is_marked         ? "*"
              : insn->is_mispredicted ? "!"
              : insn->is_monitor      ? "P"
                                      : "");
    if (chart->label >= LABEL_CELLS)
        draw_text(draw, x + 3, y, 9, (int)row == chart->awaited ? ink : TINT_DIM, "%llx",
                  (unsigned long long)insn->pc & 0xffffffffff);
    draw_text(draw, x + (chart->label >= LABEL_CELLS ? 13 : 3), y,
              chart->label - (chart->label >= LABEL_CELLS ? 14 : 4), ink, "%s", insn->text);
}

/* Draws an arrow from the instruction that produces the operand to the waiting one. */
static void draw_arrow(const struct chart *chart)
{
    const struct draw *draw = chart->scene->draw;
    double x = x_of(chart, chart->scene->model->now) + 0.5;
    double from = chart->area.y + (double)chart->awaited - (double)chart->row + 0.5;
    double to = chart->area.y + (double)chart->chosen - (double)chart->row + 0.5;

    if (chart->awaited < (int)chart->row || chart->chosen >= (int)(chart->row + chart->rows) ||
        chart->awaited < 0 || chart->first > chart->scene->model->now)
        return;
    draw_line(draw, x - 0.5, from, x, from, TINT_VERMILLION);
    draw_line(draw, x, from, x, to, TINT_VERMILLION);
    draw_line(draw, x, to, x - 0.5, to, TINT_VERMILLION);
    draw_line(draw, x - 0.5, to, x - 0.2, to - 0.2, TINT_VERMILLION);
    draw_line(draw, x - 0.5, to, x - 0.2, to + 0.2, TINT_VERMILLION);
}

static void draw_legend(const struct scene *scene, struct area area)
{
    double x = area.x;

    for (unsigned i = 0; i < VIEW_STAGE_COUNT; i++) {
        static const char *const word[] = {"fetch", "decode", "rename", "wait", "execute", "done"};
        enum tint tint = stage_tint((enum view_stage)i);

        draw_box(scene->draw, x, area.y, 2, 1, tint);
        draw_text(scene->draw, x, area.y, 2, draw_ink_on(tint), "%s",
                  view_stage_letters((enum view_stage)i));
        draw_text(scene->draw, x + 3, area.y, 8, TINT_DIM, "%s", word[i]);
        x += 11;
        if (x + 11 > area.x + area.width)
            return;
    }
    if (x + 40 <= area.x + area.width)
        draw_text(scene->draw, x, area.y, area.x + area.width - x, TINT_DIM,
                  "* marked  ! mispredicted  grey: squashed");
}

int scene_pipeline_row(const struct scene *scene, struct area area, double y)
{
    struct area inside = scene_inside(area, 1, 1, 1, 1);
    struct chart chart = chart_of(scene, inside);
    double row = y - chart.area.y;

    return row >= 0 && row < (double)chart.rows ? (int)chart.row + (int)row : -1;
}

void scene_pipeline(const struct scene *scene, struct area area)
{
    struct area inside = scene_panel(scene, area, "Pipeline");
    struct chart chart;

    inside = scene_inside(inside, 0, 0, 0, 1);
    draw_legend(scene, (struct area){inside.x, inside.y + inside.height, inside.width, 1});
    chart = chart_of(scene, inside);
    draw_ticks(&chart);
    for (size_t i = 0; i < chart.rows; i++) {
        size_t row = chart.row + i;
        double y = chart.area.y + (double)i;

        if ((int)row == chart.chosen)
            draw_box(scene->draw, inside.x, y, inside.width, 1, TINT_STRIPE);
        draw_label(&chart, row, y);
        draw_stages(&chart, &scene->model->row[row], y);
    }
    draw_arrow(&chart);
}
