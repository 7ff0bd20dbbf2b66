/* Costs of the calls of a program that rvsim api runs. */
#ifndef SIM_CLI_COMMAND_API_API_RUN_H
#define SIM_CLI_COMMAND_API_API_RUN_H

#include "prof/api/api.h"
#include "sim/cli/command/api/api_modules.h"
#include "sim/cli/tool/tool.h"

/* Checks that the events of --event belong to instructions. */
enum err api_run_check(const struct command_line *line, struct diag *diag);

/* Two runs. In the first, on the fast engine, each allocation is charged to the functions on the
 * stack, and every stack is seen. In the second each call of a routine is timed. Both observe the
 * simulated machine from outside at no cost to the program, so that routines on one stack do not
 * disturb each other. Each event of --event has a further run, in which the call tree is charged
 * with the event in place of cycles. */
struct api_run_sizes { uint64_t instructions, cycles; };     /* of the two runs */
/* modules: restricts the functions, and receives them. */
enum err api_run(struct api *api, struct tool *tool, struct api_run_sizes *sizes,
                 struct api_modules *modules, struct diag *diag);

#endif
