/* The records of the guest kernel's scheduler of one run, for the commands that are about them. */
#ifndef SIM_CLI_KERNEL_RECORDS_H
#define SIM_CLI_KERNEL_RECORDS_H

#include "pmu/abi_kernel.h"
#include "sim/cli/tool.h"

struct kernel_records {
    struct kernel_record *record;   /* of all harts, in order of time */
    size_t records, room;
    size_t harts;
    uint64_t start, end;            /* of the run, in cycles */
    bool has_failed;
};

/* Runs the program once with the records on. ERR_USAGE: it runs without the guest kernel.
 * kernel_records_free is due afterwards, also after an error. */
enum err kernel_records_take(struct kernel_records *records, struct tool *tool, struct diag *diag);
void kernel_records_free(struct kernel_records *records);

/* A whole command about the records: opens the program, takes them, shows them. Its exit status. */
typedef enum err kernel_records_show(const struct kernel_records *records, const struct tool *tool,
                                     struct diag *diag);
int kernel_records_command(const struct command_line *line, const char *name, bool shows_output,
                           kernel_records_show *show);

#endif
