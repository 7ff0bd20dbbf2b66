/* A book of counts by place and thread: who made which part of a sum.
 *
 * A place is any number that its keeper gives a meaning: the address of a counter, the index of a
 * range. Memory grows with the pairs of place and thread that have counts; where it is lacking,
 * has_failed says so and counts are lost. */
#ifndef PMU_LEDGER_H
#define PMU_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEDGER_VALUES = 4 };

struct ledger_row {
    uint64_t place;
    uint32_t thread;
    bool is_used;
    uint64_t value[LEDGER_VALUES];
};

/* Zeroed: empty. */
struct ledger {
    struct ledger_row *row;         /* [room] open-addressed */
    size_t rows, room;              /* room: 0 or a power of two */
    bool has_failed;
};

void ledger_free(struct ledger *ledger);
/* Adds `value` to what the thread has at the place. */
void ledger_add(struct ledger *ledger, uint64_t place, uint32_t thread,
                const uint64_t value[LEDGER_VALUES]);
/* The rows by place and thread, rows that are all 0 left out; memory of its own, which the caller
 * frees; *rows: how many. NULL: no memory. The ledger goes on. */
struct ledger_row *ledger_sorted(const struct ledger *ledger, size_t *rows);

#endif
