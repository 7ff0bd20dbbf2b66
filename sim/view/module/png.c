/* The module for PNG files: pixels without a screen. */
#include <stdlib.h>

#include "sim/view/module/pixels.h"
#include "sim/view/module/write_png.h"

static void *open_picture(const struct module_wish *wish, char why[MODULE_WHY])
{
    struct pixels *pixels = pixels_new(wish, why);
    unsigned x, y;

    if (pixels == NULL)
        return NULL;
    pixels_cell(pixels, &x, &y);
    if (pixels_resize(pixels, wish->width * x, wish->height * y))
        return pixels;
    snprintf(why, MODULE_WHY, "out of memory for the picture");
    pixels_free(pixels);
    return NULL;
}

static void close_picture(void *self)
{
    pixels_free(self);
}

static struct draw begin(void *self, bool is_light)
{
    return pixels_begin(self, is_light);
}

static bool write(void *self, FILE *out)
{
    unsigned width, height;
    const uint32_t *data = pixels_data(self, &width, &height);

    return write_png(data, width, height, out);
}

const struct module view_module = {.open = open_picture, .close = close_picture, .begin = begin,
                                   .write = write};
