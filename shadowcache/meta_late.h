/* Lines of metadata that wait for libraries: the part of struct meta for loaders of libraries and
 * placers of their marks. */
#ifndef SHADOWCACHE_META_LATE_H
#define SHADOWCACHE_META_LATE_H

#include "shadowcache/meta.h"

/* A line with a name that the program lacks and a library may have. */
struct meta_late {
    char *text, *reason;        /* reason: the error that the line had for the program alone */
    uint32_t file, line;
    uint16_t flags;             /* MARK_* of the entry */
    bool is_placed;
};

/* The marks of one library. */
struct meta_part {
    struct meta_mark *mark;     /* [marks] in order of address */
    size_t marks;
};

/* Resolves the waiting lines against a library. The part with its marks stays in place until
 * meta_free. */
enum err meta_read_late(struct meta *meta, const struct meta_resolver *resolver,
                        struct meta_part *part, struct diag *diag);
/* The line of this mark has a meaning without a library. */
void meta_late_placed(struct meta *meta, const struct meta_mark *mark);
/* The MARK_* flags of all entries, including waiting ones. */
unsigned meta_flags(const struct meta *meta);

#endif
