/* Pictures as files: SVG, text, and the model as JSON. PNG needs a module (module.h). */
#ifndef SIM_VIEW_FILES_H
#define SIM_VIEW_FILES_H

#include <stdio.h>

#include "sim/base/err.h"
#include "sim/view/scene.h"

/* width, height: cells. */
struct files_shape { unsigned width, height; bool is_light; };

enum err files_svg(const struct view_model *model, const struct scene_look *look,
                   struct files_shape shape, FILE *out, struct diag *diag);
enum err files_text(const struct view_model *model, const struct scene_look *look,
                    struct files_shape shape, FILE *out, struct diag *diag);
enum err files_json(const struct view_model *model, FILE *out, struct diag *diag);

#endif
