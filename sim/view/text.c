/* Pictures as text, without colours. */
#include <string.h>

#include "sim/view/files.h"
#include "sim/view/grid.h"

/* A cell of a stage without a letter is a dot, as there are no colours. */
static const char *plain(const struct grid_cell *cell)
{
    bool is_coloured = cell->ground >= TINT_ORANGE || cell->ground == TINT_RULE;

    return is_coloured && cell->character[0] == ' ' ? "." : cell->character;
}

enum err files_text(const struct view_model *model, const struct scene_look *look,
                    struct files_shape shape, FILE *out, struct diag *diag)
{
    struct grid grid;
    struct draw draw;

    if (!grid_init(&grid, shape.width, shape.height))
        return diag_no_memory(diag, "the picture");
    draw = grid_draw(&grid);
    scene_draw(model, look, &draw);
    for (unsigned y = 0; y < grid.height; y++) {
        const struct grid_cell *row = &grid.cell[(size_t)y * grid.width];
        unsigned end = grid.width;

        while (end != 0 && strcmp(plain(&row[end - 1]), " ") == 0)
            end--;
        for (unsigned x = 0; x < end; x++)
            fputs(plain(&row[x]), out);
        fputc('\n', out);
    }
    grid_free(&grid);
    return ferror(out) ? diag_set(diag, ERR_IO, "view: the picture could not be written")
                       : ERR_OK;
}
