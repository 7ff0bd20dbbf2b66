/* Caches with their shadow frames, and tables of counters, as maps: columns are sets, rows are
 * ways. */
#include <stdio.h>

#include "sim/view/scene_internal.h"

static const struct { enum tint tint; const char *letter, *meaning; } kinds[CELL_KINDS] = {
    [CELL_EMPTY] = {TINT_STRIPE, ".", "empty"},
    [CELL_SHARED] = {TINT_BLUE, "s", "shared"},
    [CELL_CLEAN] = {TINT_SKY, "c", "clean"},
    [CELL_MODIFIED] = {TINT_VERMILLION, "M", "modified"},
    [CELL_COMING] = {TINT_YELLOW, "~", "coming"},
    [CELL_NOT_TAKEN] = {TINT_STRIPE, ".", "not taken"},
    [CELL_WEAK_NOT] = {TINT_RULE, "n", "weakly not"},
    [CELL_WEAK_TAKEN] = {TINT_YELLOW, "t", "weakly taken"},
    [CELL_TAKEN] = {TINT_ORANGE, "T", "taken"},
};

/* Merges several cells, from a column and a row on, into one: their greatest kind, and all bits. */
static uint8_t most(const struct view_map *map, uint32_t column, uint32_t row, uint32_t columns,
                    uint32_t rows)
{
    uint8_t kind = 0, bits = 0;

    for (uint32_t y = row; y < row + rows && y < map->rows; y++)
        for (uint32_t x = column; x < column + columns && x < map->columns; x++) {
            uint8_t cell = map->cell[y * map->columns + x];

            kind = (cell & CELL_MASK) > kind ? cell & CELL_MASK : kind;
            bits |= cell & (uint8_t)~CELL_MASK;
        }
    return kind | bits;
}

/* Draws a cell in its colour; metadata is a purple area at its bottom, larger if it has counts. */
static void draw_cell(const struct draw *draw, struct area at, uint8_t cell)
{
    enum tint tint = kinds[cell & CELL_MASK].tint;
    double gap = draw->is_text ? 0 : at.width < 0.5 ? 0.03 : 0.08, part;

    draw_box(draw, at.x, at.y, at.width - gap, at.height - gap, tint);
    if (draw->is_text)
        draw_text(draw, at.x, at.y, 1, draw_ink_on(tint), "%s",
                  cell & CELL_COUNTS ? "#" : cell & CELL_META ? "+"
                                                              : kinds[cell & CELL_MASK].letter);
    else if (cell & (CELL_META | CELL_COUNTS)) {
        part = cell & CELL_COUNTS ? 0.8 : 0.4;
        draw_box(draw, at.x, at.y + at.height * (1 - part), at.width - gap,
                 at.height * part - gap, TINT_PURPLE);
    }
}

static uint32_t parts(uint32_t count, double room)
{
    uint32_t whole = room >= 1 ? (uint32_t)room : 1;

    return (count + whole - 1) / whole;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void draw_map(const struct scene *scene, const struct view_map *map, struct area area)
{
    const struct draw *draw = scene->draw;
    double density = draw->is_text ? 1 : 4;
    uint32_t columns = parts(map->columns, area.width * density);
    uint32_t rows = parts(map->rows, (area.height - 1) * (draw->is_text ? 1 : 4));
    uint32_t across = (map->columns + columns - 1) / columns;
    uint32_t down = (map->rows + rows - 1) / rows;
    double width = draw->is_text ? 1 : least(area.width / across, 2);
    double height = draw->is_text ? 1 : least((area.height - 1) / down, 1);

    draw_text(draw, area.x, area.y, area.width, TINT_INK, "%s  %u of %u", map->name, map->used,
              map->total);
    if (map->merged * columns * rows > 1 && area.width > 30)
        draw_text(draw, area.x + area.width - 12, area.y, 11, TINT_DIM, "%u a cell",
                  map->merged * columns * rows);
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++)
            draw_cell(draw, (struct area){area.x + x * width, area.y + 1 + y * height, width,
                                          height},
                      most(map, x * columns, y * rows, columns, rows));
}

static void draw_legend(const struct scene *scene, struct area area)
{
    const struct draw *draw = scene->draw;
    double x = area.x;

    for (unsigned i = CELL_EMPTY; i <= CELL_COMING; i++) {
        if (i == CELL_SHARED && scene->model->harts == 1)
            continue;
        draw_cell(draw, (struct area){x, area.y, 1, 1}, (uint8_t)i);
        draw_text(draw, x + 2, area.y, 9, TINT_DIM, "%s", kinds[i].meaning);
        x += 11;
    }
    if (x + 32 > area.x + area.width)
        return;
    draw_cell(draw, (struct area){x, area.y, 1, 1}, CELL_CLEAN | CELL_META);
    draw_text(draw, x + 2, area.y, 9, TINT_DIM, "metadata");
    draw_cell(draw, (struct area){x + 12, area.y, 1, 1}, CELL_CLEAN | CELL_META | CELL_COUNTS);
    draw_text(draw, x + 14, area.y, 18, TINT_DIM, "... that counts");
}

/* Places maps side by side if they are wide enough, else one below the other. */
void scene_maps(const struct scene *scene, struct area area)
{
    const struct view_model *model = scene->model;
    struct area inside = scene_panel(scene, area,
                                     "Caches and shadow frames: columns are sets, rows ways");
    unsigned beside = inside.width >= 100 ? model->maps : inside.width >= 60 ? 2 : 1, below;

    if (model->maps == 0)
        return;
    beside = beside > model->maps ? model->maps : beside;
    below = (model->maps + beside - 1) / beside;
    inside.height -= 1;
    draw_legend(scene, (struct area){inside.x, inside.y + inside.height, inside.width, 1});
    for (unsigned i = 0; i < model->maps; i++) {
        double width = (double)(long)(inside.width / beside);
        double height = (double)(long)(inside.height / below);

        draw_map(scene, &model->map[i],
                 (struct area){inside.x + width * (i % beside), inside.y + height * (i / beside),
                               width - 1, height - (scene->draw->is_text ? 0 : 0.2)});
    }
}
