/* Call frame information as the table of frames uses it: functions that have some, their rules. */
#ifndef SIM_RUN_FRAMES_CFI_H
#define SIM_RUN_FRAMES_CFI_H

#include "sim/run/frames/frames_internal.h"

/* ---- frames_fde.c ---------------------------------------------------------------------------- */

/* A function that call frame information tells of. */
struct fde {
    uint64_t from, to;
};

struct fdes {
    struct fde *fde;                /* in order of address, disjoint */
    size_t count, room;
};

/* Of .eh_frame and .debug_frame. After a failure there is still something to free. */
enum err fdes_read(struct fdes *fdes, const struct image *image, struct diag *diag);
void fdes_free(struct fdes *fdes);
/* The entry whose range has the address, or NULL. */
const struct fde *fdes_at(const struct fdes *fdes, uint64_t address);

/* ---- frames_cfi.c ---------------------------------------------------------------------------- */

/* [from, to) has this rule. */
struct cfi_row {
    uint64_t from, to;
    struct monitor_frame rule;
    bool is_bare;                   /* all that is said of a function: as at its start, which also
                                       stands before code that somebody forgot to describe */
};

struct cfi {
    struct cfi_row *row;            /* in order of address, disjoint */
    size_t rows, room;
};

/* Of the functions that the flow knows. */
enum err cfi_build(struct cfi *cfi, const struct flow *flow, struct diag *diag);
void cfi_free(struct cfi *cfi);

#endif
