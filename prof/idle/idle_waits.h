/* Waits of threads, the threads that ended them, and the times when threads ran: from the records
 * of a scheduler, for idle_charge.c. Places are those of records, in the order in which these
 * happened. */
#ifndef PROF_IDLE_WAITS_H
#define PROF_IDLE_WAITS_H

#include <stdbool.h>

#include "prof/idle/idle_charge.h"

/* A thread waits, from the record of its block to that of its wake; SIZE_MAX: until the end of the
 * run. */
struct idle_wait {
    size_t start, end;
    uint64_t value;                     /* of a lock: its address; else 0 */
    uint32_t thread;
    enum kernel_reason reason;
};

struct idle_wake;
struct idle_run;

struct idle_waits {
    struct idle_wait *wait;             /* by thread, then by start */
    size_t waits;
    struct idle_wake *wake;             /* of locks: by address, then by place */
    size_t wakes;
    struct idle_run *run;               /* by thread, then by start */
    size_t runs;
};

/* places: of the log. False: no memory. idle_waits_free is due afterwards in any case. */
bool idle_waits_make(struct idle_waits *waits, const struct sched_log *log,
                     const struct sched_places *places);
void idle_waits_free(struct idle_waits *waits);
/* The last wait of a thread that began with the record at `place` or before it; NULL: none. */
const struct idle_wait *idle_wait_at(const struct idle_waits *waits, uint32_t thread,
                                     size_t place);
/* The thread that holds the lock after the record at `place`, until that at *end: the thread that
 * wakes its next waiter. 0: unknown, to the end (SIZE_MAX). */
uint32_t idle_holder_at(const struct idle_waits *waits, uint64_t address, size_t place,
                        size_t *end);
/* Cycles that a thread has run until `cycle`. */
uint64_t idle_run_until(const struct idle_waits *waits, uint32_t thread, uint64_t cycle);

static inline bool idle_is_sampler(uint32_t thread)
{
    return thread >= KERNEL_SAMPLER_TID && thread < KERNEL_SAMPLER_TID + KERNEL_SAMPLER_MAX;
}

#endif
