/* Gates of counters: PROF_REG_GATE of pmu/abi_register.h, all but gate 0, which is pmu->toggle.
 *
 * A gate is a section of code that a thread is in. The stack pointer of the start that opened it
 * distinguishes a recursion, whose starts and stops are further down, from the section itself. A
 * start further up means that longjmp had left the section. Left out: signal handlers on a stack of
 * their own above that of the thread, which begin a section anew. */
#ifndef PMU_GATE_H
#define PMU_GATE_H

#include "pmu/pmu.h"

/* A mark with these MARK_* and this label commits; sp: the stack pointer before its instruction. */
void pmu_gate_mark(struct pmu *pmu, unsigned flags, unsigned label, uint64_t sp);

/* Also for gate 0. An invalid gate number is never open. */
static inline bool pmu_gate_is_open(const struct pmu *pmu, unsigned gate)
{
    if (gate == 0)
        return pmu->toggle;
    return gate < PROF_GATES && (pmu->gate[gate].open & 1) != 0;
}

#endif
