/* The builder of perfinst segments and translation tables, in the format of pmu/abi.h.
 *
 * Takes marks at physical addresses and the text and data segments they lie in; makes one image of
 * bytes for guest memory, position free until perfinst_place. A block gets the full form (a record
 * for each halfword of code or granule of data), or the compact form (flags of the block, and a bit
 * for each item unless all are marked) when all its marks are equal, and only count, label and
 * bundle. Compact blocks that are equal and follow each other are one block. The shape can ask for
 * the full form everywhere; or for the compact form, which then also allows interrupt, on-miss,
 * start, stop and toggle, and refuses marks that need a record.
 *
 * Several marks on one item combine: flags add up; of different labels, limits or thresholds the
 * last one wins, with a warning. A threshold holds for all signals of its item. A block has one
 * granule: two entries with different granules are refused; entries without one take the
 * block's. */
#ifndef SHADOWCACHE_PERFINST_H
#define SHADOWCACHE_PERFINST_H

#include "pmu/abi.h"
#include "shadowcache/meta.h"

/* The form that the machine needs. */
struct perfinst_shape {
    uint32_t iline_bytes, dline_bytes;
    uint32_t granule_bytes;     /* of data, if no entry names one */
    enum perfinst_form { FORM_AUTO, FORM_FULL, FORM_COMPACT } form;     /* as shadow.form */
};

/* A text or data segment of the program. */
struct perfinst_segment {
    uint64_t start, bytes;      /* physical */
    uint64_t table;             /* result: of the translation table; relative until placed */
    size_t blocks;              /* result: words of the table */
    unsigned kind;              /* PROF_SEGMENT_* */
};

/* A mark with its translation: one piece of physically contiguous memory. */
struct perfinst_mark {
    uint64_t va, pa, bytes;
    bool is_code;
    const struct meta_mark *origin;
};

/* A marked instruction or datum that has an item. */
struct perfinst_site {
    uint64_t va, pa;
    uint32_t bytes;             /* length of the instruction; granule of the datum */
    bool is_code;
    struct meta_action action;  /* everything combined */
    const struct meta_mark *origin;     /* the last entry that marked it */
    uint64_t item;              /* of its perfinst_item; relative until placed */
};

struct perfinst {
    struct perfinst_segment segment[PROF_SEGMENTS];
    unsigned segments;
    uint8_t *image;             /* bytes for guest memory */
    size_t bytes;               /* a multiple of 16 */
    struct perfinst_site *site; /* in order of va */
    size_t sites;
};

/* The caller sets perfinst->segment and ->segments; the rest is made here. Every mark must lie in a
 * segment of its kind. `meta` has the file names and receives the warnings. */
enum err perfinst_build(struct perfinst *perfinst, const struct perfinst_shape *shape,
                        const struct perfinst_mark *mark, size_t marks, struct meta *meta,
                        struct diag *diag);
/* Makes all addresses absolute for an image at `base` (a multiple of 16). Once only. */
void perfinst_place(struct perfinst *perfinst, uint64_t base);
/* Adds `bytes` of zeros to the image's end; *offset: their place, a multiple of 16. */
enum err perfinst_reserve(struct perfinst *perfinst, uint64_t bytes, size_t *offset,
                          struct diag *diag);
void perfinst_free(struct perfinst *perfinst);

#endif
