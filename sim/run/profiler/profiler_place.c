/* Translates marks from virtual addresses to physical segments.
 *
 * Every mark is translated page by page; physically contiguous parts stay one piece. Segments are
 * whole pages, so that no cache line belongs to two of one kind. They are the program's own
 * segments that have marks, and the pages of marks elsewhere. If the hardware has too few
 * registers, the segments with the smallest gaps between them are joined. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/run/profiler/profiler_internal.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

/* A physical range of one kind, in whole pages, that becomes a segment. */
struct interval {
    uint64_t start, end;
    unsigned kind;
};

struct placing {
    struct profiler *profiler;
    profiler_translate *translate;
    void *arg;
    struct diag *diag;
    struct perfinst_mark *piece;
    size_t pieces;
    struct interval *interval;
    size_t intervals;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static enum err add_piece(struct placing *placing, const struct meta_mark *mark, uint64_t va,
                          uint64_t pa, uint64_t bytes)
{
    struct perfinst_mark *last = placing->piece + placing->pieces, *piece;

    if (placing->pieces != 0 && last[-1].origin == mark && last[-1].pa + last[-1].bytes == pa) {
        last[-1].bytes += bytes;
        return ERR_OK;
    }
    piece = array_grow(placing->piece, placing->pieces, sizeof *piece);
    if (piece == NULL)
        return diag_no_memory(placing->diag, "metadata");
    placing->piece = piece;
    placing->piece[placing->pieces++] = (struct perfinst_mark){
        .va = va, .pa = pa, .bytes = bytes, .is_code = mark->is_code, .origin = mark};
    return ERR_OK;
}

/* An instruction belongs to the address of its first byte. */
static enum err translate_mark(struct placing *placing, const struct meta_mark *mark)
{
    struct meta *meta = placing->profiler->meta;
    uint64_t end = mark->address + mark->bytes, pa;
    enum err err = ERR_OK;

    for (uint64_t va = mark->address; va < end && err == ERR_OK;) {
        uint64_t next = (va | PAGE_MASK) + 1;

        if (mark->is_code || next > end || next == 0)
            next = end;
        if (placing->translate(placing->arg, va, mark->is_code, &pa)) {
            err = add_piece(placing, mark, va, pa, next - va);
            if (placing->profiler->phys != NULL && mark->waits)
                meta_late_placed(meta, mark);
        } else if (!mark->waits)
            err = meta_warn(meta, "%s:%u: no memory at 0x%llx when the program starts: not marked",
                            meta->file[mark->file], mark->line, (unsigned long long)va);
        va = next;
    }
    return err;
}

/* ---- segments -------------------------------------------------------------------------------- */

static struct interval pages_of(uint64_t pa, uint64_t bytes, bool is_code)
{
    return (struct interval){
        .start = pa & ~PAGE_MASK,
        .end = (pa + bytes + PAGE_MASK) & ~PAGE_MASK,
        .kind = is_code ? PROF_SEGMENT_TEXT : PROF_SEGMENT_DATA,
    };
}

/* The whole program segment around a piece, if it is physically contiguous. */
static struct interval widen(const struct placing *placing, const struct perfinst_mark *piece)
{
    const struct image *image = placing->profiler->image;
    uint64_t first, last;

    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t bytes = segment->mem_bytes;

        if (piece->va - segment->vaddr >= bytes)
            continue;
        if (placing->translate(placing->arg, segment->vaddr, piece->is_code, &first) &&
            placing->translate(placing->arg, segment->vaddr + bytes - 1, piece->is_code, &last) &&
            last - first == bytes - 1 && piece->pa - first == piece->va - segment->vaddr)
            return pages_of(first, bytes, piece->is_code);
    }
    return pages_of(piece->pa, piece->bytes, piece->is_code);
}

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static bool contains(const struct interval *interval, const struct perfinst_mark *piece)
{
    unsigned kind = piece->is_code ? PROF_SEGMENT_TEXT : PROF_SEGMENT_DATA;

    return interval->kind == kind && piece->pa >= interval->start &&
           piece->pa + piece->bytes <= interval->end;
}

static enum err collect_intervals(struct placing *placing)
{
    placing->interval = calloc(placing->pieces + 1, sizeof *placing->interval);
    if (placing->interval == NULL)
        return diag_no_memory(placing->diag, "metadata");
    for (size_t i = 0; i < placing->pieces; i++) {
        const struct perfinst_mark *piece = &placing->piece[i];

        if (placing->intervals != 0 && contains(&placing->interval[placing->intervals - 1], piece))
            continue;
        placing->interval[placing->intervals++] = widen(placing, piece);
    }
    qsort(placing->interval, placing->intervals, sizeof *placing->interval, compare_intervals);
    return ERR_OK;
}

/* Joins neighbours of one kind separated by at most `gap` bytes. */
static void join(struct placing *placing, uint64_t gap)
{
    struct interval *interval = placing->interval;
    size_t kept = 0;

    for (size_t i = 1; i < placing->intervals; i++) {
        struct interval *last = &interval[kept];

        if (interval[i].kind == last->kind &&
            (interval[i].start <= last->end || interval[i].start - last->end <= gap))
            last->end = interval[i].end > last->end ? interval[i].end : last->end;
        else
            interval[++kept] = interval[i];
    }
    placing->intervals = placing->intervals == 0 ? 0 : kept + 1;
}

static uint64_t smallest_gap(const struct placing *placing)
{
    uint64_t smallest = UINT64_MAX;

    for (size_t i = 1; i < placing->intervals; i++) {
        const struct interval *interval = &placing->interval[i];

        if (interval->kind == interval[-1].kind && interval->start - interval[-1].end < smallest)
            smallest = interval->start - interval[-1].end;
    }
    return smallest;
}

/* Tables cost a word a line, marked or not, so the smallest gaps are joined first. */
static enum err make_segments(struct placing *placing)
{
    struct perfinst *perfinst = &placing->profiler->perfinst;
    uint64_t total = 0, ram = (uint64_t)placing->profiler->config->machine_memory_mib << 20;

    join(placing, 0);
    while (placing->intervals > PROF_SEGMENTS)
        join(placing, smallest_gap(placing));
    for (size_t i = 0; i < placing->intervals; i++) {
        const struct interval *interval = &placing->interval[i];

        total += interval->end - interval->start;
        perfinst->segment[perfinst->segments++] =
            (struct perfinst_segment){.start = interval->start,
                                      .bytes = interval->end - interval->start,
                                      .kind = interval->kind};
    }
    if (total > 2 * ram)
        return diag_set(placing->diag, ERR_USAGE,
                        "the marks span %llu MiB, more than the machine's memory of %llu MiB",
                        (unsigned long long)(total >> 20), (unsigned long long)(ram >> 20));
    return ERR_OK;
}

enum err profiler_place(struct profiler *profiler, profiler_translate *translate, void *arg,
                        struct diag *diag)
{
    struct placing placing = {
        .profiler = profiler, .translate = translate, .arg = arg, .diag = diag};
    const struct perfinst_shape shape = {.iline_bytes = profiler->config->l1i_line_bytes,
                                         .dline_bytes = profiler->config->l1d_line_bytes,
                                         .granule_bytes = profiler->config->pmu_granule_bytes,
                                         .form = (enum perfinst_form)profiler->config->shadow_form};
    enum err err = ERR_OK;

    for (size_t i = 0; i < profiler->meta->marks && err == ERR_OK; i++)
        err = translate_mark(&placing, &profiler->meta->mark[i]);
    if (err == ERR_OK)
        err = collect_intervals(&placing);
    if (err == ERR_OK)
        err = make_segments(&placing);
    if (err == ERR_OK)
        err = perfinst_build(&profiler->perfinst, &shape, placing.piece, placing.pieces,
                             profiler->meta, diag);
    if (err == ERR_OK)
        err = profiler_area_place(profiler, translate, arg, diag);
    free(placing.piece);
    free(placing.interval);
    return err;
}
