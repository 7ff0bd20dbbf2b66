/* Limits on functions of the thread that a hart runs: struct pmu_limits of pmu/retire.h.
 *
 * A limit (pmu/abi_register.h) counts cycles of the running thread from the entry of a function to
 * its return, callees and recursion included. The clock has the hart's cycles without those in
 * which it idles or the resident monitor runs. A limit expires in the cycle in which its count
 * reaches it, if the function has not returned by then: an indicator of IND_KIND_LIMIT is queued.
 * The rules are those of the assert timers (guest/lib): the time of an expired limit, from its
 * beginning to its end, counts for no limit around it; limits inside it start again; a limit that
 * is reached waits for a limit inside it that is at most as large and began before. A limit of
 * elapsed time counts, but never expires here, and is independent of the others.
 *
 * The return of a function is a jump to ra on a stack pointer not below that of the entry, so an
 * exception or longjmp past the function ends it, too. Left out: functions that change stacks, and
 * signal handlers on a stack above that of the thread, which end the limits of the code they
 * interrupt. */
#ifndef PMU_LIMIT_H
#define PMU_LIMIT_H

#include "pmu/pmu.h"

/* The first instruction of a function commits: function, sp before it, cycles, priv of `limit`, and
 * PROF_LIMIT_IS_COUNTING or _ELAPSED. */
void pmu_limit_begin(struct pmu *pmu, const struct pmu_limit *limit);
/* A jump to ra commits in this mode: ends functions whose stack frame is gone. */
void pmu_limit_return(struct pmu *pmu, uint64_t sp, unsigned priv);
/* Queues an indicator for each limit that expires now. Called by pmu_check_overflow. */
void pmu_limits_check(struct pmu *pmu);
/* Cycles that limit[number] has counted. */
uint64_t pmu_limit_counted(const struct pmu *pmu, unsigned number);
/* Cycles until the earliest limit expires, at least 1; UINT64_MAX: none does. */
uint64_t pmu_limits_left(const struct pmu *pmu);

/* CSR_PROF_LIMITS, _LIMIT, _LIMIT_DATA. The write returns true if it sets the first limit of this
 * hart: from then on returns must be reported. */
uint64_t pmu_limits_read(const struct pmu *pmu, unsigned csr);
bool pmu_limits_write(struct pmu *pmu, unsigned csr, uint64_t value);

#endif
