/* The image of perfinst segments: the choice of each block's form, the layout of tables and blocks,
 * the list of sites. */
#include "shadowcache/perfinst_internal.h"

#include <stdlib.h>
#include <string.h>

#include "shadowcache/table.h"
#include "sim/base/array.h"

/* COMPACT_FLAGS: flags that need a record neither for the mark nor for its results. The macro after
 * it adds the flags whose results need a record, but not the mark. */
#define COMPACT_FLAGS (MARK_COUNT | MARK_LABEL | MARK_BUNDLE | MARK_AREA)
#define BLOCK_FLAGS   (COMPACT_FLAGS | MARK_INTERRUPT | MARK_ON_MISS | MARK_START | MARK_STOP |    \
                       MARK_TOGGLE)

enum err perfinst_no_memory(const struct builder *builder)
{
    return diag_no_memory(builder->diag, "metadata");
}

/* Content of a compact block. */
struct compact {
    struct meta_action action;
    uint64_t bitmap;
    size_t offset;              /* in the image, once written */
    bool exists;
};

/* True if all marks are equal, and none needs a record. */
static bool is_compact(const struct builder *builder, const struct build_block *block,
                       struct compact *compact)
{
    unsigned allowed = builder->shape->form == FORM_COMPACT ? BLOCK_FLAGS : COMPACT_FLAGS;
    bool is_whole = true;

    *compact = (struct compact){.exists = false};
    for (uint32_t i = 0; i < block->items; i++) {
        const struct build_item *item = &block->item[i];

        is_whole &= item->mark != NULL || item->is_covered;
        if (item->mark == NULL)
            continue;
        if (!compact->exists)
            compact->action = item->action;
        compact->exists = true;
        if ((item->action.flags & ~allowed) != 0 || item->action.limit != 0 ||
            item->action.flags != compact->action.flags ||
            item->action.label != compact->action.label)
            return false;
        compact->bitmap |= UINT64_C(1) << (i % TABLE_BITMAP_ITEMS);
    }
    if (is_whole)
        compact->bitmap = 0;
    return builder->shape->form != FORM_FULL && (is_whole || block->items <= TABLE_BITMAP_ITEMS);
}

static enum err refuse_full(const struct builder *builder, const struct build_block *block)
{
    const struct build_item *item = block->item;

    while (item->mark == NULL)
        item++;
    return diag_set(builder->diag, ERR_USAGE,
                    "%s:%u: the cache line of 0x%llx needs the full form, and shadow.form is "
                    "compact: all marks of a line must be equal, without counter and threshold",
                    file_of(builder, item->mark), item->mark->origin->line,
                    (unsigned long long)item->mark->va);
}

static bool has_marks(const struct build_block *block)
{
    for (uint32_t i = 0; i < block->items; i++)
        if (block->item[i].mark != NULL)
            return true;
    return false;
}

static enum err grow_image(struct builder *builder, size_t bytes, size_t *offset)
{
    struct perfinst *perfinst = builder->perfinst;
    size_t rounded = (bytes + TABLE_BLOCK_ALIGN - 1) & ~(size_t)(TABLE_BLOCK_ALIGN - 1);

    if (perfinst->bytes + rounded > builder->image_capacity) {
        size_t capacity = 2 * builder->image_capacity + rounded;
        uint8_t *image = realloc(perfinst->image, capacity);

        if (image == NULL)
            return perfinst_no_memory(builder);
        perfinst->image = image;
        builder->image_capacity = capacity;
    }
    memset(perfinst->image + perfinst->bytes, 0, rounded);
    *offset = perfinst->bytes;
    perfinst->bytes += rounded;
    return ERR_OK;
}

static enum err add_site(struct builder *builder, const struct build_segment *segment,
                         const struct build_block *block, uint64_t item_pa, size_t item_offset,
                         const struct build_item *item)
{
    struct perfinst *perfinst = builder->perfinst;
    bool is_code = segment->segment->kind == PROF_SEGMENT_TEXT;
    struct perfinst_site *site = array_grow(perfinst->site, perfinst->sites, sizeof *site);

    if (site == NULL)
        return perfinst_no_memory(builder);
    perfinst->site = site;
    perfinst->site[perfinst->sites++] = (struct perfinst_site){
        .va = item->mark->va + (item_pa - item->mark->pa),
        .pa = item_pa,
        .bytes = is_code ? (uint32_t)item->mark->bytes : UINT32_C(1) << block->granule_log2,
        .is_code = is_code,
        .action = item->action,
        .origin = item->mark->origin,
        .item = item_offset,
    };
    return ERR_OK;
}

/* A mark that only counts in a work area is reported with the area. */
static bool has_site(const struct meta_action *action)
{
    return (action->flags & MARK_AREA) == 0 || (action->flags & ~(unsigned)COMPACT_FLAGS) != 0;
}

static enum err emit_items(struct builder *builder, const struct build_segment *segment,
                           size_t number, size_t offset)
{
    const struct build_block *block = &segment->block[number];
    uint64_t line = segment->first + number * segment->line_bytes;
    enum err err = ERR_OK;

    offset += sizeof(struct perfinst_block);
    for (uint32_t i = 0; i < block->items && err == ERR_OK; i++) {
        const struct build_item *item = &block->item[i];
        size_t at = offset + i * sizeof(struct perfinst_item);
        struct perfinst_item record = {
            .flags = item->action.flags,
            .label = item->action.label,
            .latency_bits = item->action.latency_bits,
            .latency_cycles = item->action.latency_cycles,
            .limit = item->action.limit,
        };

        if (item->mark == NULL)
            continue;
        memcpy(builder->perfinst->image + at, &record, sizeof record);
        if (!has_site(&item->action))
            continue;
        err = add_site(builder, segment, block, line + ((uint64_t)i << block->granule_log2), at,
                       item);
    }
    return err;
}

static bool is_equal(const struct compact *a, const struct compact *b)
{
    return a->action.flags == b->action.flags && a->action.label == b->action.label &&
           a->bitmap == b->bitmap;
}

static enum err emit_full(struct builder *builder, const struct build_segment *segment,
                          size_t number, size_t *offset)
{
    const struct build_block *block = &segment->block[number];
    const struct perfinst_block head = {.items = block->items,
                                        .granule_log2 = (unsigned char)block->granule_log2};
    enum err err;

    if (builder->shape->form == FORM_COMPACT)
        return refuse_full(builder, block);
    err = grow_image(builder, sizeof head + head.items * sizeof(struct perfinst_item), offset);
    if (err != ERR_OK)
        return err;
    memcpy(builder->perfinst->image + *offset, &head, sizeof head);
    return emit_items(builder, segment, number, *offset);
}

/* last: the compact block before this one, which may be shared. */
static enum err emit_block(struct builder *builder, const struct build_segment *segment,
                           size_t number, struct compact *last, size_t *offset)
{
    const struct build_block *block = &segment->block[number];
    struct perfinst_block head = {.granule_log2 = (unsigned char)block->granule_log2};
    struct compact compact;
    enum err err;

    if (!is_compact(builder, block, &compact))
        return emit_full(builder, segment, number, offset);
    if (last->exists && is_equal(last, &compact)) {
        *offset = last->offset;
        return ERR_OK;
    }
    head.flags = compact.action.flags;
    head.label = compact.action.label;
    head.bitmap = compact.bitmap;
    err = grow_image(builder, sizeof head, offset);
    if (err != ERR_OK)
        return err;
    memcpy(builder->perfinst->image + *offset, &head, sizeof head);
    *last = compact;
    last->offset = *offset;
    return ERR_OK;
}

/* A relative table word is the block's offset + 1, so that 0 stays "none". */
enum err perfinst_emit_segment(struct builder *builder, unsigned index)
{
    const struct build_segment *segment = &builder->segment[index];
    struct compact compact = {.exists = false};
    size_t table = 0, offset = 0;
    enum err err = grow_image(builder, segment->blocks * TABLE_WORD_BYTES, &table);

    if (err != ERR_OK)
        return err;
    builder->perfinst->segment[index].table = table;
    builder->perfinst->segment[index].blocks = segment->blocks;
    for (size_t b = 0; b < segment->blocks && err == ERR_OK; b++) {
        uint64_t word;

        if (!has_marks(&segment->block[b]))
            continue;
        err = emit_block(builder, segment, b, &compact, &offset);
        word = offset + 1;
        if (err == ERR_OK)
            memcpy(builder->perfinst->image + table + b * TABLE_WORD_BYTES, &word, sizeof word);
    }
    return err;
}

void perfinst_place(struct perfinst *perfinst, uint64_t base)
{
    for (unsigned i = 0; i < perfinst->segments; i++) {
        struct perfinst_segment *segment = &perfinst->segment[i];
        uint8_t *at = perfinst->image + segment->table;
        uint64_t word;

        for (size_t b = 0; b < segment->blocks; b++, at += TABLE_WORD_BYTES) {
            memcpy(&word, at, sizeof word);
            word = word != 0 ? word - 1 + base : 0;
            memcpy(at, &word, sizeof word);
        }
        segment->table += base;
    }
    for (size_t i = 0; i < perfinst->sites; i++)
        perfinst->site[i].item += base;
}

enum err perfinst_reserve(struct perfinst *perfinst, uint64_t bytes, size_t *offset,
                          struct diag *diag)
{
    struct builder builder = {.perfinst = perfinst, .diag = diag,
                              .image_capacity = perfinst->bytes};

    if (bytes > SIZE_MAX / 4)
        return perfinst_no_memory(&builder);
    return grow_image(&builder, (size_t)bytes, offset);
}
