/* Cost summaries, added to the totals; see store.h. */
#include <stdlib.h>
#include <string.h>

#include "prof/serve/store/store.h"
#include "sim/base/array.h"

enum { KEYS_MAX = 5, SUMS = 3 };

/* ---- gathering ------------------------------------------------------------------------------- */

static enum err add_row(struct store *store, const struct store_row *row)
{
    struct store_row *grown = array_grow(store->row, store->rows, sizeof *grown);

    if (grown == NULL)
        return ERR_NO_MEMORY;
    store->row = grown;
    store->row[store->rows++] = *row;
    return ERR_OK;
}

static enum err add_buckets(struct store *store, const struct summary *summary,
                            const struct summary_row *from, struct store_row *row)
{
    enum err err = ERR_OK;

    row->scope = from->scope;
    for (size_t i = from->first; i < from->first + from->buckets && err == ERR_OK; i++) {
        const struct summary_bucket *bucket = &summary->bucket[i];

        row->bucket = bucket->at;
        row->sum[0] = wide_of(bucket->sum.count);
        row->sum[1] = wide_of(bucket->sum.sum);
        row->sum[2] = wide_of(bucket->sum.squares);
        err = add_row(store, row);
    }
    return err;
}

/* Numbers of the texts that all rows of a function share. */
static enum err note_function(struct store *store, const struct store_submission *submission,
                              const struct summary_row *from, struct store_row *row)
{
    char space[SUMMARY_NAME_MAX + 1];
    enum err err = store_text(store, STORE_FUNCTION, from->function, from->module,
                              submission->sequence, &row->id[STORE_FUNCTION]);

    summary_namespace(from->function, space, sizeof space);
    if (err == ERR_OK)
        err = store_text(store, STORE_PLACE, space, from->module, 0, &row->id[STORE_PLACE]);
    return err;
}

static bool is_same_function(const struct summary_row *a, const struct summary_row *b)
{
    return strcmp(a->function, b->function) == 0 && strcmp(a->module, b->module) == 0;
}

enum err store_gather_costs(struct store *store, const struct store_submission *submission)
{
    const struct summary *summary = submission->summary;
    struct store_row row = {.scope = 0};
    enum err err = store_text(store, STORE_PROGRAM, summary->head.program, summary->head.version,
                              0, &row.id[STORE_PROGRAM]);

    for (size_t i = 0; i < summary->rows && err == ERR_OK; i++) {
        const struct summary_row *from = &summary->row[i];

        if (i == 0 || !is_same_function(from, from - 1))
            err = note_function(store, submission, from, &row);
        if (err == ERR_OK)
            err = store_text(store, STORE_KIND, from->cost, "", 0, &row.id[STORE_KIND]);
        if (err == ERR_OK)
            err = add_buckets(store, summary, from, &row);
    }
    return err;
}

/* ---- adding ---------------------------------------------------------------------------------- */

#define PART(table, name) \
    name "_hi = " table "." name "_hi + excluded." name "_hi + ((" table "." name "_lo + " \
    "excluded." name "_lo) >> 32), " name "_lo = (" table "." name "_lo + excluded." name \
    "_lo) & 4294967295"
#define ADD_TO(table, keys) \
    "INSERT INTO " table " (" keys ", count_hi, count_lo, sum_hi, sum_lo, squares_hi, " \
    "squares_lo) " DB_ROWS " ON CONFLICT (" keys ") DO UPDATE SET " \
    PART(table, "count") ", " PART(table, "sum") ", " PART(table, "squares")

/* Columns of a key beside those with the id of a text. */
enum { SCOPE = STORE_DOMAINS, BUCKET, NONE };

static const struct target {
    const char *sql, *types;
    int key[KEYS_MAX];
} targets[] = {
    {ADD_TO("cost", "function, kind, scope, program, bucket"), "nnnnnnnnnnn",
     {STORE_FUNCTION, STORE_KIND, SCOPE, STORE_PROGRAM, BUCKET}},
    {ADD_TO("total", "kind, scope, function, program"), "nnnnnnnnnn",
     {STORE_KIND, SCOPE, STORE_FUNCTION, STORE_PROGRAM, NONE}},
    {ADD_TO("place_cost", "place, kind, scope, program, bucket"), "nnnnnnnnnnn",
     {STORE_PLACE, STORE_KIND, SCOPE, STORE_PROGRAM, BUCKET}},
};

struct keyed { int64_t key[KEYS_MAX]; struct wide sum[SUMS]; };

static int64_t key_of(const struct store *store, const struct store_row *row, int column)
{
    if (column < STORE_DOMAINS)
        return store->texts[column].id[row->id[column]];
    return column == SCOPE ? row->scope : column == BUCKET ? row->bucket : 0;
}

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    for (unsigned i = 0; i < KEYS_MAX; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

/* All rows by the target's key, in its order. */
static void sort_for(const struct store *store, const struct target *target, struct keyed *keyed)
{
    for (size_t i = 0; i < store->rows; i++) {
        for (unsigned k = 0; k < KEYS_MAX; k++)
            keyed[i].key[k] = key_of(store, &store->row[i], target->key[k]);
        memcpy(keyed[i].sum, store->row[i].sum, sizeof keyed[i].sum);
    }
    qsort(keyed, store->rows, sizeof *keyed, compare);
}

/* Adds a row to the table, with the low parts of its sums carried into the high parts. */
static enum err add_sums(struct db_table *table, const struct keyed *one)
{
    size_t keys = strlen(table->types) - 2 * SUMS;
    int64_t number[KEYS_MAX + 2 * SUMS];

    memcpy(number, one->key, keys * sizeof *number);
    for (unsigned i = 0; i < SUMS; i++) {
        number[keys + 2 * i] = one->sum[i].high + (one->sum[i].low >> 32);
        number[keys + 2 * i + 1] = one->sum[i].low & UINT32_MAX;
    }
    return db_table_add_numbers(table, number);
}

/* Adds up rows of the same key, and writes one row for each key. */
static enum err write_target(struct store *store, const struct target *target, struct keyed *keyed)
{
    struct db_table table = {.types = target->types};
    enum err err = ERR_OK;

    sort_for(store, target, keyed);
    for (size_t i = 0; i < store->rows && err == ERR_OK;) {
        struct keyed one = keyed[i++];

        for (; i < store->rows && compare(&one, &keyed[i]) == 0; i++)
            for (unsigned k = 0; k < SUMS; k++) {
                one.sum[k].high += keyed[i].sum[k].high;
                one.sum[k].low += keyed[i].sum[k].low;
            }
        err = add_sums(&table, &one);
    }
    if (err == ERR_OK)
        err = db_run_table(store->db, target->sql, &table, NULL, NULL);
    db_table_free(&table);
    return err;
}

enum err store_write_costs(struct store *store)
{
    struct keyed *keyed;
    enum err err = ERR_OK;

    if (store->rows == 0)
        return ERR_OK;
    keyed = calloc(store->rows, sizeof *keyed);
    if (keyed == NULL)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0] && err == ERR_OK; i++)
        err = write_target(store, &targets[i], keyed);
    free(keyed);
    return err;
}
