/* The view of a program's run, for the command line: a picture of one cycle, or a window or
 * terminal in which somebody steps through it. */
#ifndef SIM_VIEW_VIEW_H
#define SIM_VIEW_VIEW_H

#include "sim/base/config.h"
#include "sim/view/client.h"
#include "sim/view/files.h"

struct view {
    client_starter *start;          /* makes the machine */
    void *arg;
    const char *machine;            /* its name */
    const struct config *config;    /* whose settings are shown */
    unsigned hart;
    uint64_t cycle, insn;           /* where to go first: this cycle; else, when not 0, where so
                                       many instructions have committed */
    struct files_shape shape;       /* 0: as the screen, else 160 by 48 cells */
    double scale;                   /* of pixels; 0: as the screen */
};

/* Writes the picture; its kind is what the file's name ends with: .svg, .png, .txt or .json. */
enum err view_save(const struct view *view, const char *path, struct diag *diag);
/* Whether a picture can have that name. */
enum err view_check_name(const char *path, struct diag *diag);
/* module: "sdl" or "tui". Returns when the viewer leaves. */
enum err view_show(const struct view *view, const char *module, struct diag *diag);

#endif
