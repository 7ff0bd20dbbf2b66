/* Interface of a module: a screen, or a picture of pixels. Modules are shared objects beside the
 * simulator, opened only by `rvsim view`, so that no other command loads their libraries. They use
 * draw.h and nothing else of the simulator. */
#ifndef SIM_VIEW_MODULE_H
#define SIM_VIEW_MODULE_H

#include <stdio.h>

#include "sim/view/draw.h"

enum { MODULE_WHY = 256 };

/* Keys without a character; other keys have their character's code. */
enum {
    PRESS_NOTHING = 0, PRESS_ERASE = 8, PRESS_TABULATOR = '\t', PRESS_ENTER = '\n',
    PRESS_ESCAPE = 27,
    PRESS_UPWARDS = 0x10000, PRESS_DOWNWARDS, PRESS_LEFTWARDS, PRESS_RIGHTWARDS, PRESS_PAGE_UP,
    PRESS_PAGE_DOWN, PRESS_TO_START, PRESS_TO_END, PRESS_POINT, PRESS_RESIZED, PRESS_CLOSED,
    PRESS_LARGER, PRESS_SMALLER,
};
struct module_event { int key; double x, y; };      /* x, y: cells, of PRESS_POINT */

struct module_wish {
    unsigned width, height;         /* cells; 0: chosen by the screen */
    double scale;                   /* of pixels; 0: chosen by the screen */
    const char *title;
    uint32_t rgb[2][TINT_COUNT];    /* of the dark theme, and of the light theme */
};

struct module {
    /* NULL: why[] has the reason. */
    void *(*open)(const struct module_wish *wish, char why[MODULE_WHY]);
    void (*close)(void *self);
    /* Begins a picture. */
    struct draw (*begin)(void *self, bool is_light);
    /* The picture is complete: shows it. NULL: no screen. */
    void (*show)(void *self);
    /* Waits for at most `milliseconds`. NULL: no screen. */
    struct module_event (*event)(void *self, unsigned milliseconds);
    /* Writes the picture as PNG. False: failed. NULL: no pixels. */
    bool (*write)(void *self, FILE *out);
};

/* Every module defines this object. */
#define MODULE_SYMBOL "view_module"
extern const struct module view_module;

#endif
