/* Shared by the parts of the viewer. */
#ifndef SIM_VIEW_VIEW_INTERNAL_H
#define SIM_VIEW_VIEW_INTERNAL_H

#include "sim/view/view.h"

enum err view_write(const struct view_model *model, const struct scene_look *look,
                    struct files_shape shape, double scale, const char *path, struct diag *diag);
/* The command that leads from the machine's start to the view's first position. */
enum err view_first(const struct view *view, const struct view_model *model,
                    struct view_command *command, struct diag *diag);

/* ---- settings -------------------------------------------------------------------------------- */

enum { SETTING_TEXT = 2 * VIEW_NAME };

/* Sets the sliders to the machine's settings. */
void settings_open(struct scene_look *look, const struct config *config);
/* The next value of the selected slider, up or down, in `value`. False: there is none. */
bool settings_next(const struct scene_look *look, const struct config *config, bool is_up,
                   char value[VIEW_NAME]);
/* The changed settings as "KEY=VALUE"; NULL at the end. */
void settings_changed(const struct scene_look *look, char text[SCENE_SLIDERS][SETTING_TEXT],
                      const char *set[SCENE_SLIDERS + 1]);

#endif
