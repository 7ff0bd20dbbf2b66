/* See api_modules.h. A module's name is that of its file, without the path. */
#include "sim/cli/command/api/api_modules.h"

#include <string.h>

bool api_modules_are_asked(const struct command_line *line)
{
    return command_value(line, OPT_API_MODULE) != NULL;
}

static bool is_asked(const struct command_line *line, const char *name)
{
    for (unsigned i = 0; i < line->options; i++)
        if (line->option[i].id == OPT_API_MODULE && strcmp(line->option[i].value, name) == 0)
            return true;
    return false;
}

static const char *name_of(const struct image *image)
{
    return image->path != NULL ? symbols_base_name(image->path) : NULL;
}

/* The file that contains a routine; NULL: unknown. */
static const struct image *image_of(const struct target *target, uint64_t routine)
{
    if (image_segment_at(&target->image, routine) != NULL)
        return &target->image;
    for (size_t i = 0; i < target->modules; i++)
        if (image_segment_at(&target->module[i]->image, routine) != NULL)
            return &target->module[i]->image;
    return NULL;
}

enum err api_modules_see(struct api_modules *modules, const struct target *target,
                         uint64_t routine, const char *name, struct diag *diag)
{
    const struct image *image;
    uint32_t number;
    enum err err;

    if (!api_modules_are_asked(modules->line) ||
        names_find(&modules->function, name) != NAMES_NONE)
        return ERR_OK;
    image = image_of(target, routine);
    if (image == NULL || name_of(image) == NULL)
        return ERR_OK;
    err = names_add(&modules->module, name_of(image), &number, diag);
    if (err == ERR_OK && is_asked(modules->line, name_of(image)))
        err = names_add(&modules->function, name, &number, diag);
    return err;
}

enum err api_modules_check(const struct api_modules *modules, struct diag *diag)
{
    for (unsigned i = 0; i < modules->line->options; i++) {
        const char *name = modules->line->option[i].value;
        struct names_walk walk = {&modules->module, 0};

        if (modules->line->option[i].id != OPT_API_MODULE ||
            names_find(&modules->module, name) != NAMES_NONE)
            continue;
        diag_set(diag, ERR_USAGE, "api: --module %s: the program ran no code of a file of that "
                 "name", name);
        return diag_suggest(diag, ERR_USAGE, name, names_next, &walk);
    }
    return ERR_OK;
}

void api_modules_free(struct api_modules *modules)
{
    names_free(&modules->function);
    names_free(&modules->module);
}
