/* Pictures as files; see view.h. */
#include "sim/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/output.h"
#include "sim/view/modules.h"
#include "sim/view/view_internal.h"

enum { WIDTH = 160, HEIGHT = 48 };

enum kind { KIND_SVG, KIND_PNG, KIND_TEXT, KIND_JSON, KINDS };
static const char *const suffix[KINDS] = {".svg", ".png", ".txt", ".json"};

static enum kind kind_of(const char *path)
{
    size_t length = strlen(path);
    unsigned kind = 0;

    while (kind < KINDS && (length <= strlen(suffix[kind]) ||
                            strcmp(path + length - strlen(suffix[kind]), suffix[kind]) != 0))
        kind++;
    return (enum kind)kind;
}

enum err view_check_name(const char *path, struct diag *diag)
{
    if (kind_of(path) == KINDS)
        return diag_set(diag, ERR_USAGE, "view: --save %s: expected a file that ends with .svg, "
                        ".png, .txt or .json", path);
    return output_check(path, diag);
}

static enum err write_png(const struct view_model *model, const struct scene_look *look,
                          const struct files_shape *shape, double scale, FILE *out,
                          struct diag *diag)
{
    struct module_wish wish = {.width = shape->width, .height = shape->height, .scale = scale};
    const struct module *module;
    char why[MODULE_WHY] = "";
    void *handle = NULL, *self;
    enum err err = modules_open("png", &module, &handle, diag);

    if (err != ERR_OK)
        return err;
    modules_theme(&wish);
    self = module->open(&wish, why);
    if (self == NULL) {
        err = diag_set(diag, ERR_USAGE, "view: %s", why);
    } else {
        struct draw draw = module->begin(self, shape->is_light);

        scene_draw(model, look, &draw);
        if (!module->write(self, out))
            err = diag_set(diag, ERR_IO, "view: the picture could not be written");
        module->close(self);
    }
    modules_close(handle);
    return err;
}

enum err view_write(const struct view_model *model, const struct scene_look *look,
                    struct files_shape shape, double scale, const char *path, struct diag *diag)
{
    struct scene_look still = *look;
    struct output output;
    enum err err = output_open(&output, path, diag), closed;

    if (err != ERR_OK)
        return err;
    shape.width = shape.width != 0 ? shape.width : WIDTH;
    shape.height = shape.height != 0 ? shape.height : HEIGHT;
    still.is_still = true;
    still.has_help = false;
    still.state = NULL;
    switch (kind_of(path)) {
    case KIND_SVG: err = files_svg(model, &still, shape, output.file, diag); break;
    case KIND_TEXT: err = files_text(model, &still, shape, output.file, diag); break;
    case KIND_JSON: err = files_json(model, output.file, diag); break;
    default: err = write_png(model, &still, &shape, scale, output.file, diag); break;
    }
    closed = output_close(&output, err == ERR_OK, err == ERR_OK ? diag : NULL);
    return err == ERR_OK ? closed : err;
}

enum err view_first(const struct view *view, const struct view_model *model,
                    struct view_command *command, struct diag *diag)
{
    *command = (struct view_command){.verb = VIEW_SHOW, .hart = view->hart};
    if (view->hart >= model->harts)
        return diag_set(diag, ERR_USAGE, "view: --hart %u: expected a number below %u",
                        view->hart, model->harts);
    if (view->cycle != 0) {
        command->verb = VIEW_GO;
        command->count = view->cycle;
    } else if (view->insn > model->insns) {
        command->verb = VIEW_FORWARD;
        command->until = VIEW_UNTIL_INSN;
        command->count = view->insn - model->insns;
    }
    return ERR_OK;
}

/* Refuses a picture of another place than the requested one. */
static enum err check_place(const struct view *view, const struct view_model *model,
                            struct diag *diag)
{
    bool is_short = model->has_ended && (model->now < view->cycle || model->insns < view->insn);

    if (!is_short)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "view: the run ended before, after %llu cycles and %llu "
                    "instructions: %s", (unsigned long long)model->now,
                    (unsigned long long)model->insns, model->end);
}

enum err view_save(const struct view *view, const char *path, struct diag *diag)
{
    const struct scene_look look = {.is_still = true};
    struct view_command first;
    struct client client;
    enum err err = client_open(&client, view->start, view->arg, (const char *[]){NULL}, diag);

    if (err != ERR_OK)
        return err;
    err = view_first(view, &client.link->model, &first, diag);
    if (err == ERR_OK)
        err = client_do(&client, &first, diag);
    if (err == ERR_OK)
        err = check_place(view, &client.link->model, diag);
    snprintf(client.link->model.machine, VIEW_NAME, "%.*s", VIEW_NAME - 1, view->machine);
    if (err == ERR_OK)
        err = view_write(&client.link->model, &look, view->shape, view->scale, path, diag);
    client_close(&client);
    return err;
}
