/* Where the files that come with the simulator are: beside the executable (build tree), else in the
 * installed data directory. */
#ifndef SIM_CLI_PATHS_H
#define SIM_CLI_PATHS_H

enum { PATHS_MAX = 4096 };

void paths_presets(char path[PATHS_MAX]);       /* directory of the preset files */
void paths_monitor(char path[PATHS_MAX]);       /* the resident monitor's ELF */

#endif
