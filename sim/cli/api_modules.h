/* Functions of some modules: of the program, of libraries that it loads. */
#ifndef SIM_CLI_API_MODULES_H
#define SIM_CLI_API_MODULES_H

#include "prof/records/names.h"
#include "sim/cli/commands.h"
#include "sim/host/target.h"

/* function: those that were seen in a module of --module; module: all that were loaded. */
struct api_modules { const struct command_line *line; struct names function, module; };

/* Whether --module was given. */
bool api_modules_are_asked(const struct command_line *line);
/* A routine that the run has come to, and its name. */
enum err api_modules_see(struct api_modules *modules, const struct target *target,
                         uint64_t routine, const char *name, struct diag *diag);
/* ERR_USAGE: a module was asked for that was not loaded. */
enum err api_modules_check(const struct api_modules *modules, struct diag *diag);
void api_modules_free(struct api_modules *modules);

#endif
