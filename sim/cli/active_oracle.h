/* The truth about code sections: every entry and return that a run commits, and which thread each
 * hart runs, as a time line. The simulator watches from outside: the run is that without it.
 *
 * A section begins when its first instruction commits in user mode, and ends with the instruction
 * in front of the one that it returns to, on the stack pointer it was entered with. */
#ifndef SIM_CLI_ACTIVE_ORACLE_H
#define SIM_CLI_ACTIVE_ORACLE_H

#include "prof/timeline/timeline.h"
#include "sim/cli/tool.h"

struct active_section { const char *name; uint64_t address; };

struct active_oracle;

/* Watches the machine, which is about to run, until active_oracle_free. False: no memory. */
bool active_oracle_open(struct active_oracle **out, struct machine *machine,
                        const struct active_section *section, unsigned sections,
                        struct timeline *timeline);
/* After the run. ERR_*: memory ran out meanwhile. NULL is allowed for freeing. */
enum err active_oracle_end(struct active_oracle *oracle, struct diag *diag);
void active_oracle_free(struct active_oracle *oracle);

#endif
