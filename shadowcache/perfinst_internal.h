/* Inside the builder of perfinst segments: the combination of marks (perfinst.c), and the image
 * (perfinst_image.c). */
#ifndef SHADOWCACHE_PERFINST_INTERNAL_H
#define SHADOWCACHE_PERFINST_INTERNAL_H

#include "shadowcache/perfinst.h"

struct build_item {
    const struct perfinst_mark *mark;   /* the last mark; NULL: unmarked */
    struct meta_action action;
    bool is_covered;                    /* text: belongs to a marked instruction */
};

struct build_block {
    const struct perfinst_mark *granule_mark;   /* the entry that set the granule */
    uint32_t granule_log2, items;
    struct build_item *item;
};

struct build_segment {
    const struct perfinst_segment *segment;
    uint64_t first;                     /* address of the first line */
    size_t blocks;
    uint32_t line_bytes;
    struct build_block *block;          /* one for each line; a line whose block has no items has no
                                         * metadata */
};

struct builder {
    struct perfinst *perfinst;
    const struct perfinst_shape *shape;
    struct meta *meta;
    struct diag *diag;
    struct build_segment segment[PROF_SEGMENTS];
    size_t image_capacity;
};

enum err perfinst_no_memory(const struct builder *builder);
/* The metadata file of the mark. */
static inline const char *file_of(const struct builder *builder, const struct perfinst_mark *mark)
{
    return builder->meta->file[mark->origin->file];
}

/* The segment's table and blocks, and the sites of their items. */
enum err perfinst_emit_segment(struct builder *builder, unsigned index);

#endif
