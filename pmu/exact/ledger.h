/* A table of counts by place and thread, which divides a sum among threads.
 *
 * A place is a number with a meaning for the owner: the address of a counter, the index of a range.
 * Memory grows with the pairs of place and thread that have counts. Without memory has_failed is
 * set, and counts are lost. */
#ifndef PMU_EXACT_LEDGER_H
#define PMU_EXACT_LEDGER_H

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

/* All zero: an empty ledger. */
struct ledger {
    struct ledger_row *row;         /* [room] open-addressed */
    size_t rows, room;              /* room: 0 or a power of two */
    bool has_failed;
};

void ledger_free(struct ledger *ledger);
/* Adds `value` to the thread's counts at the place. */
void ledger_add(struct ledger *ledger, uint64_t place, uint32_t thread,
                const uint64_t value[LEDGER_VALUES]);
/* The rows by place and thread, without rows that are all 0, in new memory that the caller frees;
 * *rows: their number. NULL: no memory. The ledger stays as it is. */
struct ledger_row *ledger_sorted(const struct ledger *ledger, size_t *rows);

#endif
