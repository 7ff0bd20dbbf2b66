/* The drawing operations: boxes, texts, lines, on any of several back ends. The unit is a
 * character cell, so that the same picture fits a terminal, a window and a file; x grows to the
 * right, y downwards. Colours are named by their role and come from a theme; those that carry
 * meaning are the palette of Okabe and Ito, which people with any colour vision tell apart
 * ("Color Universal Design", 2008), and each of them has a letter or place besides. */
#ifndef SIM_VIEW_DRAW_H
#define SIM_VIEW_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* TINT(id, dark, light): red, green, blue in both themes. */
#define DRAW_TINTS(TINT)                                                                           \
    TINT(BACK, 0x12161c, 0xffffff)          /* background of everything */                         \
    TINT(PANEL, 0x1b212a, 0xf3f5f8)         /* background of a part */                             \
    TINT(STRIPE, 0x252d38, 0xe3e8ee)        /* a selected row; empty part of a bar */              \
    TINT(RULE, 0x3a4452, 0xc5ccd6)          /* lines of a grid */                                  \
    TINT(INK, 0xe6ebf2, 0x14181f)                                                                  \
    TINT(DIM, 0x93a0b0, 0x5b6675)           /* less important text */                              \
    TINT(DARK_INK, 0x000000, 0x000000)      /* text on the light colours below */                  \
    TINT(LIGHT_INK, 0xffffff, 0xffffff)     /* text on the dark colour, blue */                    \
    TINT(ORANGE, 0xe69f00, 0xe69f00)                                                               \
    TINT(SKY, 0x56b4e9, 0x56b4e9)                                                                  \
    TINT(GREEN, 0x009e73, 0x009e73)                                                                \
    TINT(YELLOW, 0xf0e442, 0xf0e442)                                                               \
    TINT(BLUE, 0x0072b2, 0x0072b2)                                                                 \
    TINT(VERMILLION, 0xd55e00, 0xd55e00)                                                           \
    TINT(PURPLE, 0xcc79a7, 0xcc79a7)                                                               \
    TINT(ORANGE_INK, 0xe69f00, 0x8a5a00)    /* coloured text, see draw_text */               \
    TINT(SKY_INK, 0x56b4e9, 0x0068a8)                                                              \
    TINT(VERMILLION_INK, 0xf07c2e, 0xb84a00)                                                       \
    TINT(PURPLE_INK, 0xcc79a7, 0x9c3f75)
#define TINT(id, dark, light) TINT_##id,
enum tint { DRAW_TINTS(TINT) TINT_COUNT };
#undef TINT

/* Height of a cell divided by its width. */
#define DRAW_ASPECT 2.0

struct draw_ops {
    void (*box)(void *self, double x, double y, double width, double height, enum tint tint);
    void (*text)(void *self, double x, double y, enum tint tint, const char *text);
    /* NULL: lines are not drawn. */
    void (*line)(void *self, double x0, double y0, double x1, double y1, enum tint tint);
};

struct draw {
    const struct draw_ops *ops;
    void *self;
    double width, height;           /* cells */
    bool is_text;                   /* whole cells only */
};

uint32_t draw_rgb(enum tint tint, bool is_light);
/* The tint of readable text on a box of that colour. */
enum tint draw_ink_on(enum tint tint);

void draw_box(const struct draw *draw, double x, double y, double width, double height,
              enum tint tint);
void draw_line(const struct draw *draw, double x0, double y0, double x1, double y1,
               enum tint tint);
/* At most `cells` wide: longer text is cut with "…". */
void draw_text(const struct draw *draw, double x, double y, double cells, enum tint tint,
               const char *format, ...) __attribute__((format(printf, 6, 7)));
/* 1234567 as "1,234,567". Returns text. */
enum { DRAW_NUMBER = 32 };
const char *draw_number(uint64_t value, char text[DRAW_NUMBER]);

#endif
