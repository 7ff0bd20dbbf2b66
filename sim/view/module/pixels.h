/* A picture of pixels, with text drawn by FreeType in a font that is part of the module. */
#ifndef SIM_VIEW_MODULE_PIXELS_H
#define SIM_VIEW_MODULE_PIXELS_H

#include "sim/view/module.h"

struct pixels;

/* NULL: why[] has the reason. */
struct pixels *pixels_new(const struct module_wish *wish, char why[MODULE_WHY]);
void pixels_free(struct pixels *pixels);
/* Changes the size of the picture in pixels. False: no memory. */
bool pixels_resize(struct pixels *pixels, unsigned width, unsigned height);
/* Sets the pixels for a unit of design; a cell is 8 by 16 units. False: no such size. */
bool pixels_scale(struct pixels *pixels, double scale);
void pixels_cell(const struct pixels *pixels, unsigned *width, unsigned *height);
struct draw pixels_begin(struct pixels *pixels, bool is_light);
/* [height][width], each 0xAARRGGBB. */
const uint32_t *pixels_data(const struct pixels *pixels, unsigned *width, unsigned *height);

#endif
