/* The profiling registers with an index (PROF_REG_* of pmu/abi.h), for the ways that lead to
 * them: the index/data pair of CSRs and the memory-mapped window.
 *
 * Both are the same registers as the CSRs of the counters, with the same effects. A register that
 * does not exist reads as zero and ignores writes. As for CSRs, events[] of the unit holds all that
 * happened up to the instruction before the one that reads or writes. */
#ifndef PMU_PROFILE_H
#define PMU_PROFILE_H

#include "pmu/pmu.h"

uint64_t profile_register_read(struct pmu *pmu, uint64_t index);
/* *changed: PMU_CHANGED_* are added to it. */
void profile_register_write(struct pmu *pmu, struct hart *hart, uint64_t index, uint64_t value,
                            unsigned *changed);

/* A counter, its event, or a range: filters and ranges ignore the instruction that writes it. */
bool profile_is_counting(uint64_t index);
/* Can it be a thread's, and be reached by CSR_PROF_SINDEX? */
bool profile_is_of_thread(uint64_t index);
/* Does this CSR lead to one now? */
bool profile_leads_to_counting(const struct pmu *pmu, unsigned number);
/* CSR_PROF_EVENT + 3..31: another way to mhpmevent. */
bool profile_is_event(unsigned number);
/* The CSR that the register is another way to, or 0: counters, their events, inhibit and mode. */
unsigned profile_csr(uint64_t index);

#endif
