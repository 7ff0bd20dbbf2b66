/* The functions that --section names, and their activations in the trace of a run that a command
 * records for something else. */
#ifndef SIM_CLI_COMMAND_ACTIVE_ACTIVE_SECTIONS_H
#define SIM_CLI_COMMAND_ACTIVE_ACTIVE_SECTIONS_H

#include "pmu/abi_kernel.h"
#include "sim/cli/command/active/active_oracle.h"

struct kernel_records;

enum { ACTIVE_SECTIONS = KERNEL_SECTIONS };

/* Adds the functions of all options with this id, each once. ERR_USAGE: there is no such function,
 * or they are more than ACTIVE_SECTIONS. */
enum err active_sections_read(struct active_section section[ACTIVE_SECTIONS], unsigned *sections,
                              const struct tool *tool, enum command_option_id id,
                              struct diag *diag);

/* Watched without effect on the run. active_sections_free is due, whatever has been called. */
struct active_sections {
    struct active_section section[ACTIVE_SECTIONS];
    unsigned count;                 /* 0: nothing is watched */
    struct active_oracle *oracle;
    struct timeline seen;
};

/* The machine is about to run; it has run. */
enum err active_sections_begin(struct active_sections *sections, struct machine *machine,
                               struct diag *diag);
enum err active_sections_end(struct active_sections *sections, struct diag *diag);
/* Adds the activations to a time line of the same run's records. */
enum err active_sections_add(const struct active_sections *sections,
                             const struct kernel_records *records, struct timeline *timeline,
                             struct diag *diag);
void active_sections_free(struct active_sections *sections);

#endif
