/* See grid.h. */
#include "sim/view/grid.h"

#include <stdlib.h>
#include <string.h>

bool grid_init(struct grid *grid, unsigned width, unsigned height)
{
    *grid = (struct grid){width, height, calloc((size_t)width * height + 1,
                                                sizeof(struct grid_cell))};
    return grid->cell != NULL;
}

void grid_free(struct grid *grid)
{
    free(grid->cell);
    grid->cell = NULL;
}

static long clamp(double value, unsigned most)
{
    return value < 0 ? 0 : value > most ? (long)most : (long)value;
}

static void box(void *self, double x, double y, double width, double height, enum tint tint)
{
    struct grid *grid = self;
    long right = clamp(x + width + 0.5, grid->width);
    long bottom = clamp(y + height + 0.5, grid->height);

    for (long row = clamp(y + 0.5, grid->height); row < bottom; row++)
        for (long column = clamp(x + 0.5, grid->width); column < right; column++)
            grid->cell[row * (long)grid->width + column] =
                (struct grid_cell){" ", (uint8_t)tint, (uint8_t)tint};
}

static void text(void *self, double x, double y, enum tint tint, const char *words)
{
    struct grid *grid = self;
    long row = (long)(y + 0.5), column = (long)(x + 0.5);

    if (row < 0 || row >= (long)grid->height || column < 0)
        return;
    for (; *words != '\0' && column < (long)grid->width; column++) {
        struct grid_cell *cell = &grid->cell[row * (long)grid->width + column];
        unsigned bytes = 0;

        do
            cell->character[bytes++] = *words++;
        while (((unsigned char)*words & 0xc0) == 0x80 && bytes < GRID_CHARACTER - 1);
        cell->character[bytes] = '\0';
        cell->ink = (uint8_t)tint;
    }
}

struct draw grid_draw(struct grid *grid)
{
    static const struct draw_ops ops = {box, text, NULL};

    return (struct draw){&ops, grid, grid->width, grid->height, true};
}
