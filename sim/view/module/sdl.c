/* The module for a window: pixels, shown by SDL. */
#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#include "sim/view/module/pixels.h"
#include "sim/view/module/write_png.h"

enum { WIDTH = 1360, HEIGHT = 880, DPI = 96 };
enum { PAUSE = 4 };                 /* milliseconds between two looks for an event */

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    struct pixels *pixels;
    double scale;
    int width, height;              /* pixels of the texture */
};

static void close_window(void *self)
{
    struct window *window = self;

    if (window->texture != NULL)
        SDL_DestroyTexture(window->texture);
    if (window->renderer != NULL)
        SDL_DestroyRenderer(window->renderer);
    if (window->window != NULL)
        SDL_DestroyWindow(window->window);
    pixels_free(window->pixels);
    SDL_Quit();
    free(window);
}

/* Text gets the size of other programs' text. */
static double usual_scale(void)
{
    float dpi;

    if (SDL_GetDisplayDPI(0, NULL, &dpi, NULL) != 0 || dpi < DPI)
        return 1;
    return (double)(int)(dpi / DPI * 4) / 4;
}

/* The requested size, but no larger than the screen. */
static void size_of(const struct window *window, const struct module_wish *wish, int *width,
                    int *height)
{
    SDL_Rect room;
    unsigned x, y;

    pixels_cell(window->pixels, &x, &y);
    *width = wish->width != 0 ? (int)(wish->width * x) : (int)(WIDTH * window->scale);
    *height = wish->height != 0 ? (int)(wish->height * y) : (int)(HEIGHT * window->scale);
    if (SDL_GetDisplayUsableBounds(0, &room) != 0)
        return;
    *width = *width < room.w ? *width : room.w;
    *height = *height < room.h ? *height : room.h;
}

static bool make_window(struct window *window, const struct module_wish *wish,
                        char why[MODULE_WHY])
{
    struct module_wish own = *wish;
    int width, height;

    window->scale = own.scale = wish->scale > 0 ? wish->scale : usual_scale();
    window->pixels = pixels_new(&own, why);
    if (window->pixels == NULL)
        return false;
    size_of(window, wish, &width, &height);
    window->window = SDL_CreateWindow(wish->title, SDL_WINDOWPOS_UNDEFINED,
                                      SDL_WINDOWPOS_UNDEFINED, width, height,
                                      SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window->window != NULL)
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    if (window->renderer == NULL)
        snprintf(why, MODULE_WHY, "no window: %s", SDL_GetError());
    return window->renderer != NULL;
}

/* Without a screen SDL may draw invisibly, which is accepted only on explicit request. */
static bool is_seen(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();

    return getenv("SDL_VIDEODRIVER") != NULL ||
           (driver != NULL && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0);
}

static void *open_window(const struct module_wish *wish, char why[MODULE_WHY])
{
    struct window *window = calloc(1, sizeof *window);

    if (window == NULL || SDL_Init(SDL_INIT_VIDEO) != 0) {
        snprintf(why, MODULE_WHY, "no window: %s; --tui shows it in the terminal",
                 SDL_GetError());
        free(window);
        return NULL;
    }
    if (!is_seen())
        snprintf(why, MODULE_WHY, "no window: there is no screen; --tui shows it in the terminal");
    else if (make_window(window, wish, why))
        return window;
    close_window(window);
    return NULL;
}

static struct draw begin(void *self, bool is_light)
{
    struct window *window = self;
    int width, height;

    SDL_GetRendererOutputSize(window->renderer, &width, &height);
    if (window->texture == NULL || width != window->width || height != window->height) {
        if (window->texture != NULL)
            SDL_DestroyTexture(window->texture);
        window->texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                            SDL_TEXTUREACCESS_STREAMING, width, height);
        window->width = width;
        window->height = height;
        pixels_resize(window->pixels, (unsigned)width, (unsigned)height);
    }
    return pixels_begin(window->pixels, is_light);
}

static void show(void *self)
{
    struct window *window = self;
    unsigned width, height;
    const uint32_t *data = pixels_data(window->pixels, &width, &height);

    SDL_UpdateTexture(window->texture, NULL, data, (int)(width * sizeof *data));
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
}

static struct module_event key_event(const SDL_Keysym *key)
{
    static const struct { SDL_Keycode code; int key; } keys[] = {
        {SDLK_UP, PRESS_UPWARDS}, {SDLK_DOWN, PRESS_DOWNWARDS}, {SDLK_LEFT, PRESS_LEFTWARDS},
        {SDLK_RIGHT, PRESS_RIGHTWARDS}, {SDLK_PAGEUP, PRESS_PAGE_UP},
        {SDLK_PAGEDOWN, PRESS_PAGE_DOWN}, {SDLK_HOME, PRESS_TO_START}, {SDLK_END, PRESS_TO_END},
        {SDLK_RETURN, PRESS_ENTER}, {SDLK_KP_ENTER, PRESS_ENTER}, {SDLK_ESCAPE, PRESS_ESCAPE},
        {SDLK_TAB, PRESS_TABULATOR}, {SDLK_BACKSPACE, PRESS_ERASE},
    };

    if ((key->mod & KMOD_CTRL) != 0) {
        if (key->sym == SDLK_PLUS || key->sym == SDLK_EQUALS || key->sym == SDLK_KP_PLUS)
            return (struct module_event){.key = PRESS_LARGER};
        if (key->sym == SDLK_MINUS || key->sym == SDLK_KP_MINUS)
            return (struct module_event){.key = PRESS_SMALLER};
        return (struct module_event){.key = PRESS_NOTHING};
    }
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].code == key->sym)
            return (struct module_event){.key = keys[i].key};
    return (struct module_event){.key = PRESS_NOTHING};
}

/* In pixels of the picture, which may differ from those of the window. */
static struct module_event point_event(struct window *window, const SDL_MouseButtonEvent *button)
{
    int width, height;
    unsigned x, y;

    SDL_GetWindowSize(window->window, &width, &height);
    pixels_cell(window->pixels, &x, &y);
    return (struct module_event){
        PRESS_POINT, (double)button->x * window->width / width / x,
        (double)button->y * window->height / height / y,
    };
}

static struct module_event rescale(struct window *window, double factor)
{
    if (pixels_scale(window->pixels, window->scale * factor))
        window->scale *= factor;
    return (struct module_event){.key = PRESS_RESIZED};
}

/* SDL_WaitEventTimeout wakes itself through a second connection to an X server, which may be
 * heard only after the window is destroyed and then ends the program; asking again and again
 * needs no second connection. */
static bool wait_event(SDL_Event *event, unsigned milliseconds)
{
    Uint64 end = SDL_GetTicks64() + milliseconds;

    while (SDL_PollEvent(event) == 0) {
        if (SDL_GetTicks64() >= end)
            return false;
        SDL_Delay(PAUSE);
    }
    return true;
}

static struct module_event event(void *self, unsigned milliseconds)
{
    struct window *window = self;
    struct module_event result = {.key = PRESS_NOTHING};
    SDL_Event event;

    if (!wait_event(&event, milliseconds))
        return result;
    switch (event.type) {
    case SDL_QUIT:
        result.key = PRESS_CLOSED;
        break;
    case SDL_WINDOWEVENT:
        result.key = event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
                     event.window.event == SDL_WINDOWEVENT_EXPOSED ? PRESS_RESIZED : PRESS_NOTHING;
        break;
    case SDL_KEYDOWN:
        result = key_event(&event.key.keysym);
        break;
    case SDL_TEXTINPUT:
        if (event.text.text[0] > 0 && event.text.text[1] == '\0')
            result.key = event.text.text[0];
        break;
    case SDL_MOUSEBUTTONDOWN:
        result = point_event(window, &event.button);
        break;
    default:
        break;
    }
    if (result.key == PRESS_LARGER || result.key == PRESS_SMALLER)
        return rescale(window, result.key == PRESS_LARGER ? 1.125 : 1 / 1.125);
    return result;
}

static bool write(void *self, FILE *out)
{
    struct window *window = self;
    unsigned width, height;
    const uint32_t *data = pixels_data(window->pixels, &width, &height);

    return write_png(data, width, height, out);
}

const struct module view_module = {.open = open_window, .close = close_window, .begin = begin,
                                   .show = show, .event = event, .write = write};
