/* The machine's side of a view: runs the machine as the viewer asks, forward and back. */
#ifndef SIM_VIEW_SERVE_H
#define SIM_VIEW_SERVE_H

#include "sim/view/link.h"

/* Runs the loaded machine until the viewer wants no more: this process may have ended then, or
 * another one have taken its place. output: of the program, a file that can be read. */
enum err serve_run(struct view_link *link, struct machine *machine, const struct target *target,
                   const struct limits *limits, FILE *output, struct diag *diag);

#endif
