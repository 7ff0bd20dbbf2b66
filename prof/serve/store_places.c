/* Costs by place: by module and namespace, for reports about all of one; see store.h. */
#include <stdio.h>
#include <stdlib.h>

#include "prof/serve/store.h"
#include "prof/serve/wide.h"

static const char add_place_cost[] =
    "INSERT INTO place_cost (place, kind, scope, program, bucket, count_hi, count_lo, sum_hi, "
    "sum_lo, squares_hi, squares_lo) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
    "ON CONFLICT (place, kind, scope, program, bucket) DO UPDATE SET "
    STORE_ADDED_SUMS("place_cost");

static const char add_place[] =
    "INSERT INTO place (id, module, namespace) VALUES "
    "((SELECT COALESCE(MAX(id), 0) + 1 FROM place), $1, $2) "
    "ON CONFLICT (module, namespace) DO UPDATE SET module = excluded.module RETURNING id";

enum err store_place(struct store *store, const char *module, const char *space, int64_t *place)
{
    char key[SUMMARY_NAME_MAX + SUMMARY_LABEL_MAX + 4];
    enum err err;

    snprintf(key, sizeof key, "p\n%s\n%s", module, space);
    if (store_is_known(store, key, place))
        return ERR_OK;
    err = db_number_of(store->db, place, add_place, "tt", module, space);
    return err == ERR_OK ? store_keep(store, key, *place) : err;
}

enum err store_place_add(struct store_places *places, const struct store_place_cost *cost)
{
    size_t room = 2 * places->room + 64;
    struct store_place_cost *grown;

    if (places->count == places->room) {
        grown = realloc(places->cost, room * sizeof *grown);
        if (grown == NULL)
            return ERR_NO_MEMORY;
        places->cost = grown;
        places->room = room;
    }
    places->cost[places->count++] = *cost;
    return ERR_OK;
}

static int compare(const void *a, const void *b)
{
    const struct store_place_cost *x = a, *y = b;

    for (unsigned i = 0; i < STORE_PLACE_KEY; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static enum err add_sums(struct store *store, const struct store_place_cost *cost, int64_t program)
{
    int64_t part[6];

    for (unsigned i = 0; i < 3; i++) {
        part[2 * i] = cost->sum[i].high + (cost->sum[i].low >> 32);
        part[2 * i + 1] = cost->sum[i].low & UINT32_MAX;
    }
    return db_queue(store->db, add_place_cost, "nnnnnnnnnnn", cost->key[0], cost->key[1],
                    cost->key[2], program, cost->key[3], part[0], part[1], part[2], part[3],
                    part[4], part[5]);
}

enum err store_places_add(struct store *store, struct store_places *places, int64_t program)
{
    enum err err = ERR_OK;

    if (places->count != 0)
        qsort(places->cost, places->count, sizeof *places->cost, compare);
    for (size_t i = 0; i < places->count && err == ERR_OK;) {
        struct store_place_cost one = places->cost[i++];

        for (; i < places->count && compare(&one, &places->cost[i]) == 0; i++)
            for (unsigned k = 0; k < 3; k++) {
                one.sum[k].high += places->cost[i].sum[k].high;
                one.sum[k].low += places->cost[i].sum[k].low;
            }
        err = add_sums(store, &one, program);
    }
    return err;
}

void store_places_free(struct store_places *places)
{
    free(places->cost);
}
