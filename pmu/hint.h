/* Indicators in the instruction stream: pending ones, and their place while a trap is served.
 * Encodings, registers and rules: isa/hint.h. Both engines call this as instructions commit, in
 * order; nothing here is speculative. */
#ifndef PMU_HINT_H
#define PMU_HINT_H

#include "isa/hint.h"
#include "pmu/pmu.h"

/* Is the instruction, which starts at `address`, a hint that says something there? */
bool hint_is(uint32_t bits, uint64_t address);
/* Is it one that belongs at the start of a bundle? */
bool hint_is_bundle(uint32_t bits);

/* Will the next instruction be marked by a hint of the stream?
 * Also true while an instruction that changed what is pending has not committed. */
static inline bool hint_is_pending(const struct pmu *pmu)
{
    return (pmu->hint[HINT_AT_NOW].flags | pmu->hint[HINT_AT_NOW].label) != 0 || pmu->hint_moved;
}

/* A hint commits (hint_is). */
void hint_commit(struct pmu *pmu, uint32_t bits);
/* Any other instruction commits: its marks by hints, taken off the pending ones. bundle: the
 * bundle hint it is under, or 0. False: nothing; *mark has no meaning then. */
bool hint_take(struct pmu *pmu, uint32_t bundle, struct mark *mark);

/* A trap to HINT_AT_* (not _NOW) was taken, a return from there is being executed. The instruction
 * that returns is still marked by what was pending before, but for the monitor's, which is never
 * marked. */
void hint_trap(struct pmu *pmu, unsigned place);
void hint_return(struct pmu *pmu, unsigned place);
/* PROF_MODE_ENABLE changes: nothing is pending. */
void hint_forget(struct pmu *pmu);

/* PROF_REG_HINT + offset */
uint64_t *hint_register(struct pmu *pmu, unsigned offset);
void hint_write(struct pmu *pmu, unsigned offset, uint64_t value);

#endif
