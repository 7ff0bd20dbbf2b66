/* Finding modules. */
#ifndef SIM_VIEW_MODULES_H
#define SIM_VIEW_MODULES_H

#include "sim/base/err.h"
#include "sim/view/module.h"

/* name: "sdl", "tui", "png". *handle is for modules_close. ERR_USAGE: the simulator was built
 * without it, and diag names the package. */
enum err modules_open(const char *name, const struct module **module, void **handle,
                      struct diag *diag);
void modules_close(void *handle);
/* The themes, into the wish. */
void modules_theme(struct module_wish *wish);

#endif
