/* The layout of a picture; see scene.h. */
#include "sim/view/scene.h"

#include <stdio.h>
#include <string.h>

#include "sim/view/scene_internal.h"

enum { SIDE = 46, WIDE = 120, HIGH = 34, NARROW = 90 };

#define PAGE(id, name) name,
static const char *const page_name[] = {SCENE_PAGES(PAGE)};
#undef PAGE

static void draw_title(const struct scene *scene)
{
    const struct view_model *model = scene->model;
    const struct draw *draw = scene->draw;
    uint64_t cycles = model->now - model->first_cycle;
    uint64_t insns = model->insns - (model->harts == 1 ? model->first_insn : 0);
    char now[DRAW_NUMBER], committed[DRAW_NUMBER], hart[32] = "";

    if (model->harts > 1)
        snprintf(hart, sizeof hart, "   hart %u of %u", model->hart, model->harts);
    draw_box(draw, 0, 0, draw->width, 1, TINT_STRIPE);
    draw_text(draw, 1, 0, draw->width - 2, TINT_INK,
              draw->width < NARROW ? "%s on %s%s  cycle %s  insns %s  IPC %.2f  %s%s"
                                   : "%s on %s%s   cycle %s   instructions %s   IPC %.2f   %s%s",
              model->program,
              model->machine, hart, draw_number(model->now, now),
              draw_number(model->insns, committed),
              cycles != 0 ? (double)insns / (double)cycles : 0.0,
              model->of[model->hart].place,
              model->has_ended ? "   (ended)" : "");
    if (scene->look->state != NULL && draw->width > 100)
        draw_text(draw, draw->width - 12, 0, 11, TINT_ORANGE, "%s", scene->look->state);
}

/* Removes the last clause of a sentence that is too long for the row. */
static void shorten(char text[VIEW_WHY], double width)
{
    static const char *const clause[] = {", which ", ": it was "};

    for (unsigned i = 0; i < sizeof clause / sizeof clause[0]; i++) {
        char *at = strstr(text, clause[i]);

        if (at != NULL && (double)strlen(text) > width)
            memcpy(at, ".", 2);
    }
}

/* The last two rows: a sentence, and the keys to press. */
static void draw_foot(const struct scene *scene)
{
    const struct view_model *model = scene->model;
    const struct scene_look *look = scene->look;
    const struct draw *draw = scene->draw;
    int chosen = scene_chosen(model, look);
    char why[VIEW_WHY] = "";

    if (chosen >= 0)
        view_explain(model, (size_t)chosen, why);
    shorten(why, draw->width - 2);
    draw_text(draw, 1, draw->height - 2, draw->width - 2, TINT_ORANGE, "%s",
              look->message[0] != '\0' ? look->message
              : model->has_ended       ? model->end
                                       : why);
    if (look->is_still)
        return;
    draw_text(draw, 1, draw->height - 1, draw->width - 2, TINT_DIM,
              draw->width < 136 ? "? help  q quit  left/right cycle  i/I instruction  space run  "
                                  "Tab %s  o settings"
                                : "? help  q quit  left/right cycle  i/I instruction  l/L line  "
                                  "m/M mark  t/T interrupt  b/B misprediction  space run  "
                                  "Tab %s  o settings",
              page_name[(look->page + 1) % PAGE_COUNT]);
}

static bool has_room_for_all(const struct draw *draw)
{
    return draw->width >= WIDE && draw->height >= HIGH;
}

static double rows_of_maps(const struct draw *draw)
{
    return draw->height > 46 ? 12 : 8;
}

/* The area of the pipeline in a picture with all parts. */
static struct area pipeline_area(const struct draw *draw)
{
    return (struct area){0, 1, draw->width - SIDE, draw->height - 3 - rows_of_maps(draw) - 0.25};
}

/* Draws every part in its place. */
static void draw_all(const struct scene *scene, double bottom)
{
    double width = scene->draw->width - SIDE, side = width + 0.5, y = 1;
    double maps = rows_of_maps(scene->draw), rest;
    double most = scene->draw->height > 46 ? 17 : 14;
    unsigned harts = scene->model->harts > 4 ? 5 : scene->model->harts + 1;
    bool has_room;
    double queues = scene->model->places + 1, gap = scene->draw->is_text ? 0 : 0.25;

    scene_pipeline(scene, pipeline_area(scene->draw));
    scene_maps(scene, (struct area){0, bottom - maps, width, maps});
    queues = queues < most ? queues : most;
    rest = bottom - 1;
#define SIDE_PART(part, rows)                                                                      \
    do {                                                                                           \
        part(scene, (struct area){side, y, SIDE - 0.5, (rows)});                                   \
        y += (rows) + gap;                                                                         \
        rest -= (rows) + gap;                                                                      \
    } while (0)
    if (scene->look->has_sliders) {
        SIDE_PART(scene_sliders, scene->look->sliders + 1);
    } else {
        SIDE_PART(scene_source, 9);
    }
    SIDE_PART(scene_queues, queues);
    SIDE_PART(scene_predictor, 4);
    has_room = rest > 20;
    if (has_room || (harts > 2 && rest > 14)) {
        SIDE_PART(scene_harts, harts);
    }
    if (has_room || (scene->model->marks != 0 && rest > 8)) {
        SIDE_PART(scene_marks, scene->model->marks > 3 && rest > 14 ? 5 : 3);
    }
    if (has_room) {
        SIDE_PART(scene_output, 4);
    }
    SIDE_PART(scene_counters, rest);
#undef SIDE_PART
}

static void draw_page(const struct scene *scene, struct area area)
{
    double half = (double)(long)(area.width / 2), upper = (double)(long)(area.height / 2);

    switch (scene->look->has_sliders ? PAGE_COUNT : scene->look->page) {
    case PAGE_CODE:
        if (scene->model->source_lines == 0) {
            scene_code(scene, area);
            break;
        }
        scene_source(scene, (struct area){area.x, area.y, half, area.height});
        scene_code(scene, (struct area){area.x + half, area.y, area.width - half, area.height});
        break;
    case PAGE_QUEUES:
        scene_queues(scene, (struct area){area.x, area.y, area.width, upper});
        scene_predictor(scene, (struct area){area.x, area.y + upper, area.width,
                                             area.height - upper});
        break;
    case PAGE_CACHES:
        scene_maps(scene, area);
        break;
    case PAGE_COUNTERS:
        scene_counters(scene, area);
        break;
    case PAGE_HARTS:
        scene_harts(scene, (struct area){area.x, area.y, area.width, upper});
        scene_marks(scene, (struct area){area.x, area.y + upper, half, area.height - upper});
        scene_output(scene, (struct area){area.x + half, area.y + upper, area.width - half,
                                          area.height - upper});
        break;
    case PAGE_COUNT:
        scene_pipeline(scene, (struct area){area.x, area.y, area.width,
                                            area.height - scene->look->sliders - 1});
        scene_sliders(scene, (struct area){area.x,
                                           area.y + area.height - scene->look->sliders - 1,
                                           area.width, scene->look->sliders + 1});
        break;
    default:
        scene_pipeline(scene, area);
        break;
    }
}

int scene_row_at(const struct view_model *model, const struct scene_look *look,
                 const struct draw *draw, double x, double y)
{
    const struct scene scene = {model, look, draw};
    struct area whole = {0, 1, draw->width, draw->height - 3};
    bool is_part = has_room_for_all(draw) && look->page == PAGE_PIPELINE;
    struct area area = is_part ? pipeline_area(draw) : whole;

    if (look->page != PAGE_PIPELINE || x > area.x + area.width || y > area.y + area.height)
        return -1;
    return scene_pipeline_row(&scene, area, y);
}

void scene_draw(const struct view_model *model, const struct scene_look *look,
                const struct draw *draw)
{
    const struct scene scene = {model, look, draw};
    double bottom = draw->height - 2;

    draw_box(draw, 0, 0, draw->width, draw->height, TINT_BACK);
    draw_title(&scene);
    if (has_room_for_all(draw) && look->page == PAGE_PIPELINE)
        draw_all(&scene, bottom);
    else
        draw_page(&scene, (struct area){0, 1, draw->width, bottom - 1});
    draw_foot(&scene);
    if (look->has_help)
        scene_help(&scene, (struct area){2, 2, draw->width - 4, bottom - 3});
}

/* ---- help ------------------------------------------------------------------------------------ */

void scene_help(const struct scene *scene, struct area area)
{
    static const char *const text[] = {
        "Each row is an instruction, each column a cycle, the newest at right.",
        "Two letters and a colour name the stage that the instruction was in:",
        "  F fetched, or in the buffer         Dc decoded     Rn renamed",
        "  Ds waits for operands or a unit     X executes     grey: squashed",
        "  Cm done, waits until all older ones have committed",
        "The sentence tells of '>'; yellow: what it awaits; '-': commits next.",
        "right  left   a cycle on, back            i  I   an instruction on, back",
        "l  L          a source line               m  M   a mark that counts",
        "t  T          an interrupt                b  B   a misprediction",
        "space         run; again: stop here       e      run to the end",
        "g             go to a cycle               Home   the start",
        "up  down      choose an instruction       a      let the view choose",
        "PgUp  PgDn    scroll rows                 <  >   scroll cycles",
        "h             the next hart               Tab    the next page",
        "+  -          width of a cycle            d      dark or light",
        "o             settings: up, down choose, left, right change the machine",
        "s  S          save as SVG, PNG            q      leave",
    };
    struct area inside = scene_panel(scene, area, "Help  (any key closes it)");

    draw_box(scene->draw, area.x, area.y, area.width, 1, TINT_BLUE);
    draw_text(scene->draw, area.x + 1, area.y, 40, TINT_LIGHT_INK, "Help  (any key closes it)");
    for (unsigned i = 0; i < sizeof text / sizeof text[0] && i < inside.height - 1; i++)
        draw_text(scene->draw, inside.x + 1, inside.y + 0.5 * !scene->draw->is_text + i,
                  inside.width - 2, TINT_INK, "%s", text[i]);
}
