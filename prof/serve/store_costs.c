/* Cost summaries, added to the totals; see store.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/store.h"
#include "prof/serve/wide.h"

enum { KNOWN_MAX = 100000 };

#define SUMS "count_hi, count_lo, sum_hi, sum_lo, squares_hi, squares_lo"

static const char add_cost[] =
    "INSERT INTO cost (function, kind, scope, program, bucket, " SUMS ") "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
    "ON CONFLICT (function, kind, scope, program, bucket) DO UPDATE SET " STORE_ADDED_SUMS("cost");

static const char add_total[] =
    "INSERT INTO total (function, kind, scope, program, " SUMS ") "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
    "ON CONFLICT (kind, scope, function, program) DO UPDATE SET " STORE_ADDED_SUMS("total");

static const char add_function[] =
    "INSERT INTO function (id, name, module, namespace, changed) VALUES "
    "((SELECT COALESCE(MAX(id), 0) + 1 FROM function), $1, $2, $3, $4) "
    "ON CONFLICT (name, module) DO UPDATE SET changed = excluded.changed RETURNING id";

static const char add_kind[] =
    "INSERT INTO kind (id, name) VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM kind), $1) "
    "ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";

static enum err make_room(struct store *store, uint32_t number)
{
    size_t room = 2 * store->ids_room + 64;
    int64_t *id;

    if (number < store->ids_room)
        return ERR_OK;
    id = realloc(store->id, room * sizeof *id);
    if (id == NULL)
        return ERR_NO_MEMORY;
    store->id = id;
    store->ids_room = room;
    return ERR_OK;
}

/* An id never changes, so it is asked for once. */
bool store_is_known(const struct store *store, const char *key, int64_t *id)
{
    long known = names_find(&store->known, key);

    if (known >= 0)
        *id = store->id[known];
    return known >= 0;
}

enum err store_keep(struct store *store, const char *key, int64_t id)
{
    uint32_t number;
    enum err err;

    if (store->known.count == KNOWN_MAX) {
        names_free(&store->known);
        store->known = (struct names){.count = 0};
    }
    err = names_add(&store->known, key, &number, NULL);
    if (err == ERR_OK)
        err = make_room(store, number);
    if (err == ERR_OK)
        store->id[number] = id;
    return err;
}

static enum err kind_of(struct store *store, const char *cost, int64_t *kind)
{
    char key[SUMMARY_LABEL_MAX + 3];
    enum err err;

    snprintf(key, sizeof key, "k\n%s", cost);
    if (store_is_known(store, key, kind))
        return ERR_OK;
    err = db_number_of(store->db, kind, add_kind, "t", cost);
    return err == ERR_OK ? store_keep(store, key, *kind) : err;
}

static enum err function_of(struct store *store, const struct summary_row *row, const char *space,
                            int64_t *function)
{
    char key[SUMMARY_NAME_MAX + SUMMARY_LABEL_MAX + 4];
    enum err err;

    snprintf(key, sizeof key, "f\n%s\n%s", row->module, row->function);
    if (store_is_known(store, key, function))
        return db_queue(store->db, "UPDATE function SET changed = $1 WHERE id = $2", "nn",
                        store->sequence, *function);
    err = db_number_of(store->db, function, add_function, "tttn", row->function, row->module,
                       space, store->sequence);
    return err == ERR_OK ? store_keep(store, key, *function) : err;
}

/* A row's key: of its function, place, cost, scope and program. */
struct key { int64_t function, place, kind, scope, program; };

static enum err add_bucket(struct store *store, const struct key *key,
                           const struct summary_bucket *bucket, struct store_places *places)
{
    struct wide count = wide_of(bucket->sum.count), sum = wide_of(bucket->sum.sum);
    struct wide squares = wide_of(bucket->sum.squares);
    const struct store_place_cost cost = {
        .key = {key->place, key->kind, key->scope, (int64_t)bucket->at},
        .sum = {count, sum, squares},
    };
    enum err err = store_place_add(places, &cost);

    if (err != ERR_OK)
        return err;
    return db_queue(store->db, add_cost, "nnnnnnnnnnn", key->function, key->kind, key->scope,
                    key->program, (int64_t)bucket->at, count.high, count.low, sum.high, sum.low,
                  squares.high, squares.low);
}

static enum err add_row(struct store *store, const struct summary *summary,
                        const struct summary_row *row, const struct key *key,
                        struct store_places *places)
{
    struct api_bucket total = {0, 0, 0};
    struct wide count, sum, squares;

    for (size_t i = 0; i < row->buckets; i++) {
        const struct summary_bucket *bucket = &summary->bucket[row->first + i];
        enum err err = add_bucket(store, key, bucket, places);

        if (err != ERR_OK)
            return err;
        api_bucket_merge(&total, &bucket->sum);
    }
    count = wide_of(total.count);
    sum = wide_of(total.sum);
    squares = wide_of(total.squares);
    return db_queue(store->db, add_total, "nnnnnnnnnn", key->function, key->kind, key->scope,
                  key->program, count.high, count.low, sum.high, sum.low, squares.high,
                  squares.low);
}

static bool is_same_function(const struct summary_row *a, const struct summary_row *b)
{
    return strcmp(a->function, b->function) == 0 && strcmp(a->module, b->module) == 0;
}

/* The key that all rows of a function share. */
static enum err key_of(struct store *store, const struct summary_row *row, struct key *key)
{
    char space[SUMMARY_NAME_MAX + 1];
    enum err err;

    summary_namespace(row->function, space, sizeof space);
    err = function_of(store, row, space, &key->function);
    return err == ERR_OK ? store_place(store, row->module, space, &key->place) : err;
}

static enum err add_rows(struct store *store, const struct summary *summary)
{
    struct store_places places = {NULL, 0, 0};
    struct key key = {.function = 0};
    enum err err = store_program(store, &summary->head, &key.program);

    for (size_t i = 0; i < summary->rows && err == ERR_OK; i++) {
        const struct summary_row *row = &summary->row[i];

        if (i == 0 || !is_same_function(row, row - 1))
            err = key_of(store, row, &key);
        if (err == ERR_OK)
            err = kind_of(store, row->cost, &key.kind);
        key.scope = row->scope;
        if (err == ERR_OK)
            err = add_row(store, summary, row, &key, &places);
    }
    if (err == ERR_OK)
        err = store_places_add(store, &places, key.program);
    store_places_free(&places);
    return err;
}

enum err store_add_costs(struct store *store, const struct summary *summary, const char *digest,
                         int64_t now, enum store_result *result)
{
    int64_t before = store->sequence;
    enum err err = store_submission(store, summary->head.id, digest, now, result);

    if (err == ERR_OK && *result == STORE_ADDED)
        err = add_rows(store, summary);
    if (err != ERR_OK)
        store->sequence = before;
    return store_finish(store, err);
}
