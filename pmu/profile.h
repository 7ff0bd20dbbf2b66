/* The profiling registers with an index (PROF_REG_* of pmu/abi.h), accessed by the index/data pair
 * of CSRs and the memory-mapped window.
 *
 * Both access the same registers as the CSRs of the counters, with the same effects. A register
 * that does not exist reads as zero and ignores writes. As for CSRs, events[] of the unit holds all
 * that happened before the instruction that reads or writes. */
#ifndef PMU_PROFILE_H
#define PMU_PROFILE_H

#include "pmu/pmu.h"

uint64_t profile_register_read(struct pmu *pmu, uint64_t index);
/* *changed: PMU_CHANGED_* are added to it. */
void profile_register_write(struct pmu *pmu, struct hart *hart, uint64_t index, uint64_t value,
                            unsigned *changed);

/* True for a counter, its event, or a range: filters and ranges ignore the instruction that writes
 * it. */
bool profile_is_counting(uint64_t index);
/* True if the register can belong to a thread, so that CSR_PROF_SINDEX reaches it. */
bool profile_is_of_thread(uint64_t index);
/* True if this CSR now accesses such a counting register. */
bool profile_leads_to_counting(const struct pmu *pmu, unsigned number);
/* True for CSR_PROF_EVENT + 3..31, aliases of mhpmevent. */
bool profile_is_event(unsigned number);
/* The CSR of which the register is an alias (counters, their events, inhibit and mode), or 0. */
unsigned profile_csr(uint64_t index);

#endif
