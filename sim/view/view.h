/* The view of a program's run, for the command line: a picture of one cycle, or a window or
 * terminal for stepping through it. */
#ifndef SIM_VIEW_VIEW_H
#define SIM_VIEW_VIEW_H

#include "sim/base/config.h"
#include "sim/view/client.h"
#include "sim/view/files.h"

struct view {
    client_starter *start;          /* makes the machine */
    void *arg;
    const char *machine;            /* its name */
    const struct config *config;    /* the machine's settings */
    unsigned hart;
    uint64_t cycle, insn;           /* first position: this cycle; or, if `insn` is not 0, the cycle
                                     * after that many commits */
    struct files_shape shape;       /* 0: the size of the screen, else 160 by 48 cells */
    double scale;                   /* of pixels; 0: chosen by the screen */
};

/* Writes the picture in the format of the file's suffix: .svg, .png, .txt or .json. */
enum err view_save(const struct view *view, const char *path, struct diag *diag);
/* Checks the suffix of a picture's name. */
enum err view_check_name(const char *path, struct diag *diag);
/* module: "sdl" or "tui". Returns when the viewer leaves, or when SIGINT, SIGTERM or SIGHUP asks
 * for it, whose number is then in *ended_by. These signals stay blocked. */
enum err view_show(const struct view *view, const char *module, int *ended_by, struct diag *diag);

#endif
