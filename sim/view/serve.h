/* The machine's side of a view: runs the machine as the viewer asks, forward and back. */
#ifndef SIM_VIEW_SERVE_H
#define SIM_VIEW_SERVE_H

#include "sim/view/link.h"

/* Runs the loaded machine until the viewer leaves. This process may have ended then, or been
 * replaced by another. output: of the program, a file that can be read. */
enum err serve_run(struct view_link *link, struct machine *machine, const struct target *target,
                   const struct limits *limits, FILE *output, struct diag *diag);

#endif
