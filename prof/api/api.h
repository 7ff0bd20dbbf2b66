/* The cost of a call, as a distribution: tables that add.
 *
 * A cost n goes to bucket floor(log2 n), which stores the number of its costs, their sum and the
 * sum of their squares; a cost of 0 has a bucket of its own. Tables of different runs, threads,
 * scenarios and machines are merged by addition. Sums are 64 bits wide and saturate, so that the
 * order of additions does not matter.
 *
 * Inclusive: costs of the function and its callees; exclusive: of the function itself. A stack
 * charges each function on it once, however often it recurs, and its leaf exclusively. */
#ifndef PROF_API_API_H
#define PROF_API_API_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "prof/records/names.h"
#include "sim/base/err.h"

enum { API_ZERO = 64, API_SLOTS = 65 };
enum api_scope { API_INCLUSIVE, API_EXCLUSIVE, API_SCOPES };

struct api_bucket { uint64_t count, sum, squares; };

/* The costs of one function, of one kind. */
struct api_row {
    uint32_t function, cost;            /* in table->function, ->cost */
    enum api_scope scope;
    uint32_t next;                      /* next row of the same function; API_NO_ROW: none */
    struct api_bucket bucket[API_SLOTS];    /* [API_ZERO]: costs of 0 */
};

#define API_NO_ROW UINT32_MAX

struct api_table {
    struct names function, cost;
    struct api_row *row;
    size_t rows, room;
    uint32_t *first;                    /* [functions_room] row of each function */
    size_t functions_room;
};

/* Functions with a known place in the source: "file.c:12". Not part of summaries. */
struct api_places { struct names function; char **text; size_t room; };

/* A scenario: its table, and the table of its call stacks "root;caller;leaf", whose rows have the
 * charges of the leaf in that stack. */

struct api {
    struct api_table table, stacks;
    struct api_places places;
};

void api_free(struct api *api);
unsigned api_bucket_of(uint64_t n);
void api_bucket_add(struct api_bucket *bucket, uint64_t n);
void api_bucket_merge(struct api_bucket *to, const struct api_bucket *from);
/* Sum of all buckets. */
struct api_bucket api_row_total(const struct api_row *row);
/* Not a number if a sum is saturated, or there are no costs. */
double api_mean(const struct api_bucket *total);
double api_deviation(const struct api_bucket *total);

/* The row of a function, a cost and a scope; NULL: there is none. */
const struct api_row *api_find(const struct api_table *table, const char *function,
                               const char *cost, enum api_scope scope);
/* The row of a function, a cost and a scope, added if it is new. Valid until the next row is
 * added. */
enum err api_row_get(struct api_table *table, const char *function, const char *cost,
                     enum api_scope scope, struct api_row **row, struct diag *diag);
/* Charges n to `function`; if that is a stack, to all functions on it. */
enum err api_charge(struct api *api, const char *function, const char *cost, uint64_t n,
                    struct diag *diag);
/* Notes a call stack, with or without cost, for api_groups_make. Its functions get numbers. */
enum err api_see_stack(struct api *api, const char *stack, struct diag *diag);
enum err api_merge(struct api *to, const struct api *from, struct diag *diag);

/* Adds a file: records `function,cost,n`, or JSON from api_write_json. A cost is "allocated"
 * (bytes), "cycles", or the name of an event. */
enum err api_read(struct api *api, const char *path, struct diag *diag);
/* Adds the text of such JSON; `path` is for errors. */
enum err api_read_json(struct api *api, const char *path, const char *text, struct diag *diag);
/* Schema 1, described in docs/profiling/api.md. */
enum err api_write_json(const struct api *api, FILE *out, struct diag *diag);
/* The same into a document of prof/profile/json.h with what the caller has in it; it is freed. */
enum err api_print_json(const struct api *api, cJSON *root, FILE *out, struct diag *diag);

/* ---- api_places.c ---------------------------------------------------------------------------- */

/* Sets the place in the source where a function begins, unless it is already set. */
enum err api_place(struct api *api, const char *function, const char *file, unsigned line,
                   struct diag *diag);
const char *api_place_of(const struct api *api, const char *function);      /* NULL: unknown */
void api_places_free(struct api_places *places);

/* ---- api_groups.c: which functions can be measured in one run -------------------------------- */

/* Functions of a group are never on one stack together, so that measuring one does not disturb the
 * others. */
struct api_groups {
    uint32_t *group;                    /* [functions] group of each function, from 0 */
    size_t functions, groups;
};

enum err api_groups_make(struct api_groups *groups, const struct api *api, struct diag *diag);
void api_groups_free(struct api_groups *groups);

/* ---- api_print.c, api_picture.c -------------------------------------------------------------- */

/* Tables by cost and scope, with a spectrum strip from cheap (cold) to expensive (hot). */
enum err api_print(const struct api *api, bool has_colour, FILE *out, struct diag *diag);
/* Prints the histogram of one function. */
enum err api_print_histogram(const struct api *api, const char *function, bool has_colour,
                             FILE *out, struct diag *diag);
enum err api_print_groups(const struct api *api, FILE *out, struct diag *diag);
enum err api_write_svg(const struct api *api, FILE *out, struct diag *diag);
/* One self-contained page: strips, histograms, the stacks of each function. */
enum err api_write_html(const struct api *api, FILE *out, struct diag *diag);

#endif
