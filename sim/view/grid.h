/* A picture of characters in colours: for terminals and text files. Boxes colour the cells whose
 * middles they cover, and texts keep the colour under them. */
#ifndef SIM_VIEW_GRID_H
#define SIM_VIEW_GRID_H

#include "sim/view/draw.h"

enum { GRID_CHARACTER = 5 };
struct grid_cell { char character[GRID_CHARACTER]; uint8_t ground, ink; };   /* enum tint */
struct grid { unsigned width, height; struct grid_cell *cell; };

/* False: no memory. */
bool grid_init(struct grid *grid, unsigned width, unsigned height);
void grid_free(struct grid *grid);
struct draw grid_draw(struct grid *grid);

#endif
