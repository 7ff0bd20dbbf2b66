/* See draw.h. */
#include "sim/view/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512, CUT_BYTES = 3 };

uint32_t draw_rgb(enum tint tint, bool is_light)
{
#define TINT(id, dark, light) {dark, light},
    static const struct { uint32_t dark, light; } theme[] = {DRAW_TINTS(TINT)};
#undef TINT
    return is_light ? theme[tint].light : theme[tint].dark;
}

enum tint draw_ink_on(enum tint tint)
{
    if (tint == TINT_BLUE)
        return TINT_LIGHT_INK;
    return tint >= TINT_ORANGE ? TINT_DARK_INK : TINT_INK;
}

void draw_box(const struct draw *draw, double x, double y, double width, double height,
              enum tint tint)
{
    if (width > 0 && height > 0)
        draw->ops->box(draw->self, x, y, width, height, tint);
}

void draw_line(const struct draw *draw, double x0, double y0, double x1, double y1,
               enum tint tint)
{
    if (draw->ops->line != NULL)
        draw->ops->line(draw->self, x0, y0, x1, y1, tint);
}

/* Cells of a text: a character of several bytes takes one cell. */
static size_t cells_of(const char *text)
{
    size_t cells = 0;

    for (; *text != '\0'; text++)
        cells += ((unsigned char)*text & 0xc0) != 0x80;
    return cells;
}

static void cut(char *text, size_t cells)
{
    size_t seen = 0;
    char *at = text;

    if (cells_of(text) <= cells)
        return;
    for (; *at != '\0'; at++) {
        seen += ((unsigned char)*at & 0xc0) != 0x80;
        if (seen == cells)
            break;
    }
    memcpy(at, cells == 0 ? "" : "…", cells == 0 ? 1 : CUT_BYTES + 1);
}

/* A colour that is readable as an area may not be readable as text on a light ground. */
static enum tint ink_of(const struct draw *draw, enum tint tint)
{
    if (draw->is_text)
        return tint;
    switch (tint) {
    case TINT_ORANGE: return TINT_ORANGE_INK;
    case TINT_SKY: return TINT_SKY_INK;
    case TINT_VERMILLION: return TINT_VERMILLION_INK;
    case TINT_PURPLE: return TINT_PURPLE_INK;
    default: return tint;
    }
}

void draw_text(const struct draw *draw, double x, double y, double cells, enum tint tint,
               const char *format, ...)
{
    char text[TEXT_BYTES + CUT_BYTES + 1];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, TEXT_BYTES, format, arguments);
    va_end(arguments);
    cut(text, cells > 0 ? (size_t)cells : 0);
    if (text[0] != '\0')
        draw->ops->text(draw->self, x, y, ink_of(draw, tint), text);
}

const char *draw_number(uint64_t value, char text[DRAW_NUMBER])
{
    char plain[DRAW_NUMBER];
    int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)value);
    char *out = text;

    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = plain[i];
    }
    *out = '\0';
    return text;
}
