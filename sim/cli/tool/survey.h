/* A quick run before the others: which libraries and programs a program brings into memory, so that
 * a command can mark their code, too. */
#ifndef SIM_CLI_TOOL_SURVEY_H
#define SIM_CLI_TOOL_SURVEY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/err.h"

struct tool;
struct options;

struct survey {
    bool is_told;           /* the command counts code of the program and of `modules` files; it
                             * reports files that were loaded in addition (survey_tell) */
    size_t modules;
    bool runs;              /* the present run is the survey */
};

/* Runs the program in the fast engine, without its output, if it may load libraries or execute
 * programs under the guest kernel; the target then has them. Interrupted: tool->shows_nothing. */
enum err survey_make(struct tool *tool, struct diag *diag);
/* Changes the options of a run to those of the survey. */
void survey_change(struct options *options);
/* Reports on stderr the files whose code was not counted. */
void survey_tell(const struct tool *tool);

#endif
