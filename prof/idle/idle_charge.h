/* The causes of idle harts, from the scheduler's records: each idle cycle is charged to one cause.
 *
 * A hart idles because a thread that could run there waits. Each idle hart is charged to one
 * waiting thread, and no two harts to the same: to the thread that left it last, if that waits;
 * else, among the threads to which no hart is charged, to the one that began to wait last. The
 * cause is the reason of that thread's wait. Without such a thread nothing was runnable: the
 * program has fewer threads than harts. The holder of a lock (a futex) is the thread that wakes its
 * next waiter, as the thread that releases it does. Sampler threads (pmu/abi_sampler.h) do not
 * count as threads.
 *
 * Idle cycles are those that the hart waited in WFI. Records have times in cycles: if the cause
 * changes within an idle time, its WFI cycles are divided in the same proportion as its cycles. All
 * sums are exact. */
#ifndef PROF_IDLE_CHARGE_H
#define PROF_IDLE_CHARGE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/abi_kernel.h"
#include "sim/base/err.h"

enum { IDLE_CAUSES = KERNEL_REASON_EXIT };  /* enum kernel_reason; NONE: nothing runnable */

/* A change of a hart's thread: the hart's cycles up to then, those in the program, those in WFI. */
struct idle_switch {
    uint64_t cycles, user, idle;
    uint32_t thread;                    /* from now on; 0: the idle thread */
    uint32_t hart;
};

/* The cycles of a hart; each belongs to one field. */
struct idle_hart {
    uint64_t cycles, running;           /* running: in the program */
    uint64_t kernel, sampling;          /* sampling: its sampler thread */
    uint64_t idle, cause[IDLE_CAUSES];  /* idle: the sum of cause[] */
};

/* Idle cycles of all harts by awaited event. */
struct idle_row {
    enum kernel_reason reason;
    uint64_t value;                     /* of a lock: its address; else 0 */
    uint32_t holder;                    /* thread that held the lock; 0: unknown, or no lock */
    uint64_t cycles;
    uint64_t holder_ran;                /* of these cycles, those in which the holder ran */
};

/* A part of a hart's time without a thread of the program, with its row's cause. */
struct idle_span {
    uint64_t start, end;                /* cycles */
    struct idle_row row;                /* cycles: of it, those in WFI; at least one */
    unsigned hart;
};

struct idle_charge {
    struct idle_hart *hart;
    unsigned harts;
    struct idle_row *row;               /* by falling cycles, then by reason, value, holder */
    size_t rows;
    struct idle_span *span;             /* of each hart by time */
    size_t spans;
};

/* A run. Each hart begins with its idle thread at cycle 0 of the measurement and ends with an
 * idle_switch of its last thread to itself. Records are in the order of sched_sort, switches of
 * each hart in order. */
struct idle_history {
    const struct kernel_record *record;
    size_t records;
    const struct idle_switch *change;
    size_t changes;
    unsigned harts;
};

/* idle_charge_free is due afterwards, also after an error. */
enum err idle_charge_make(struct idle_charge *charge, const struct idle_history *history,
                          struct diag *diag);
void idle_charge_free(struct idle_charge *charge);

#endif
