/* Shared by the parts of a picture. */
#ifndef SIM_VIEW_SCENE_INTERNAL_H
#define SIM_VIEW_SCENE_INTERNAL_H

#include "sim/view/scene.h"

struct scene {
    const struct view_model *model;
    const struct scene_look *look;
    const struct draw *draw;
};

/* Part of a picture, in cells. */
struct area { double x, y, width, height; };

/* The area without some cells at each side; in a small terminal nothing is left, never less. */
struct area scene_inside(struct area area, double left, double top, double right, double bottom);
/* Draws the background of a part with its name; returns the rest of the area. */
struct area scene_panel(const struct scene *scene, struct area area, const char *name);

void scene_pipeline(const struct scene *scene, struct area area);
/* The row at a height of the picture, for a pipeline in that area. */
int scene_pipeline_row(const struct scene *scene, struct area area, double y);
void scene_code(const struct scene *scene, struct area area);
void scene_source(const struct scene *scene, struct area area);
void scene_queues(const struct scene *scene, struct area area);
void scene_predictor(const struct scene *scene, struct area area);
void scene_counters(const struct scene *scene, struct area area);
void scene_harts(const struct scene *scene, struct area area);
void scene_marks(const struct scene *scene, struct area area);
void scene_output(const struct scene *scene, struct area area);
void scene_maps(const struct scene *scene, struct area area);
void scene_sliders(const struct scene *scene, struct area area);
void scene_help(const struct scene *scene, struct area area);

#endif
