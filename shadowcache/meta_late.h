/* Lines of metadata that wait for libraries: the part of struct meta that those concern who load
 * libraries and place their marks. */
#ifndef SHADOWCACHE_META_LATE_H
#define SHADOWCACHE_META_LATE_H

#include "shadowcache/meta.h"

/* A line that names what the program lacks, while libraries may come that have it. */
struct meta_late {
    char *text, *reason;        /* reason: what was wrong with it for the program alone */
    uint32_t file, line;
    uint16_t flags;             /* MARK_* of the entry */
    bool is_placed;
};

/* Marks of one library. */
struct meta_part {
    struct meta_mark *mark;     /* [marks] in order of address */
    size_t marks;
};

/* The lines that wait, read against a library by its resolver: its code that they mark, which stays
 * where it is until meta_free. Data of a library is not marked (a warning). */
enum err meta_read_late(struct meta *meta, const struct meta_resolver *resolver,
                        struct meta_part *part, struct diag *diag);
/* The line of this mark means something without a library. */
void meta_late_placed(struct meta *meta, const struct meta_mark *mark);
/* The MARK_* of all entries, also of those that wait. */
unsigned meta_flags(const struct meta *meta);

#endif
