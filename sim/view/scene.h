/* The picture of a model: drawn by the same code on every back end. */
#ifndef SIM_VIEW_SCENE_H
#define SIM_VIEW_SCENE_H

#include "sim/view/draw.h"
#include "sim/view/model.h"

/* A machine setting that the viewer can change. */
enum { SCENE_SLIDERS = 14 };
struct scene_slider { char key[VIEW_NAME], value[VIEW_NAME], first[VIEW_NAME]; };

/* PAGE(id, name): the pages of a picture that is too small for all parts. */
#define SCENE_PAGES(PAGE)                                                                          \
    PAGE(PIPELINE, "pipeline") PAGE(CODE, "code") PAGE(QUEUES, "queues")                           \
    PAGE(CACHES, "caches") PAGE(COUNTERS, "counters") PAGE(HARTS, "harts")
#define PAGE(id, name) PAGE_##id,
enum scene_page { SCENE_PAGES(PAGE) PAGE_COUNT };
#undef PAGE

/* The viewer's selections. */
struct scene_look {
    enum scene_page page;
    uint64_t chosen;                /* id of an instruction; 0: the first waiting instruction, or
                                     * the oldest */
    int up, back;                   /* rows and cycles by which the pipeline is scrolled */
    unsigned cycle_cells;           /* width of a cycle; 0: automatic */
    bool has_help, has_sliders, is_still;   /* is_still: for a file, without keys */
    unsigned slider;                /* index of the selected slider */
    unsigned sliders;
    struct scene_slider setting[SCENE_SLIDERS];
    char message[VIEW_WHY];         /* in place of the explanation */
    const char *state;              /* "running" */
};

void scene_draw(const struct view_model *model, const struct scene_look *look,
                const struct draw *draw);
/* The row of the instruction at a position of the picture; -1: none. */
int scene_row_at(const struct view_model *model, const struct scene_look *look,
                 const struct draw *draw, double x, double y);
/* The row of the selected instruction; -1: none. */
int scene_chosen(const struct view_model *model, const struct scene_look *look);

#endif
