/* Restriction to functions of some modules: the program, or libraries that it loads. */
#ifndef SIM_CLI_COMMAND_API_API_MODULES_H
#define SIM_CLI_COMMAND_API_API_MODULES_H

#include "prof/records/names.h"
#include "sim/cli/command/commands.h"
#include "sim/host/target.h"

/* function: functions seen in a module of --module; module: all loaded modules. */
struct api_modules { const struct command_line *line; struct names function, module; };

/* True if --module was given. */
bool api_modules_are_asked(const struct command_line *line);
/* Notes a routine that the run has entered, and its name. */
enum err api_modules_see(struct api_modules *modules, const struct target *target,
                         uint64_t routine, const char *name, struct diag *diag);
/* ERR_USAGE: a module of --module was not loaded. */
enum err api_modules_check(const struct api_modules *modules, struct diag *diag);
void api_modules_free(struct api_modules *modules);

#endif
