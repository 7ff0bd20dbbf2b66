/* The module for terminals: a grid of characters, shown by ncurses in the colours that the terminal
 * has. */
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/view/grid.h"
#include "sim/view/module.h"

enum { CUBE = 6, CUBE_FIRST = 16, PAIRS_FIRST = 1 };

struct tui {
    struct grid grid;
    const struct module_wish *wish;
    uint32_t rgb[2][TINT_COUNT];
    bool is_light;
    int theme;                      /* theme for which the colours were set up; -1: none */
};

/* ---- colours --------------------------------------------------------------------------------- */

/* The nearest of the 6 x 6 x 6 colours of terminals with 256 colours. */
static short nearest(uint32_t rgb)
{
    static const unsigned level[CUBE] = {0, 95, 135, 175, 215, 255};
    short index = CUBE_FIRST;

    for (unsigned i = 0; i < 3; i++) {
        unsigned value = rgb >> (16 - 8 * i) & 0xff, best = 0;

        for (unsigned at = 1; at < CUBE; at++)
            if (abs((int)level[at] - (int)value) < abs((int)level[best] - (int)value))
                best = at;
        index = (short)(index + (int)best * (i == 0 ? CUBE * CUBE : i == 1 ? CUBE : 1));
    }
    return index;
}

/* For eight colours: chosen by role. */
static short of_eight(enum tint tint, bool is_light)
{
    static const short colour[] = {
        [TINT_ORANGE] = COLOR_YELLOW, [TINT_SKY] = COLOR_CYAN, [TINT_GREEN] = COLOR_GREEN,
        [TINT_YELLOW] = COLOR_WHITE, [TINT_BLUE] = COLOR_BLUE, [TINT_VERMILLION] = COLOR_RED,
        [TINT_PURPLE] = COLOR_MAGENTA,
    };

    if (tint >= TINT_ORANGE && tint <= TINT_PURPLE)
        return colour[tint];
    if (tint == TINT_INK || tint == TINT_DIM || tint == TINT_LIGHT_INK)
        return is_light && tint != TINT_LIGHT_INK ? COLOR_BLACK : COLOR_WHITE;
    return is_light && tint != TINT_DARK_INK ? COLOR_WHITE : COLOR_BLACK;
}

/* The tints that are set up on a terminal. */
enum { TUI_TINTS = TINT_PURPLE + 1 };

static short pair_of(unsigned ink, unsigned ground)
{
    return (short)(PAIRS_FIRST + ink * TUI_TINTS + ground);
}

static void make_colours(struct tui *tui)
{
    short colour[TUI_TINTS];

    if (!has_colors() || tui->theme == tui->is_light)
        return;
    tui->theme = tui->is_light;
    for (unsigned i = 0; i < TUI_TINTS; i++)
        colour[i] = COLORS >= 256 ? nearest(tui->rgb[tui->is_light][i])
                                  : of_eight((enum tint)i, tui->is_light);
    for (unsigned ink = 0; ink < TUI_TINTS; ink++)
        for (unsigned ground = 0; ground < TUI_TINTS; ground++)
            if (pair_of(ink, ground) < COLOR_PAIRS)
                init_pair(pair_of(ink, ground), colour[ink], colour[ground]);
}

/* ---- the module ------------------------------------------------------------------------------ */

static void close_terminal(void *self)
{
    struct tui *tui = self;

    endwin();
    grid_free(&tui->grid);
    free(tui);
}

static void *open_terminal(const struct module_wish *wish, char why[MODULE_WHY])
{
    struct tui *tui = calloc(1, sizeof *tui);

    setlocale(LC_ALL, "");
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
        snprintf(why, MODULE_WHY, "standard input and output are no terminal; --save FILE writes "
                 "a picture");
        free(tui);
        return NULL;
    }
    if (tui == NULL || newterm(NULL, stdout, stdin) == NULL) {
        snprintf(why, MODULE_WHY, "this terminal cannot show it; TERM says what it is");
        free(tui);
        return NULL;
    }
    for (unsigned i = 0; i < TUI_TINTS; i++) {
        tui->rgb[0][i] = wish->rgb[0][i];
        tui->rgb[1][i] = wish->rgb[1][i];
    }
    tui->theme = -1;
    raw();
    noecho();
    nonl();
    curs_set(0);
    keypad(stdscr, TRUE);
    set_escdelay(25);
    if (has_colors())
        start_color();
    return tui;
}

static struct draw begin(void *self, bool is_light)
{
    struct tui *tui = self;
    int height, width;

    getmaxyx(stdscr, height, width);
    tui->is_light = is_light;
    make_colours(tui);
    grid_free(&tui->grid);
    if (!grid_init(&tui->grid, (unsigned)width, (unsigned)height))
        grid_init(&tui->grid, 0, 0);
    return grid_draw(&tui->grid);
}

/* Where the locale has no characters of several bytes, ~ stands for one. */
static const char *shown(const struct grid_cell *cell)
{
    if (cell->character[0] == '\0')
        return " ";
    return cell->character[1] != '\0' && MB_CUR_MAX == 1 ? "~" : cell->character;
}

static void show(void *self)
{
    const struct tui *tui = self;

    for (unsigned y = 0; y < tui->grid.height; y++) {
        move((int)y, 0);
        for (unsigned x = 0; x < tui->grid.width; x++) {
            const struct grid_cell *cell = &tui->grid.cell[(size_t)y * tui->grid.width + x];

            attr_set(A_NORMAL, has_colors() ? pair_of(cell->ink, cell->ground) : 0, NULL);
            addstr(shown(cell));
        }
    }
    refresh();
}

static struct module_event event(void *self, unsigned milliseconds)
{
    static const struct { int code, key; } keys[] = {
        {KEY_UP, PRESS_UPWARDS}, {KEY_DOWN, PRESS_DOWNWARDS}, {KEY_LEFT, PRESS_LEFTWARDS},
        {KEY_RIGHT, PRESS_RIGHTWARDS}, {KEY_PPAGE, PRESS_PAGE_UP}, {KEY_NPAGE, PRESS_PAGE_DOWN},
        {KEY_HOME, PRESS_TO_START}, {KEY_END, PRESS_TO_END}, {KEY_BACKSPACE, PRESS_ERASE},
        {127, PRESS_ERASE}, {'\r', PRESS_ENTER}, {KEY_RESIZE, PRESS_RESIZED}, {3, PRESS_CLOSED},
    };
    int code;

    (void)self;
    timeout((int)milliseconds);
    code = getch();
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].code == code)
            return (struct module_event){.key = keys[i].key};
    return (struct module_event){.key = code > 0 && code < 127 ? code : PRESS_NOTHING};
}

const struct module view_module = {.open = open_terminal, .close = close_terminal,
                                   .begin = begin, .show = show, .event = event};
