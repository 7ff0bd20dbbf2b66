/* Counts by two words; see scheme_table.h. Open addressing, at most three quarters full. */
#include "pmu/scheme/scheme_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 1024, KEY = 2 };

static bool allocate(struct scheme_table *table, size_t size)
{
    table->word = calloc(size, (KEY + table->values) * sizeof table->word[0]);
    table->is_used = calloc(size, 1);
    table->size = size;
    if (table->word != NULL && table->is_used != NULL)
        return true;
    free(table->word);
    free(table->is_used);
    return false;
}

bool scheme_table_init(struct scheme_table *table, unsigned values)
{
    *table = (struct scheme_table){.values = values};
    table->spill = calloc(values, sizeof table->spill[0]);
    if (table->spill != NULL && allocate(table, FIRST_SIZE))
        return true;
    free(table->spill);
    *table = (struct scheme_table){0};
    return false;
}

void scheme_table_free(struct scheme_table *table)
{
    free(table->word);
    free(table->is_used);
    free(table->spill);
    *table = (struct scheme_table){0};
}

/* The finalizer of splitmix64: instruction addresses differ in few bits. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = a ^ b * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

/* The slot of (a, b), used or not. */
static size_t find(const struct scheme_table *table, uint64_t a, uint64_t b)
{
    size_t at = (size_t)mix(a, b) & (table->size - 1);

    for (;; at = (at + 1) & (table->size - 1)) {
        const uint64_t *word = &table->word[at * (KEY + table->values)];

        if (!table->is_used[at] || (word[0] == a && word[1] == b))
            return at;
    }
}

static uint64_t *put(struct scheme_table *table, size_t at, uint64_t a, uint64_t b)
{
    uint64_t *word = &table->word[at * (KEY + table->values)];

    table->is_used[at] = 1;
    table->used++;
    word[0] = a;
    word[1] = b;
    return word + KEY;
}

static bool grow(struct scheme_table *table)
{
    struct scheme_table old = *table;
    uint64_t key[2];
    const uint64_t *row;
    size_t at = 0;

    if (!allocate(table, 2 * old.size)) {
        *table = old;
        return false;
    }
    table->used = 0;
    while ((row = scheme_table_next(&old, &at, key)) != NULL)
        memcpy(put(table, find(table, key[0], key[1]), key[0], key[1]), row,
               table->values * sizeof *row);
    free(old.word);
    free(old.is_used);
    memset(table->recent, 0, sizeof table->recent);
    return true;
}

static uint64_t *row_of(struct scheme_table *table, uint64_t a, uint64_t b)
{
    size_t at = find(table, a, b);

    if (table->is_used[at])
        return &table->word[at * (KEY + table->values) + KEY];
    if (4 * (table->used + 1) > 3 * table->size) {
        if (!grow(table)) {
            table->has_failed = true;
            return table->spill;
        }
        at = find(table, a, b);
    }
    return put(table, at, a, b);
}

uint64_t *scheme_table_at(struct scheme_table *table, uint64_t a, uint64_t b)
{
    size_t slot = (size_t)(a >> 1 ^ b) % SCHEME_TABLE_RECENT;
    uint64_t *row = table->recent[slot].row;

    if (row != NULL && table->recent[slot].a == a && table->recent[slot].b == b)
        return row;
    row = row_of(table, a, b);
    if (row != table->spill) {
        table->recent[slot].a = a;
        table->recent[slot].b = b;
        table->recent[slot].row = row;
    }
    return row;
}

const uint64_t *scheme_table_next(const struct scheme_table *table, size_t *at, uint64_t key[2])
{
    while (*at < table->size) {
        const uint64_t *word = &table->word[*at * (KEY + table->values)];

        if (table->is_used[(*at)++]) {
            key[0] = word[0];
            key[1] = word[1];
            return word + KEY;
        }
    }
    return NULL;
}
