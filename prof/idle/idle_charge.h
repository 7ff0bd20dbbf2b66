/* The causes of idle harts, from the scheduler's records: each idle cycle is charged to one cause.
 *
 * A hart is away from the program from the switch at which one thread leaves it to the switch at
 * which the next thread enters it. It is away because a thread that could run there waits. Each
 * hart that is away is charged to one waiting thread, and each thread to at most one hart: to the
 * thread that left the hart last, if that thread waits; otherwise to the uncharged thread that
 * began to wait last. The cause is the reason of that thread's wait. Without such a thread nothing
 * was runnable: the program has fewer threads than harts. The holder of a lock (a futex) is taken
 * to be the thread that wakes its next waiter, because releasing the lock does that. Sampler
 * threads (pmu/abi_sampler.h) do not count as threads; while they run, the hart samples and is not
 * away.
 *
 * A hart that is away idles in WFI; before and after that it runs the kernel: the idle path. The
 * cycles away (WFI and idle path together) are exact for each cause. If the cause changes while a
 * hart is away, its cycles in WFI are divided in proportion to the time of each cause. Harts do not
 * count cycles in step: a change caused by another hart is dated with the latest cycle of all
 * records up to then. */
#ifndef PROF_IDLE_CHARGE_H
#define PROF_IDLE_CHARGE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/abi_kernel.h"
#include "prof/sched/sched_log.h"

enum { IDLE_CAUSES = KERNEL_REASON_EXIT };  /* enum kernel_reason; NONE: nothing runnable */

/* The cycles of a hart; each belongs to one field. */
struct idle_hart {
    uint64_t cycles, running;           /* running: in the program */
    uint64_t kernel, sampling;          /* kernel: for threads; sampling: its sampler thread */
    uint64_t idle, path;                /* while the hart is away: in WFI; in the kernel */
    uint64_t cause[IDLE_CAUSES];        /* of idle */
    uint64_t away[IDLE_CAUSES];         /* of idle + path */
};

/* Cycles of all harts by awaited event. */
struct idle_row {
    enum kernel_reason reason;
    uint64_t value;                     /* of a lock: its address; else 0 */
    uint32_t holder;                    /* thread that held the lock; 0: unknown, or no lock */
    uint64_t cycles, away;              /* in WFI; with the idle path */
    uint64_t holder_ran;                /* of `cycles`, those in which the holder ran */
};

/* A part of a hart's time without a thread of the program, with its row's cause. */
struct idle_span {
    uint64_t start, end;                /* cycles */
    struct idle_row row;                /* of it; at least one cycle in WFI */
    unsigned hart;
};

struct idle_charge {
    struct idle_hart *hart;
    unsigned harts;
    struct idle_row *row;               /* by falling time away, then by reason, value, holder */
    size_t rows;
    struct idle_span *span;             /* of each hart by time */
    size_t spans;
};

/* idle_charge_free is due afterwards, also after an error. */
enum err idle_charge_make(struct idle_charge *charge, const struct sched_log *log,
                          struct diag *diag);
void idle_charge_free(struct idle_charge *charge);

#endif
