/* See pixels.h. Edges of boxes between pixels are blended, so that cells of a map keep their sizes
 * at any scale. */
#include "sim/view/module/pixels.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The font's file is part of the object. */
__asm__(".section .rodata\n"
        ".global view_font, view_font_end\n"
        "view_font: .incbin \"" VIEW_FONT "\"\n"
        "view_font_end:\n"
        ".previous\n");
extern const unsigned char view_font[], view_font_end[];

enum { CELL_X = 8, CELL_Y = 16, GLYPHS = 128, EM_26_6 = 64 };
#define EMS_A_CELL 0.602        /* width of the font's characters in units of its size */

struct glyph { bool is_known; int left, top; unsigned width, rows; unsigned char *cover; };

struct pixels {
    uint32_t *data;
    unsigned width, height, cell_x, cell_y;
    uint32_t rgb[2][TINT_COUNT];
    bool is_light;
    FT_Library library;
    FT_Face face;
    int baseline;
    struct glyph glyph[GLYPHS], other;
    unsigned long other_code;
};

/* ---- life ------------------------------------------------------------------------------------ */

static void drop_glyphs(struct pixels *pixels)
{
    for (unsigned i = 0; i < GLYPHS; i++) {
        free(pixels->glyph[i].cover);
        pixels->glyph[i] = (struct glyph){.is_known = false};
    }
    free(pixels->other.cover);
    pixels->other = (struct glyph){.is_known = false};
}

struct pixels *pixels_new(const struct module_wish *wish, char why[MODULE_WHY])
{
    /* cppcheck-suppress comparePointers ; the linker puts one after the other */
    const FT_Long bytes = (FT_Long)(view_font_end - view_font);
    struct pixels *pixels = calloc(1, sizeof *pixels);

    if (pixels == NULL || FT_Init_FreeType(&pixels->library) != 0 ||
        FT_New_Memory_Face(pixels->library, view_font, bytes, 0, &pixels->face) != 0) {
        snprintf(why, MODULE_WHY, "the font cannot be used");
        pixels_free(pixels);
        return NULL;
    }
    memcpy(pixels->rgb, wish->rgb, sizeof pixels->rgb);
    if (!pixels_scale(pixels, wish->scale > 0 ? wish->scale : 1)) {
        snprintf(why, MODULE_WHY, "no text of that size can be drawn");
        pixels_free(pixels);
        return NULL;
    }
    return pixels;
}

void pixels_free(struct pixels *pixels)
{
    if (pixels == NULL)
        return;
    drop_glyphs(pixels);
    if (pixels->face != NULL)
        FT_Done_Face(pixels->face);
    if (pixels->library != NULL)
        FT_Done_FreeType(pixels->library);
    free(pixels->data);
    free(pixels);
}

bool pixels_resize(struct pixels *pixels, unsigned width, unsigned height)
{
    uint32_t *data = realloc(pixels->data, (size_t)width * height * sizeof *data + 1);

    if (data == NULL)
        return false;
    pixels->data = data;
    pixels->width = width;
    pixels->height = height;
    return true;
}

bool pixels_scale(struct pixels *pixels, double scale)
{
    unsigned cell_x = (unsigned)lround(CELL_X * scale);
    double size = cell_x / EMS_A_CELL;

    if (cell_x < 3 || cell_x > 200 ||
        FT_Set_Char_Size(pixels->face, 0, lround(size * EM_26_6), 72, 72) != 0)
        return false;
    drop_glyphs(pixels);
    pixels->cell_x = cell_x;
    pixels->cell_y = cell_x * 2;
    pixels->baseline = (int)lround(pixels->cell_y * 0.77);
    return true;
}

void pixels_cell(const struct pixels *pixels, unsigned *width, unsigned *height)
{
    *width = pixels->cell_x;
    *height = pixels->cell_y;
}

const uint32_t *pixels_data(const struct pixels *pixels, unsigned *width, unsigned *height)
{
    *width = pixels->width;
    *height = pixels->height;
    return pixels->data;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t under, uint32_t over, unsigned cover)
{
    uint32_t result = 0xff000000;

    for (unsigned shift = 0; shift < 24; shift += 8) {
        unsigned a = under >> shift & 0xff, b = over >> shift & 0xff;

        result |= ((a * (255 - cover) + b * cover + 127) / 255) << shift;
    }
    return result;
}

static void put(struct pixels *pixels, long x, long y, uint32_t rgb, double part)
{
    uint32_t *at;

    if (x < 0 || y < 0 || x >= (long)pixels->width || y >= (long)pixels->height || part <= 0)
        return;
    at = &pixels->data[y * (long)pixels->width + x];
    *at = part >= 0.999 ? 0xff000000 | rgb : mix(*at, rgb, (unsigned)lround(part * 255));
}

/* The part of the pixel at `at` that lies between `from` and `to`. */
static double covered(long at, double from, double to)
{
    double low = from > (double)at ? from : (double)at;
    double high = to < (double)at + 1 ? to : (double)at + 1;

    return high > low ? high - low : 0;
}

static void fill(struct pixels *pixels, double x0, double y0, double x1, double y1, uint32_t rgb)
{
    for (long y = (long)floor(y0); (double)y < y1; y++)
        for (long x = (long)floor(x0); (double)x < x1; x++)
            put(pixels, x, y, rgb, covered(x, x0, x1) * covered(y, y0, y1));
}

static void box(void *self, double x, double y, double width, double height, enum tint tint)
{
    struct pixels *pixels = self;

    fill(pixels, x * pixels->cell_x, y * pixels->cell_y, (x + width) * pixels->cell_x,
         (y + height) * pixels->cell_y, pixels->rgb[pixels->is_light][tint]);
}

/* Straight lines have whole pixels; others are a chain of small boxes. */
static void line(void *self, double x0, double y0, double x1, double y1, enum tint tint)
{
    struct pixels *pixels = self;
    uint32_t rgb = pixels->rgb[pixels->is_light][tint];
    double thick = pixels->cell_x / 8.0 < 1 ? 1 : floor(pixels->cell_x / 8.0);
    double from_x = floor(x0 * pixels->cell_x), from_y = floor(y0 * pixels->cell_y);
    double to_x = floor(x1 * pixels->cell_x), to_y = floor(y1 * pixels->cell_y);
    double far = fmax(fabs(to_x - from_x), fabs(to_y - from_y));

    for (double at = 0; at <= far; at += 1) {
        double part = far > 0 ? at / far : 0;
        double x = from_x + (to_x - from_x) * part, y = from_y + (to_y - from_y) * part;

        fill(pixels, floor(x), floor(y), floor(x) + thick, floor(y) + thick, rgb);
    }
}

static const struct glyph *glyph_of(struct pixels *pixels, unsigned long code)
{
    struct glyph *glyph = code < GLYPHS ? &pixels->glyph[code] : &pixels->other;
    const FT_Bitmap *bitmap;

    if (glyph->is_known && (code < GLYPHS || code == pixels->other_code))
        return glyph;
    free(glyph->cover);
    *glyph = (struct glyph){.is_known = true};
    pixels->other_code = code < GLYPHS ? pixels->other_code : code;
    if (FT_Load_Char(pixels->face, code, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0)
        return glyph;
    bitmap = &pixels->face->glyph->bitmap;
    glyph->cover = malloc((size_t)bitmap->width * bitmap->rows + 1);
    if (glyph->cover == NULL)
        return glyph;
    glyph->left = pixels->face->glyph->bitmap_left;
    glyph->top = pixels->face->glyph->bitmap_top;
    glyph->width = bitmap->width;
    glyph->rows = bitmap->rows;
    for (unsigned y = 0; y < bitmap->rows; y++)
        memcpy(glyph->cover + (size_t)y * bitmap->width, bitmap->buffer + (int)y * bitmap->pitch,
               bitmap->width);
    return glyph;
}

/* Decodes UTF-8 of up to three bytes; the pictures have no longer characters. */
static unsigned long next_code(const char **text)
{
    unsigned long code = (unsigned char)*(*text)++;
    unsigned more = code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;

    code &= more == 2 ? 0x0f : more == 1 ? 0x1f : 0x7f;
    for (; more != 0 && ((unsigned char)**text & 0xc0) == 0x80; more--)
        code = code << 6 | ((unsigned char)*(*text)++ & 0x3f);
    return code;
}

static void text(void *self, double x, double y, enum tint tint, const char *words)
{
    struct pixels *pixels = self;
    uint32_t rgb = pixels->rgb[pixels->is_light][tint];
    long left = lround(x * pixels->cell_x), top = lround(y * pixels->cell_y) + pixels->baseline;

    for (; *words != '\0'; left += pixels->cell_x) {
        const struct glyph *glyph = glyph_of(pixels, next_code(&words));

        for (unsigned row = 0; glyph->cover != NULL && row < glyph->rows; row++)
            for (unsigned column = 0; column < glyph->width; column++)
                put(pixels, left + glyph->left + (long)column, top - glyph->top + (long)row, rgb,
                    glyph->cover[(size_t)row * glyph->width + column] / 255.0);
    }
}

struct draw pixels_begin(struct pixels *pixels, bool is_light)
{
    static const struct draw_ops ops = {box, text, line};
    uint32_t back = 0xff000000 | pixels->rgb[is_light][TINT_BACK];

    pixels->is_light = is_light;
    for (size_t i = 0; i < (size_t)pixels->width * pixels->height; i++)
        pixels->data[i] = back;
    return (struct draw){&ops, pixels, (double)(pixels->width / pixels->cell_x),
                         (double)(pixels->height / pixels->cell_y), false};
}
