/* The viewer: keys become commands for the machine, or change the view. It draws a copy of the
 * model, as the machine may be writing the model. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/stop_signals.h"
#include "sim/view/modules.h"
#include "sim/view/view_internal.h"

enum { WAIT = 20, LONG_WAIT = 1000, LOOKS_AFTER = 10, PROMPT = 24, PAGE_ROWS = 10,
       TARGET = 32 };

struct viewer {
    const struct view *view;
    const struct module *module;
    void *screen;
    struct client client;
    struct view_model model;
    struct scene_look look;
    unsigned hart;
    bool has_model, is_light, is_running, has_prompt, is_over, is_lost;
    sigset_t signals;               /* each of them ends the view; it waits until a loop looks for
                                     * it, so that the screen is always restored */
    int ended_by;                   /* the one that came */
    char prompt[PROMPT];
};

/* ---- signals --------------------------------------------------------------------------------- */

static bool look_for_signal(struct viewer *viewer)
{
    const struct timespec at_once = {0, 0};
    int number = sigtimedwait(&viewer->signals, NULL, &at_once);

    if (number > 0) {
        viewer->ended_by = number;
        viewer->is_over = true;
    }
    return number > 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void paint(struct viewer *viewer)
{
    struct draw draw = viewer->module->begin(viewer->screen, viewer->is_light);

    if (draw.width >= 1 && draw.height >= 4)
        scene_draw(&viewer->model, &viewer->look, &draw);
    viewer->module->show(viewer->screen);
}

static void take_model(struct viewer *viewer)
{
    struct view_counter before[VIEW_COUNTERS];

    memcpy(before, viewer->model.counter, sizeof before);
    viewer->model = viewer->client.link->model;
    for (unsigned i = 0; viewer->has_model && i < viewer->model.counters; i++)
        viewer->model.counter[i].before = before[i].value;
    viewer->has_model = true;
    snprintf(viewer->model.machine, VIEW_NAME, "%.*s", VIEW_NAME - 1, viewer->view->machine);
}

static void say(struct viewer *viewer, const char *text)
{
    snprintf(viewer->look.message, sizeof viewer->look.message, "%.*s", VIEW_WHY - 1, text);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Shows the cycle that the working machine has reached, and the one it goes to, if any. */
static void say_working(struct viewer *viewer)
{
    const struct view_link *link = viewer->client.link;
    char message[VIEW_WHY], target[TARGET] = "";

    if (link->command.verb == VIEW_GO)
        snprintf(target, sizeof target, ", to %llu", (unsigned long long)link->command.count);
    snprintf(message, sizeof message, "working: cycle %llu%s; any key stops it here",
             (unsigned long long)link->passed, target);
    say(viewer, message);
    paint(viewer);
}

/* While the machine works, a key makes it stop where it is. */
static void wait_for_machine(struct viewer *viewer)
{
    for (unsigned looks = 0; !client_is_done(&viewer->client, WAIT); looks++) {
        if (look_for_signal(viewer))
            return;
        if (client_is_lost(&viewer->client)) {
            viewer->is_over = viewer->is_lost = true;
            return;
        }
        if (looks % LOOKS_AFTER == 0 && looks != 0)
            say_working(viewer);
        if (looks > LOOKS_AFTER && viewer->module->event(viewer->screen, 0).key != PRESS_NOTHING)
            viewer->client.link->pause = 1;
    }
    viewer->look.message[0] = '\0';
    take_model(viewer);
    viewer->look.up = viewer->look.back = 0;
}

static void command(struct viewer *viewer, enum view_verb verb, enum view_until until,
                    uint64_t count)
{
    client_ask(&viewer->client, &(struct view_command){verb, until, count, viewer->hart});
    wait_for_machine(viewer);
}

/* A running machine is stopped a few times a second for a picture, without effect on the run. */
static void run_on(struct viewer *viewer)
{
    client_ask(&viewer->client,
               &(struct view_command){VIEW_FORWARD, VIEW_UNTIL_END, 0, viewer->hart});
    if (!client_is_done(&viewer->client, 8 * WAIT)) {
        viewer->client.link->pause = 1;
        wait_for_machine(viewer);
    }
    take_model(viewer);
    viewer->is_running &= !viewer->model.has_ended;
    viewer->look.state = viewer->is_running ? "running" : NULL;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Restarts the machine with the settings, and goes to the same instruction. */
static enum err run_again(struct viewer *viewer, struct diag *diag)
{
    char text[SCENE_SLIDERS][SETTING_TEXT];
    const char *set[SCENE_SLIDERS + 1];
    const struct view *view = viewer->view;
    struct client client;
    uint64_t insns = viewer->model.insns;
    enum err err;

    settings_changed(&viewer->look, text, set);
    err = client_open(&client, view->start, view->arg, set, diag);
    if (err != ERR_OK)
        return err;
    client_close(&viewer->client);
    viewer->client = client;
    client_ask(&viewer->client, &(struct view_command){.hart = viewer->hart});
    wait_for_machine(viewer);
    if (insns > viewer->model.insns)
        command(viewer, VIEW_FORWARD, VIEW_UNTIL_INSN, insns - viewer->model.insns);
    return ERR_OK;
}

static void change_setting(struct viewer *viewer, bool is_up)
{
    struct scene_slider *slider = &viewer->look.setting[viewer->look.slider], before = *slider;
    uint64_t cycles = viewer->model.now;
    char message[VIEW_WHY], value[VIEW_NAME];
    struct diag diag = {""};

    if (!settings_next(&viewer->look, viewer->view->config, is_up, value))
        return;
    if (slider->first[0] == '\0')
        memcpy(slider->first, slider->value, VIEW_NAME);
    memcpy(slider->value, value, VIEW_NAME);
    if (strcmp(slider->value, slider->first) == 0)
        slider->first[0] = '\0';
    if (run_again(viewer, &diag) != ERR_OK) {
        *slider = before;
        say(viewer, diag.text);
        return;
    }
    snprintf(message, sizeof message, "%.31s = %.31s: the same instruction commits in cycle %llu; "
             "before it was %llu (%+lld)", slider->key, slider->value,
             (unsigned long long)viewer->model.now, (unsigned long long)cycles,
             (long long)(viewer->model.now - cycles));
    say(viewer, message);
}

static bool setting_key(struct viewer *viewer, int key)
{
    struct scene_look *look = &viewer->look;

    switch (key) {
    case PRESS_UPWARDS: look->slider = look->slider != 0 ? look->slider - 1 : 0; return true;
    case PRESS_DOWNWARDS:
        look->slider = look->slider + 1 < look->sliders ? look->slider + 1 : look->slider;
        return true;
    case PRESS_LEFTWARDS: change_setting(viewer, false); return true;
    case PRESS_RIGHTWARDS: change_setting(viewer, true); return true;
    case PRESS_ESCAPE: look->has_sliders = false; return true;
    default: return false;
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void save(struct viewer *viewer, const char *suffix)
{
    char path[VIEW_NAME + 32], message[VIEW_WHY];
    struct diag diag = {""};

    snprintf(path, sizeof path, "view-%llu%s", (unsigned long long)viewer->model.now, suffix);
    if (view_write(&viewer->model, &viewer->look,
                   (struct files_shape){.is_light = viewer->is_light}, viewer->view->scale, path,
                   &diag) == ERR_OK)
        snprintf(message, sizeof message, "saved as %s", path);
    else
        snprintf(message, sizeof message, "%.*s", VIEW_WHY - 1, diag.text);
    say(viewer, message);
}

static void choose(struct viewer *viewer, int by)
{
    int row = scene_chosen(&viewer->model, &viewer->look) + by;

    if (row >= 0 && row < (int)viewer->model.rows)
        viewer->look.chosen = viewer->model.row[row].id;
}

static void show_prompt(struct viewer *viewer)
{
    char message[VIEW_WHY];

    snprintf(message, sizeof message, "go to cycle: %s_", viewer->prompt);
    say(viewer, message);
}

static void prompt_key(struct viewer *viewer, int key)
{
    size_t length = strlen(viewer->prompt);

    if (key >= '0' && key <= '9' && length + 1 < PROMPT) {
        viewer->prompt[length] = (char)key;
        viewer->prompt[length + 1] = '\0';
    } else if (key == PRESS_ERASE && length != 0) {
        viewer->prompt[length - 1] = '\0';
    } else if (key == PRESS_ENTER || key == PRESS_ESCAPE) {
        viewer->has_prompt = false;
        viewer->look.message[0] = '\0';
        if (key == PRESS_ENTER && length != 0)
            command(viewer, VIEW_GO, VIEW_UNTIL_CYCLE, strtoull(viewer->prompt, NULL, 10));
        return;
    }
    show_prompt(viewer);
}

/* A small letter goes forward, a capital letter back. */
static bool step_key(struct viewer *viewer, int key)
{
    static const struct { char key; enum view_until until; } keys[] = {
        {'i', VIEW_UNTIL_INSN}, {'l', VIEW_UNTIL_LINE}, {'m', VIEW_UNTIL_MARK},
        {'t', VIEW_UNTIL_INTERRUPT}, {'b', VIEW_UNTIL_MISPREDICTION},
    };

    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].key == key || keys[i].key == key + ('a' - 'A')) {
            command(viewer, keys[i].key == key ? VIEW_FORWARD : VIEW_BACK, keys[i].until, 1);
            return true;
        }
    return false;
}

static bool move_key(struct viewer *viewer, int key)
{
    struct scene_look *look = &viewer->look;

    switch (key) {
    case PRESS_RIGHTWARDS: command(viewer, VIEW_FORWARD, VIEW_UNTIL_CYCLE, 1); break;
    case PRESS_LEFTWARDS: command(viewer, VIEW_BACK, VIEW_UNTIL_CYCLE, 1); break;
    case PRESS_TO_START: command(viewer, VIEW_GO, VIEW_UNTIL_CYCLE, 0); break;
    case PRESS_TO_END:
    case 'e': command(viewer, VIEW_FORWARD, VIEW_UNTIL_END, 0); break;
    case PRESS_UPWARDS: choose(viewer, -1); break;
    case PRESS_DOWNWARDS: choose(viewer, 1); break;
    case PRESS_PAGE_UP: look->up -= PAGE_ROWS; break;
    case PRESS_PAGE_DOWN: look->up += PAGE_ROWS; break;
    case '<': look->back += PAGE_ROWS; break;
    case '>': look->back = look->back > PAGE_ROWS ? look->back - PAGE_ROWS : 0; break;
    default: return step_key(viewer, key);
    }
    return true;
}

static void change_look(struct viewer *viewer, int key)
{
    struct scene_look *look = &viewer->look;
    unsigned cells = look->cycle_cells != 0 ? look->cycle_cells : 2;

    switch (key) {
    case '+': look->cycle_cells = cells < 12 ? cells + 1 : cells; break;
    case '-': look->cycle_cells = cells > 1 ? cells - 1 : cells; break;
    case 'a': look->chosen = 0; break;
    case 'd': viewer->is_light = !viewer->is_light; break;
    case 'o': look->has_sliders = !look->has_sliders; break;
    case PRESS_TABULATOR: look->page = (enum scene_page)((look->page + 1) % PAGE_COUNT); break;
    case '?': look->has_help = true; break;
    case 's': save(viewer, ".svg"); break;
    case 'S': save(viewer, ".png"); break;
    case 'g':
        viewer->has_prompt = true;
        viewer->prompt[0] = '\0';
        show_prompt(viewer);
        break;
    case 'h':
        viewer->hart = (viewer->hart + 1) % viewer->model.harts;
        command(viewer, VIEW_SHOW, VIEW_UNTIL_CYCLE, 0);
        break;
    case ' ': viewer->is_running = true; break;
    default: break;
    }
}

static void handle(struct viewer *viewer, int key)
{
    bool is_end = key == 'q' || key == PRESS_CLOSED;

    if (key == PRESS_NOTHING || key == PRESS_RESIZED || key == PRESS_POINT)
        return;
    if (viewer->has_prompt && !is_end) {
        prompt_key(viewer, key);
        return;
    }
    viewer->look.message[0] = '\0';
    if (viewer->look.has_help || viewer->is_running)
        viewer->look.has_help = viewer->is_running = false;
    else if (!(viewer->look.has_sliders && setting_key(viewer, key)) && !move_key(viewer, key))
        change_look(viewer, key);
    viewer->is_over |= is_end;
    viewer->look.state = viewer->is_running ? "running" : NULL;
}

/* A click selects the instruction. */
static void point(struct viewer *viewer, double x, double y)
{
    struct draw draw = viewer->module->begin(viewer->screen, viewer->is_light);
    int row = scene_row_at(&viewer->model, &viewer->look, &draw, x, y);

    if (row >= 0)
        viewer->look.chosen = viewer->model.row[row].id;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void converse(struct viewer *viewer)
{
    bool is_old = true;

    while (!viewer->is_over) {
        struct module_event event;

        if (is_old)
            paint(viewer);
        event = viewer->module->event(viewer->screen, viewer->is_running ? 0 : LONG_WAIT);
        if (event.key == PRESS_POINT)
            point(viewer, event.x, event.y);
        handle(viewer, event.key);
        if (viewer->is_running && !viewer->is_over)
            run_on(viewer);
        is_old = event.key != PRESS_NOTHING || viewer->is_running;
        look_for_signal(viewer);
    }
}

static enum err open_screen(struct viewer *viewer, const char *name, void **handle,
                            struct diag *diag)
{
    const struct view *view = viewer->view;
    struct module_wish wish = {.width = view->shape.width, .height = view->shape.height,
                               .scale = view->scale, .title = "rvsim view"};
    char why[MODULE_WHY] = "";
    enum err err = modules_open(name, &viewer->module, handle, diag);

    if (err != ERR_OK)
        return err;
    modules_theme(&wish);
    viewer->screen = viewer->module->open(&wish, why);
    return viewer->screen != NULL ? ERR_OK : diag_set(diag, ERR_USAGE, "view: %s", why);
}

enum err view_show(const struct view *view, const char *module, int *ended_by, struct diag *diag)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);
    struct view_command first;
    void *handle = NULL;
    enum err err;

    if (viewer == NULL)
        return diag_no_memory(diag, "the view");
    viewer->view = view;
    viewer->hart = view->hart;
    viewer->is_light = view->shape.is_light;
    settings_open(&viewer->look, view->config);
    err = client_open(&viewer->client, view->start, view->arg, (const char *[]){NULL}, diag);
    if (err == ERR_OK)
        err = view_first(view, &viewer->client.link->model, &first, diag);
    if (err == ERR_OK)
        stop_signals_hold(&viewer->signals);
    if (err == ERR_OK)
        err = open_screen(viewer, module, &handle, diag);
    if (err == ERR_OK) {
        take_model(viewer);
        client_ask(&viewer->client, &first);
        wait_for_machine(viewer);
        converse(viewer);
        viewer->module->close(viewer->screen);
        if (viewer->is_lost)
            err = diag_set(diag, ERR_INTERNAL, "view: the machine's process has ended");
    }
    client_close(&viewer->client);
    modules_close(handle);
    *ended_by = viewer->ended_by;
    free(viewer);
    return err;
}
