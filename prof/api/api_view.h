/* Shared by tables and pictures of costs: the rows of one cost and scope, and the buckets they
 * use. A slot is a place in a picture: 0 for costs of 0, then bucket + 1. */
#ifndef PROF_API_API_VIEW_H
#define PROF_API_API_VIEW_H

#include "prof/api/api.h"

enum { API_RANGE_TEXT = 48 };

struct api_span { unsigned first, last; };      /* slots; first > last: none */

struct api_view {
    const struct api_table *table;
    const char *cost;
    enum api_scope scope;
    const struct api_row **row;                 /* by falling sum, then by name */
    size_t rows;
    struct api_span span;
    bool is_used[API_SLOTS];                    /* by slot */
};

enum err api_view_make(struct api_view *view, const struct api_table *table, uint32_t cost,
                       enum api_scope scope, struct diag *diag);
void api_view_free(struct api_view *view);

const struct api_bucket *api_slot(const struct api_row *row, unsigned slot);
/* Extends the span by the slots that a row uses; an empty span starts as {API_SLOTS, 0}. */
void api_span_add(struct api_span *span, const struct api_row *row);
/* The largest count of a row's buckets; at least 1. */
uint64_t api_most(const struct api_row *row);
/* In api_print.c: a row's spectrum without colour, one character for each slot of the span. */
void api_strip(const struct api_row *row, const struct api_span *span, FILE *out);
/* "4 to 7". Returns text. */
const char *api_range(unsigned slot, char text[API_RANGE_TEXT]);

#endif
