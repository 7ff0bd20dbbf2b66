/* rvsim meta convert. */
#ifndef SIM_CLI_COMMAND_META_META_CONVERT_H
#define SIM_CLI_COMMAND_META_META_CONVERT_H

#include "sim/cli/command/commands.h"

/* "convert app.elf": the metadata of the program as text. "convert FILE.meta ... app.elf" with
 * --output: the program with that metadata added. Returns the exit status. */
int meta_convert(const struct command_line *line);

#endif
