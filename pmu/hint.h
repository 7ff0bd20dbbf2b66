/* Hints in the instruction stream: the pending hints, and where they are saved while a trap is
 * served. Encodings, registers and rules: isa/hint.h. Both engines call this as instructions
 * commit, in order; nothing here is speculative. */
#ifndef PMU_HINT_H
#define PMU_HINT_H

#include "isa/hint.h"
#include "pmu/pmu.h"

/* True if the instruction at `address` is a hint with a meaning there. */
bool hint_is(uint32_t bits, uint64_t address);
/* True if it is a hint for the start of a bundle. */
bool hint_is_bundle(uint32_t bits);

/* True if a hint of the stream will mark the next instruction;
 * also while an instruction that changed the pending hints has not committed. */
static inline bool hint_is_pending(const struct pmu *pmu)
{
    return (pmu->hint[HINT_AT_NOW].flags | pmu->hint[HINT_AT_NOW].label) != 0 || pmu->hint_moved;
}

/* A hint commits (hint_is). */
void hint_commit(struct pmu *pmu, uint32_t bits);
/* Any other instruction commits: takes its marks off the pending hints. bundle: the bundle hint for
 * it, or 0. False: no marks; *mark is then undefined. */
bool hint_take(struct pmu *pmu, uint32_t bundle, struct mark *mark);

/* A trap to HINT_AT_* (not _NOW) was taken; a return from there is being executed. The returning
 * instruction is still marked by the hints pending before, except in the monitor, where nothing is
 * marked. */
void hint_trap(struct pmu *pmu, unsigned place);
void hint_return(struct pmu *pmu, unsigned place);
/* PROF_MODE_ENABLE changes: drops the pending hints. */
void hint_forget(struct pmu *pmu);

/* PROF_REG_HINT + offset */
uint64_t *hint_register(struct pmu *pmu, unsigned offset);
void hint_write(struct pmu *pmu, unsigned offset, uint64_t value);

#endif
