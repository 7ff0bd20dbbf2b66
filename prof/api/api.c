/* See api.h. */
#include "prof/api/api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---- buckets --------------------------------------------------------------------------------- */

unsigned api_bucket_of(uint64_t n)
{
    return n == 0 ? API_ZERO : 63 - (unsigned)__builtin_clzll(n);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t square(uint64_t n)
{
    return n > UINT32_MAX ? UINT64_MAX : n * n;
}

void api_bucket_merge(struct api_bucket *to, const struct api_bucket *from)
{
    to->count = add_up(to->count, from->count);
    to->sum = add_up(to->sum, from->sum);
    to->squares = add_up(to->squares, from->squares);
}

void api_bucket_add(struct api_bucket *bucket, uint64_t n)
{
    struct api_bucket one = {1, n, square(n)};

    api_bucket_merge(bucket, &one);
}

struct api_bucket api_row_total(const struct api_row *row)
{
    struct api_bucket total = {0, 0, 0};

    for (unsigned i = 0; i < API_SLOTS; i++)
        api_bucket_merge(&total, &row->bucket[i]);
    return total;
}

double api_mean(const struct api_bucket *total)
{
    if (total->count == 0 || total->sum == UINT64_MAX)
        return NAN;
    return (double)total->sum / (double)total->count;
}

/* The sum of squared differences is count * squares - sum * sum, exact in 128 bits, so that the
 * deviation of equal costs is exactly 0. */
double api_deviation(const struct api_bucket *total)
{
    wide squares = (wide)total->count * total->squares, sum = (wide)total->sum * total->sum;

    if (total->count == 0 || total->sum == UINT64_MAX || total->squares == UINT64_MAX)
        return NAN;
    return sqrt((double)(squares - sum)) / (double)total->count;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static enum err make_room(struct api_table *table, struct diag *diag)
{
    size_t room = 2 * table->room + 16;
    struct api_row *row;

    if (table->rows < table->room)
        return ERR_OK;
    row = realloc(table->row, room * sizeof *row);
    if (row == NULL)
        return diag_no_memory(diag, "a table of costs");
    table->row = row;
    table->room = room;
    return ERR_OK;
}

static enum err make_function(struct api_table *table, const char *name, uint32_t *function,
                              struct diag *diag)
{
    enum err err = names_add(&table->function, name, function, diag);
    size_t room = 2 * table->functions_room + 16;
    uint32_t *first;

    if (err != ERR_OK || *function < table->functions_room)
        return err;
    first = realloc(table->first, room * sizeof *first);
    if (first == NULL)
        return diag_no_memory(diag, "a table of costs");
    for (size_t i = table->functions_room; i < room; i++)
        first[i] = API_NO_ROW;
    table->first = first;
    table->functions_room = room;
    return ERR_OK;
}

static struct api_row *find(const struct api_table *table, uint32_t function, uint32_t cost,
                            enum api_scope scope)
{
    for (uint32_t i = table->first[function]; i != API_NO_ROW; i = table->row[i].next)
        if (table->row[i].cost == cost && table->row[i].scope == scope)
            return &table->row[i];
    return NULL;
}

enum err api_row_get(struct api_table *table, const char *function, const char *cost,
                        enum api_scope scope, struct api_row **row, struct diag *diag)
{
    uint32_t f, c;
    enum err err = make_function(table, function, &f, diag);

    if (err == ERR_OK)
        err = names_add(&table->cost, cost, &c, diag);
    if (err != ERR_OK)
        return err;
    *row = find(table, f, c, scope);
    if (*row != NULL)
        return ERR_OK;
    err = make_room(table, diag);
    if (err != ERR_OK)
        return err;
    *row = &table->row[table->rows];
    **row = (struct api_row){.function = f, .cost = c, .scope = scope, .next = table->first[f]};
    table->first[f] = (uint32_t)table->rows++;
    return ERR_OK;
}

const struct api_row *api_find(const struct api_table *table, const char *function,
                               const char *cost, enum api_scope scope)
{
    long f = names_find(&table->function, function), c = names_find(&table->cost, cost);

    return f < 0 || c < 0 ? NULL : find(table, (uint32_t)f, (uint32_t)c, scope);
}

static void free_table(struct api_table *table)
{
    names_free(&table->function);
    names_free(&table->cost);
    free(table->row);
    free(table->first);
}

void api_free(struct api *api)
{
    free_table(&api->table);
    free_table(&api->stacks);
    api_places_free(&api->places);
    *api = (struct api){.table.rows = 0};
}

/* ---- charges --------------------------------------------------------------------------------- */

static enum err charge(struct api_table *table, const char *function, const char *cost,
                       enum api_scope scope, uint64_t n, struct diag *diag)
{
    struct api_row *row;
    enum err err = api_row_get(table, function, cost, scope, &row, diag);

    if (err == ERR_OK)
        api_bucket_add(&row->bucket[api_bucket_of(n)], n);
    return err;
}

/* True if the frame at `at`, of `length` bytes, occurs earlier in the stack's text. */
static bool was_before(const char *stack, const char *at, size_t length)
{
    for (const char *frame = stack; frame < at;) {
        size_t bytes = strcspn(frame, ";");

        if (bytes == length && memcmp(frame, at, length) == 0)
            return true;
        frame += bytes + 1;
    }
    return false;
}

static enum err charge_frames(struct api *api, const char *stack, const char *cost, uint64_t n,
                              struct diag *diag)
{
    enum err err = ERR_OK;

    for (const char *frame = stack; err == ERR_OK;) {
        size_t length = strcspn(frame, ";");
        char *name = strndup(frame, length);

        if (name == NULL)
            return diag_no_memory(diag, "names");
        if (!was_before(stack, frame, length))
            err = charge(&api->table, name, cost, API_INCLUSIVE, n, diag);
        if (err == ERR_OK && frame[length] == '\0')
            err = charge(&api->table, name, cost, API_EXCLUSIVE, n, diag);
        free(name);
        if (frame[length] == '\0')
            break;
        frame += length + 1;
    }
    return err;
}

enum err api_charge(struct api *api, const char *function, const char *cost, uint64_t n,
                    struct diag *diag)
{
    enum err err = charge_frames(api, function, cost, n, diag);

    return err == ERR_OK ? charge(&api->stacks, function, cost, API_EXCLUSIVE, n, diag) : err;
}

enum err api_see_stack(struct api *api, const char *stack, struct diag *diag)
{
    char *copy = strdup(stack), *rest = copy, *name;
    uint32_t number;
    enum err err = copy != NULL ? ERR_OK : diag_no_memory(diag, "stacks");

    while (err == ERR_OK && (name = strsep(&rest, ";")) != NULL)
        err = make_function(&api->table, name, &number, diag);
    free(copy);
    return err == ERR_OK ? make_function(&api->stacks, stack, &number, diag) : err;
}

static enum err merge_table(struct api_table *to, const struct api_table *from, struct diag *diag)
{
    for (size_t i = 0; i < from->rows; i++) {
        const struct api_row *source = &from->row[i];
        struct api_row *row;
        enum err err = api_row_get(to, from->function.text[source->function],
                               from->cost.text[source->cost], source->scope, &row, diag);

        if (err != ERR_OK)
            return err;
        for (unsigned j = 0; j < API_SLOTS; j++)
            api_bucket_merge(&row->bucket[j], &source->bucket[j]);
    }
    return ERR_OK;
}

enum err api_merge(struct api *to, const struct api *from, struct diag *diag)
{
    enum err err = merge_table(&to->table, &from->table, diag);

    return err == ERR_OK ? merge_table(&to->stacks, &from->stacks, diag) : err;
}
