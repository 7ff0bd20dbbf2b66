/* What a command keeps of its first run, and says beside its tables and in its JSON: the programs
 * that ran, and under the guest kernel the time in user mode, in the kernel and idle. */
#ifndef SIM_CLI_FIRST_RUN_H
#define SIM_CLI_FIRST_RUN_H

#include "prof/profile_modes.h"
#include "sim/base/err.h"

struct first_run {
    struct profile_modes modes;         /* no harts: without the guest kernel, or no run yet */
    struct profile_image *image;        /* [images] if several programs ran */
    size_t images;
    bool tells_modes;                   /* request: a table of the command has them, so no line */
};

/* Copies from the run's profile. ERR_NO_MEMORY; first_run_free is due in any case. */
enum err first_run_keep(struct first_run *first, const struct profile *profile, struct diag *diag);
/* NULL: without the guest kernel, or no run yet. */
const struct profile_modes *first_run_modes(const struct first_run *first);
/* Lines below a table, on standard output; members of a document. */
void first_run_print(const struct first_run *first);
void first_run_write(const struct first_run *first, cJSON *root);
void first_run_free(struct first_run *first);

#endif
