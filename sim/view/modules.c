/* See modules.h. */
#include "sim/view/modules.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "sim/host/paths.h"

static const char *package_of(const char *name)
{
    return strcmp(name, "sdl") == 0   ? "libsdl2-dev, libfreetype-dev and fonts-dejavu-core"
           : strcmp(name, "tui") == 0 ? "libncurses-dev"
                                      : "libfreetype-dev and fonts-dejavu-core";
}

enum err modules_open(const char *name, const struct module **module, void **handle,
                      struct diag *diag)
{
    char path[PATHS_MAX];

    paths_view(path, name);
    if (access(path, R_OK) != 0)
        return diag_set(diag, ERR_USAGE, "view: this rvsim was built without its module \"%s\"; "
                        "install %s and build it again", name, package_of(name));
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle == NULL)
        return diag_set(diag, ERR_USAGE, "view: %s", dlerror());
    *module = (const struct module *)dlsym(*handle, MODULE_SYMBOL);
    if (*module != NULL)
        return ERR_OK;
    dlclose(*handle);
    return diag_set(diag, ERR_USAGE, "%s: not a module of this rvsim", path);
}

void modules_close(void *handle)
{
    if (handle != NULL)
        dlclose(handle);
}

void modules_theme(struct module_wish *wish)
{
    for (unsigned light = 0; light < 2; light++)
        for (unsigned i = 0; i < TINT_COUNT; i++)
            wish->rgb[light][i] = draw_rgb((enum tint)i, light != 0);
}
