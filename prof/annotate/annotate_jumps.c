/* Arrows of jumps beside a listing. Jumps to one instruction share a lane; short lanes are nearest
 * to the text. Jumps without a free lane have only the address in the text. */
#include <stdlib.h>
#include <string.h>

#include "prof/annotate/annotate.h"

enum { LANES = 6 };

/* All jumps to one instruction, from the first row to the last. */
struct arrow { size_t target, first, last; unsigned lane; };

struct annotate_jumps {
    const struct annotate *annotate;
    struct arrow *arrow;
    size_t arrows;
    unsigned lanes;                 /* number in use */
};

static size_t span_of(const struct arrow *arrow)
{
    return arrow->last - arrow->first;
}

static int compare_targets(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;

    return (x->target > y->target) - (x->target < y->target);
}

static int compare_spans(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;

    if (span_of(x) != span_of(y))
        return span_of(x) < span_of(y) ? -1 : 1;
    return compare_targets(a, b);
}

static void collect(struct annotate_jumps *jumps)
{
    struct arrow *arrow = jumps->arrow;
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < jumps->annotate->insns; i++) {
        size_t target = jumps->annotate->insn[i].target;

        if (target != ANNOTATE_NONE && target != i)
            arrow[count++] = (struct arrow){target, i < target ? i : target,
                                            i < target ? target : i, 0};
    }
    if (count != 0)
        qsort(arrow, count, sizeof arrow[0], compare_targets);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || arrow[kept - 1].target != arrow[i].target) {
            arrow[kept++] = arrow[i];
            continue;
        }
        if (arrow[i].first < arrow[kept - 1].first)
            arrow[kept - 1].first = arrow[i].first;
        if (arrow[i].last > arrow[kept - 1].last)
            arrow[kept - 1].last = arrow[i].last;
    }
    jumps->arrows = kept;
}

static bool is_free(const struct arrow *arrow, size_t arrows, const struct arrow *wanted,
                    unsigned lane)
{
    for (size_t i = 0; i < arrows; i++)
        if (arrow[i].lane == lane && arrow[i].first <= wanted->last &&
            wanted->first <= arrow[i].last)
            return false;
    return true;
}

/* Each arrow takes the nearest lane that is free over all its rows. */
static void take_lanes(struct annotate_jumps *jumps)
{
    size_t kept = 0;

    if (jumps->arrows != 0)
        qsort(jumps->arrow, jumps->arrows, sizeof jumps->arrow[0], compare_spans);
    for (size_t i = 0; i < jumps->arrows; i++) {
        struct arrow arrow = jumps->arrow[i];

        arrow.lane = 0;
        while (arrow.lane < LANES && !is_free(jumps->arrow, kept, &arrow, arrow.lane))
            arrow.lane++;
        if (arrow.lane == LANES)
            continue;
        jumps->arrow[kept++] = arrow;
        jumps->lanes = arrow.lane >= jumps->lanes ? arrow.lane + 1 : jumps->lanes;
    }
    jumps->arrows = kept;
}

struct annotate_jumps *annotate_jumps_make(const struct annotate *annotate)
{
    struct annotate_jumps *jumps = calloc(1, sizeof *jumps);

    if (jumps == NULL)
        return NULL;
    jumps->annotate = annotate;
    jumps->arrow = calloc(annotate->insns + 1, sizeof jumps->arrow[0]);
    if (jumps->arrow == NULL) {
        free(jumps);
        return NULL;
    }
    collect(jumps);
    take_lanes(jumps);
    return jumps;
}

void annotate_jumps_free(struct annotate_jumps *jumps)
{
    if (jumps != NULL)
        free(jumps->arrow);
    free(jumps);
}

/* Two columns for each lane, and one for the arrow head. */
unsigned annotate_jumps_width(const struct annotate_jumps *jumps)
{
    return jumps->lanes != 0 ? 2 * jumps->lanes + 1 : 0;
}

/* From the lane to the text: `--` or `->`, over lanes that are crossed. */
static void draw_end(const struct annotate_jumps *jumps, const struct arrow *arrow, size_t insn,
                     char *text)
{
    size_t at = 2 * (size_t)(jumps->lanes - 1 - arrow->lane), end = 2 * (size_t)jumps->lanes;

    text[at] = arrow->first == insn ? ',' : arrow->last == insn ? '\'' : '+';
    for (size_t i = at + 1; i < end; i++)
        text[i] = text[i] == '|' || text[i] == '+' ? '+' : '-';
    if (arrow->target == insn)
        text[end] = '>';
    else if (text[end] == ' ')
        text[end] = '-';
}

void annotate_jumps_row(const struct annotate_jumps *jumps, size_t insn, bool above, char *text)
{
    unsigned width = annotate_jumps_width(jumps);

    memset(text, ' ', width);
    text[width] = '\0';
    for (size_t i = 0; i < jumps->arrows; i++) {
        const struct arrow *arrow = &jumps->arrow[i];
        bool passes = above ? arrow->first < insn && insn <= arrow->last
                            : arrow->first < insn && insn < arrow->last;

        if (passes)
            text[2 * (jumps->lanes - 1 - arrow->lane)] = '|';
    }
    for (size_t i = 0; i < jumps->arrows && !above; i++) {
        const struct arrow *arrow = &jumps->arrow[i];
        bool ends = insn == arrow->target || jumps->annotate->insn[insn].target == arrow->target;

        if (ends)
            draw_end(jumps, arrow, insn, text);
    }
}
