/* The limits of rvsim hang. */
#ifndef SIM_CLI_COMMAND_HANG_HANG_LIMITS_H
#define SIM_CLI_COMMAND_HANG_HANG_LIMITS_H

#include "prof/hang/hang.h"
#include "sim/cli/tool/tool.h"

/* Sets hang->limit from the options, and from the control file for `program`, which changes and
 * adds limits, if --control names a service (U6). */
enum err hang_limits_read(struct hang *hang, const struct tool *tool, const char *program,
                          struct diag *diag);

#endif
