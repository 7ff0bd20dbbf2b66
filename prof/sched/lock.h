/* Time that threads are blocked on futexes, by address, from the records of a scheduler. A wait
 * lasts from the block to the wake. */
#ifndef PROF_SCHED_LOCK_H
#define PROF_SCHED_LOCK_H

#include <stdio.h>

#include "pmu/abi_kernel.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

struct lock_row {
    uint64_t address;
    uint64_t waits, total, longest;
};

struct locks { struct lock_row *row; size_t rows; };    /* by falling total, then by address */

/* The records are in order of time; threads still waiting do so until `end`. locks_free is due
 * afterwards, also after an error. */
enum err locks_make(struct locks *locks, const struct kernel_record *record, size_t records,
                    uint64_t end, struct diag *diag);
void locks_free(struct locks *locks);
void locks_print(const struct locks *locks, const struct symbols *symbols, FILE *out);
enum err locks_print_json(const struct locks *locks, const struct symbols *symbols, FILE *out,
                          struct diag *diag);

#endif
