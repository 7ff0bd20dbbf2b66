/* Why harts were idle, from the scheduler's records: each idle cycle is charged to one cause.
 *
 * A hart idles because a thread that could run there waits. Each idle hart is charged to one
 * waiting thread, and no two harts to the same: to the thread that left it last, if that waits;
 * else to the one that began to wait last among those that no hart is charged to. The cause is what
 * that thread waits for. Where there is no such thread, nothing was runnable: the program has fewer
 * threads than harts. A lock (a futex) is held by the thread that wakes its next waiter, since
 * whoever gives it back does that. Sampler threads (pmu/abi_sampler.h) do not count as threads.
 *
 * Idle cycles are those that the hart waited in WFI. Records tell moments in cycles: where the
 * cause changes within an idle time, its WFI cycles are divided as its cycles are. All sums are
 * exact. */
#ifndef PROF_IDLE_CHARGE_H
#define PROF_IDLE_CHARGE_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/abi_kernel.h"
#include "sim/base/err.h"

enum { IDLE_CAUSES = KERNEL_REASON_EXIT };  /* enum kernel_reason; NONE: nothing runnable */

/* A hart's thread changes: its cycles so far, of these in the program, of these in WFI. */
struct idle_switch {
    uint64_t cycles, user, idle;
    uint32_t thread;                    /* from now on; 0: the idle thread */
    uint32_t hart;
};

/* All cycles of a hart have one place. */
struct idle_hart {
    uint64_t cycles, running;           /* running: in the program */
    uint64_t kernel, sampling;          /* sampling: its sampler thread */
    uint64_t idle, cause[IDLE_CAUSES];  /* idle: the sum of cause[] */
};

/* Idle cycles of all harts by what was waited for. */
struct idle_row {
    enum kernel_reason reason;
    uint64_t value;                     /* of a lock: its address; else 0 */
    uint32_t holder;                    /* of a lock: thread; 0: not known, or no lock */
    uint64_t cycles;
    uint64_t holder_ran;                /* of these: cycles in which the holder ran */
};

struct idle_charge {
    struct idle_hart *hart;
    unsigned harts;
    struct idle_row *row;               /* by falling cycles, then by reason, value, holder */
    size_t rows;
};

/* A run: each hart begins with its idle thread at cycle 0 of the measurement and ends with
 * an idle_switch of its last thread to itself. Records in order of time, switches of each hart in
 * order. */
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
