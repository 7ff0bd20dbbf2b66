/* Builder of perfinst segments; perfinst.h has the contract.
 *
 * Three steps: granules (every data block settles on one), items (marks combine in build blocks,
 * one for each line that has marks), image (perfinst_image.c). */
#include "shadowcache/perfinst_internal.h"

#include <stdlib.h>

#define SIGNAL_FLAGS  (MARK_COUNT | MARK_INTERRUPT | MARK_COUNTER)

enum { TEXT_GRANULE_LOG2 = 1 };

/* The lines of one segment that a mark touches. */
struct span {
    struct build_segment *segment;
    size_t first, last;
};

static enum err begin(struct builder *builder)
{
    for (unsigned i = 0; i < builder->perfinst->segments; i++) {
        const struct perfinst_segment *segment = &builder->perfinst->segment[i];
        struct build_segment *build = &builder->segment[i];

        build->segment = segment;
        build->line_bytes = segment->kind == PROF_SEGMENT_TEXT ? builder->shape->iline_bytes
                                                               : builder->shape->dline_bytes;
        build->first = segment->start & ~(uint64_t)(build->line_bytes - 1);
        build->blocks = (size_t)((segment->start + segment->bytes - build->first +
                                  build->line_bytes - 1) / build->line_bytes);
        build->block = calloc(build->blocks + 1, sizeof *build->block);
        if (build->block == NULL)
            return perfinst_no_memory(builder);
    }
    return ERR_OK;
}

static void end(struct builder *builder)
{
    for (unsigned i = 0; i < builder->perfinst->segments; i++) {
        struct build_segment *build = &builder->segment[i];

        for (size_t b = 0; build->block != NULL && b < build->blocks; b++)
            free(build->block[b].item);
        free(build->block);
    }
}

static enum err find_span(struct builder *builder, const struct perfinst_mark *mark,
                          struct span *span)
{
    unsigned kind = mark->is_code ? PROF_SEGMENT_TEXT : PROF_SEGMENT_DATA;

    for (unsigned i = 0; i < builder->perfinst->segments; i++) {
        struct build_segment *build = &builder->segment[i];
        const struct perfinst_segment *segment = build->segment;
        uint64_t offset = mark->pa - segment->start;

        if (segment->kind != kind || offset >= segment->bytes ||
            mark->bytes > segment->bytes - offset)
            continue;
        span->segment = build;
        span->first = (size_t)((mark->pa - build->first) / build->line_bytes);
        span->last = (size_t)((mark->pa + mark->bytes - 1 - build->first) / build->line_bytes);
        return ERR_OK;
    }
    return diag_set(builder->diag, ERR_USAGE,
                    "%s:%u: 0x%llx is in no segment of the program", file_of(builder, mark),
                    mark->origin->line, (unsigned long long)mark->va);
}

/* ---- granules -------------------------------------------------------------------------------- */

static enum err settle_granule(struct builder *builder, const struct perfinst_mark *mark)
{
    uint32_t granule = mark->origin->action.granule;
    struct span span;
    enum err err = find_span(builder, mark, &span);

    if (err != ERR_OK || mark->is_code || granule == 0)
        return err;
    if (granule > span.segment->line_bytes)
        return diag_set(builder->diag, ERR_USAGE,
                        "%s:%u: granule=%u is more than a cache line (%u bytes)",
                        file_of(builder, mark), mark->origin->line, granule,
                        span.segment->line_bytes);
    for (size_t b = span.first; b <= span.last; b++) {
        struct build_block *block = &span.segment->block[b];
        const struct perfinst_mark *other = block->granule_mark;

        if (other != NULL && other->origin->action.granule != granule)
            return diag_set(builder->diag, ERR_USAGE,
                            "%s:%u: granule=%u meets granule=%u of %s:%u in the cache line of "
                            "0x%llx, which can have only one",
                            file_of(builder, mark), mark->origin->line, granule,
                            other->origin->action.granule, file_of(builder, other),
                            other->origin->line, (unsigned long long)mark->va);
        block->granule_mark = mark;
    }
    return ERR_OK;
}

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Gives the block its items, if it has none. */
static enum err open_block(struct builder *builder, const struct build_segment *segment,
                           struct build_block *block)
{
    uint32_t granule = builder->shape->granule_bytes;

    if (block->item != NULL)
        return ERR_OK;
    if (block->granule_mark != NULL)
        granule = block->granule_mark->origin->action.granule;
    if (granule > segment->line_bytes)
        granule = segment->line_bytes;
    block->granule_log2 =
        segment->segment->kind == PROF_SEGMENT_TEXT ? TEXT_GRANULE_LOG2 : log2_of(granule);
    block->items = segment->line_bytes >> block->granule_log2;
    block->item = calloc(block->items, sizeof *block->item);
    return block->item != NULL ? ERR_OK : perfinst_no_memory(builder);
}

/* ---- items ----------------------------------------------------------------------------------- */

static void warn_replaced(struct builder *builder, const struct perfinst_mark *mark,
                          const struct perfinst_mark *other, const char *what)
{
    meta_warn(builder->meta, "%s:%u: its %s replaces that of %s:%u where both mark",
              file_of(builder, mark), mark->origin->line, what, file_of(builder, other),
              other->origin->line);
}

/* True for an alarm whose limit has an upper half, which is in the field of the threshold. */
static bool is_alarm_wide(const struct meta_action *action)
{
    return (action->flags & (MARK_ALARM | MARK_THRESHOLD)) == MARK_ALARM &&
           action->latency_cycles != 0;
}

static void combine_threshold(struct builder *builder, const struct perfinst_mark *mark,
                              struct build_item *item)
{
    const struct meta_action *new = &mark->origin->action;
    struct meta_action *old = &item->action;
    bool was_limited = (old->flags & MARK_THRESHOLD) != 0;
    bool is_limited = (new->flags & MARK_THRESHOLD) != 0;

    if (was_limited && is_limited && (old->latency_cycles != new->latency_cycles ||
                                      old->latency_bits != new->latency_bits))
        warn_replaced(builder, mark, item->mark, "threshold");
    if (was_limited != is_limited &&
        ((was_limited ? new : old)->flags & SIGNAL_FLAGS) != 0)
        meta_warn(builder->meta, "%s:%u: shares instructions or data with %s:%u, so one's "
                  "threshold holds for both", file_of(builder, mark), mark->origin->line,
                  file_of(builder, item->mark), item->mark->origin->line);
    if (is_limited && is_alarm_wide(old))
        warn_replaced(builder, mark, item->mark, "threshold");
    if (is_limited) {
        old->latency_cycles = new->latency_cycles;
        old->latency_bits = new->latency_bits;
    }
}

static void combine(struct builder *builder, const struct perfinst_mark *mark,
                    struct build_item *item)
{
    const struct meta_action *new = &mark->origin->action;
    struct meta_action *old = &item->action;

    if (item->mark == NULL) {
        *old = *new;
        item->mark = mark;
        return;
    }
    combine_threshold(builder, mark, item);
    if (((old->flags ^ new->flags) & MARK_ALARM) != 0 &&
        ((old->flags | new->flags) & MARK_COUNTER) != 0)
        meta_warn(builder->meta, "%s:%u: shares an instruction with %s:%u, so the alarm's limit "
                  "holds for the counter, too", file_of(builder, mark), mark->origin->line,
                  file_of(builder, item->mark), item->mark->origin->line);
    if (new->label != 0 && old->label != 0 && new->label != old->label)
        warn_replaced(builder, mark, item->mark, "label");
    if (new->limit != 0 && old->limit != 0 && new->limit != old->limit)
        warn_replaced(builder, mark, item->mark, "limit");
    old->label = new->label != 0 ? new->label : old->label;
    old->limit = new->limit != 0 ? new->limit : old->limit;
    if ((new->flags & MARK_ALARM) != 0 && (old->flags & MARK_THRESHOLD) == 0)
        old->latency_cycles = new->latency_cycles;
    else if (is_alarm_wide(new))
        meta_warn(builder->meta, "%s:%u: shares an instruction with a threshold (%s:%u), so its "
                  "limit has only its lower 32 bits", file_of(builder, mark), mark->origin->line,
                  file_of(builder, item->mark), item->mark->origin->line);
    old->flags |= new->flags;
    item->mark = mark;
}

/* Marks the items of one line that the mark touches; for code, only the first halfword. */
static void fill_block(struct builder *builder, const struct perfinst_mark *mark,
                       const struct span *span, size_t number)
{
    struct build_block *block = &span->segment->block[number];
    uint64_t line = span->segment->first + number * span->segment->line_bytes;
    uint64_t begin_pa = mark->pa > line ? mark->pa : line;
    uint64_t end_pa = mark->pa + mark->bytes;
    uint64_t line_end = line + span->segment->line_bytes;
    uint64_t first = (begin_pa - line) >> block->granule_log2;
    uint64_t last = ((end_pa < line_end ? end_pa : line_end) - 1 - line) >> block->granule_log2;

    for (uint64_t i = first; i <= last; i++) {
        block->item[i].is_covered = true;
        if (!mark->is_code || line + (i << TEXT_GRANULE_LOG2) == mark->pa)
            combine(builder, mark, &block->item[i]);
    }
}

static enum err place_mark(struct builder *builder, const struct perfinst_mark *mark)
{
    struct span span;
    enum err err = find_span(builder, mark, &span);

    for (size_t b = span.first; err == ERR_OK && b <= span.last; b++) {
        err = open_block(builder, span.segment, &span.segment->block[b]);
        if (err == ERR_OK)
            fill_block(builder, mark, &span, b);
    }
    return err;
}

static int compare_sites(const void *a, const void *b)
{
    const struct perfinst_site *x = a, *y = b;

    if (x->va != y->va)
        return (x->va > y->va) - (x->va < y->va);
    return y->is_code - x->is_code;
}

enum err perfinst_build(struct perfinst *perfinst, const struct perfinst_shape *shape,
                        const struct perfinst_mark *mark, size_t marks, struct meta *meta,
                        struct diag *diag)
{
    struct builder builder = {.perfinst = perfinst, .shape = shape, .meta = meta, .diag = diag};
    enum err err = begin(&builder);

    for (size_t i = 0; i < marks && err == ERR_OK; i++)
        err = settle_granule(&builder, &mark[i]);
    for (size_t i = 0; i < marks && err == ERR_OK; i++)
        err = place_mark(&builder, &mark[i]);
    for (unsigned i = 0; i < perfinst->segments && err == ERR_OK; i++)
        err = perfinst_emit_segment(&builder, i);
    if (err == ERR_OK && perfinst->sites != 0)
        qsort(perfinst->site, perfinst->sites, sizeof *perfinst->site, compare_sites);
    end(&builder);
    return err;
}

void perfinst_free(struct perfinst *perfinst)
{
    free(perfinst->image);
    free(perfinst->site);
    *perfinst = (struct perfinst){0};
}
