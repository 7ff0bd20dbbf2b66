/* Costs of the calls of a program that rvsim api runs. */
#ifndef SIM_CLI_API_RUN_H
#define SIM_CLI_API_RUN_H

#include "prof/api/api.h"
#include "sim/cli/api_modules.h"
#include "sim/cli/tool.h"

/* Are the events of --event such as happen to instructions? */
enum err api_run_check(const struct command_line *line, struct diag *diag);

/* Two runs. In the first, on the fast engine, each allocation is charged to the functions on the
 * stack, and every stack is seen. In the second each call of a routine is timed. Both watch the
 * simulated machine from outside: no cycle of the program's is spent on it, so that routines that
 * stand on one stack do not disturb each other in one run. Each event that was asked for has a run
 * more, in which the call tree is charged with it in place of cycles. */
struct api_run_sizes { uint64_t instructions, cycles; };     /* of the two runs */
/* modules: gets the functions of those that were asked for. */
enum err api_run(struct api *api, struct tool *tool, struct api_run_sizes *sizes,
                 struct api_modules *modules, struct diag *diag);

#endif
