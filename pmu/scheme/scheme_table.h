/* A hash table from two words to a row of counts. Rows are zero when they are made; there is no
 * deletion. Without memory, counts go to one row that is never read, and has_failed is set. */
#ifndef PMU_SCHEME_SCHEME_TABLE_H
#define PMU_SCHEME_SCHEME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCHEME_TABLE_RECENT = 64 };

struct scheme_table {
    /* Rows found last, by a hash of their keys: most calls are for few rows, again and again.
     * row NULL: none. */
    struct { uint64_t a, b, *row; } recent[SCHEME_TABLE_RECENT];
    uint64_t *word;                 /* [size][2 + values]: the key, the row */
    uint8_t *is_used;               /* [size] */
    size_t size, used;              /* size: a power of two */
    unsigned values;
    uint64_t *spill;                /* [values] */
    bool has_failed;
};

/* values: words of a row. False: no memory. */
bool scheme_table_init(struct scheme_table *table, unsigned values);
void scheme_table_free(struct scheme_table *table);

/* The row of (a, b), new if necessary; valid until the next call that makes a row. */
uint64_t *scheme_table_at(struct scheme_table *table, uint64_t a, uint64_t b);

/* Iterates over all rows, in arbitrary order: *at begins as 0. NULL: no more. key: a, b. */
const uint64_t *scheme_table_next(const struct scheme_table *table, size_t *at, uint64_t key[2]);

#endif
