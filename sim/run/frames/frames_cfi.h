/* Call frame information for the table of frames: the functions that have some, and their rules. */
#ifndef SIM_RUN_FRAMES_CFI_H
#define SIM_RUN_FRAMES_CFI_H

#include "sim/run/frames/frames_flow.h"

/* ---- frames_fde.c ---------------------------------------------------------------------------- */

/* A function with call frame information. */
struct fde {
    uint64_t from, to;
};

struct fdes {
    struct fde *fde;                /* in order of address, disjoint */
    size_t count;
};

/* Reads .eh_frame and .debug_frame. fdes_free is due even after a failure. */
enum err fdes_read(struct fdes *fdes, const struct image *image, struct diag *diag);
void fdes_free(struct fdes *fdes);
/* The entry whose range contains the address, or NULL. */
const struct fde *fdes_at(const struct fdes *fdes, uint64_t address);

/* ---- frames_cfi.c ---------------------------------------------------------------------------- */

/* The rule for [from, to). */
struct cfi_row {
    uint64_t from, to;
    struct monitor_frame rule;
    bool is_bare;                   /* the only row of its function, with the state at the
                                     * function's start, which may also stand for code that lacks a
                                     * description */
};

struct cfi {
    struct cfi_row *row;            /* in order of address, disjoint */
    size_t rows;
};

/* Reads the rules of the functions that the flow knows. */
enum err cfi_build(struct cfi *cfi, const struct flow *flow, struct diag *diag);
void cfi_free(struct cfi *cfi);

#endif
