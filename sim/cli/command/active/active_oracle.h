/* The truth about code sections: every committed entry and return, and the threads of each hart, as
 * a time line. The simulator observes from outside, without effect on the run.
 *
 * A section begins when its first instruction commits in user mode. It ends before the instruction
 * to which it returns, with the stack pointer of its entry. In a run with probes
 * (pmu/abi_probe.h) the first instruction is the one in the slot, and the cycles from each
 * breakpoint to the next instruction of the program are overhead. */
#ifndef SIM_CLI_COMMAND_ACTIVE_ACTIVE_ORACLE_H
#define SIM_CLI_COMMAND_ACTIVE_ACTIVE_ORACLE_H

#include "prof/timeline/timeline.h"
#include "sim/cli/tool/tool.h"

struct active_section { const char *name; uint64_t address; };

struct active_oracle;

/* Watches the machine, which is about to run, until active_oracle_free. False: no memory. */
bool active_oracle_open(struct active_oracle **out, struct machine *machine,
                        const struct active_section *section, unsigned sections,
                        struct timeline *timeline);
/* Call after the run. ERR_*: memory ran out meanwhile. active_oracle_free allows NULL. */
enum err active_oracle_end(struct active_oracle *oracle, struct diag *diag);
/* After the end: of the active time of a section, the cycles in user mode; the rest is the
 * kernel's. */
uint64_t active_oracle_user(const struct active_oracle *oracle, unsigned section);
void active_oracle_free(struct active_oracle *oracle);

#endif
