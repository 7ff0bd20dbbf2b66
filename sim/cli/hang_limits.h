/* The limits of rvsim hang. */
#ifndef SIM_CLI_HANG_LIMITS_H
#define SIM_CLI_HANG_LIMITS_H

#include "prof/hang/hang.h"
#include "sim/cli/tool.h"

/* hang->limit: those of the options, as the control file that a service has for `program` changes
 * and adds to them, if --control names a service (U6). */
enum err hang_limits_read(struct hang *hang, const struct tool *tool, const char *program,
                          struct diag *diag);

#endif
