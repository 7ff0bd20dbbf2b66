/* Pictures as SVG. A cell is 8 by 16 units. Texts have a fixed-width font and an explicit length,
 * so that they fit with any font. */
#include <string.h>

#include "sim/view/files.h"

enum { CELL_X = 8, CELL_Y = 16, BASELINE = 12, FONT = 13 };

struct svg { FILE *out; bool is_light; };

static void box(void *self, double x, double y, double width, double height, enum tint tint)
{
    const struct svg *svg = self;

    fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"#%06x\"/>\n", x * CELL_X, y * CELL_Y, width * CELL_X, height * CELL_Y,
            draw_rgb(tint, svg->is_light));
}

static void line(void *self, double x0, double y0, double x1, double y1, enum tint tint)
{
    const struct svg *svg = self;

    fprintf(svg->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"#%06x\"/>\n", x0 * CELL_X, y0 * CELL_Y, x1 * CELL_X, y1 * CELL_Y,
            draw_rgb(tint, svg->is_light));
}

static void text(void *self, double x, double y, enum tint tint, const char *words)
{
    const struct svg *svg = self;
    size_t cells = 0;

    for (const char *at = words; *at != '\0'; at++)
        cells += ((unsigned char)*at & 0xc0) != 0x80;
    fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#%06x\" textLength=\"%zu\" "
            "lengthAdjust=\"spacingAndGlyphs\">", x * CELL_X, y * CELL_Y + BASELINE,
            draw_rgb(tint, svg->is_light), cells * CELL_X);
    for (; *words != '\0'; words++) {
        if (strchr("<>&", *words) != NULL)
            fprintf(svg->out, "&#%d;", *words);
        else if ((unsigned char)*words >= ' ')
            fputc(*words, svg->out);
        else
            fputc(' ', svg->out);
    }
    fputs("</text>\n", svg->out);
}

enum err files_svg(const struct view_model *model, const struct scene_look *look,
                   struct files_shape shape, FILE *out, struct diag *diag)
{
    static const struct draw_ops ops = {box, text, line};
    struct svg svg = {out, shape.is_light};
    const struct draw draw = {&ops, &svg, shape.width, shape.height, false};

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
            "height=\"%u\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
            "font-size=\"%d\" xml:space=\"preserve\">\n<title>%s, cycle %llu</title>\n",
            shape.width * CELL_X, shape.height * CELL_Y, shape.width * CELL_X,
            shape.height * CELL_Y, FONT, "rvsim view", (unsigned long long)model->now);
    scene_draw(model, look, &draw);
    fputs("</svg>\n", out);
    return ferror(out) ? diag_set(diag, ERR_IO, "view: the picture could not be written")
                       : ERR_OK;
}
