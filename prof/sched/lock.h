/* Time that threads are blocked on futexes, by address and by call stack, from the records of a
 * scheduler. A wait lasts from the block to the wake. */
#ifndef PROF_SCHED_LOCK_H
#define PROF_SCHED_LOCK_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "pmu/abi_kernel.h"
#include "pmu/monitor/monitor_record.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* The call stacks with which threads left their harts to wait for a lock. */
struct lock_leave {
    uint64_t cycle;
    uint32_t thread;
    uint32_t stack;                     /* in lock_stacks.stack */
};

struct lock_stacks {
    struct monitor_stack *stack;        /* each is there once */
    size_t stacks;
    uint32_t *slot;                     /* [slots] hash table: 1 + index in stack; 0: free */
    size_t slots;                       /* a power of two, or 0 */
    struct lock_leave *leave;
    size_t leaves;
};

#define LOCK_NO_STACK UINT32_MAX        /* the thread has not left its hart */

/* The waits for a lock, or those of one call stack. */
struct lock_row {
    uint64_t address;
    uint64_t waits, total, longest;
    uint32_t stack;                     /* in lock_stacks, LOCK_NO_STACK */
    size_t first, stacks;               /* of a lock: its rows in by_stack */
};

struct locks {
    struct lock_row *row;               /* by falling total, then by address */
    size_t rows;
    struct lock_row *by_stack;          /* of a lock by falling total, then by stack */
    size_t by_stacks;
};

/* Adds a stack; it may be there already. False: no memory. */
bool lock_stacks_add(struct lock_stacks *stacks, uint32_t thread, uint64_t cycle,
                     const struct monitor_stack *stack);
/* Merges stacks that have the same functions and lines. */
enum err lock_stacks_merge(struct lock_stacks *stacks, const struct symbols *symbols,
                           struct diag *diag);
void lock_stacks_free(struct lock_stacks *stacks);

/* The records are in the order of sched_sort; threads still waiting do so until `end`. Sorts the
 * stacks' leaves; stacks: NULL if there are none. locks_free is due afterwards, also after an
 * error. */
enum err locks_make(struct locks *locks, const struct kernel_record *record, size_t records,
                    uint64_t end, struct lock_stacks *stacks, struct diag *diag);
void locks_free(struct locks *locks);

struct locks_view {
    const struct locks *locks;
    const struct lock_stacks *stacks;
    const struct symbols *symbols;
    bool lists_stacks;                  /* text: each lock's stacks, too */
};

void locks_print(const struct locks_view *view, FILE *out);
/* "table_lock;main;work;pthread_mutex_lock 1200" a line: cycles, for flame graphs. */
void locks_print_folded(const struct locks_view *view, FILE *out);
/* root: a document of prof/profile/json.h with what the caller has in it; it is freed. */
enum err locks_print_json(const struct locks_view *view, cJSON *root, FILE *out,
                          struct diag *diag);

#endif
