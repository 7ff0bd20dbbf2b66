/* See gate.h. */
#include "pmu/gate.h"

#include "pmu/abi_metadata.h"

static void start(struct pmu_gate *gate, uint64_t sp)
{
    gate->starts++;
    if ((gate->open & 1) == 0 || (gate->open & ~UINT64_C(1)) < sp)
        gate->open = sp | 1;
}

static void stop(struct pmu_gate *gate, uint64_t sp)
{
    if (sp >= (gate->open & ~UINT64_C(1)))
        gate->open = 0;
}

void pmu_gate_mark(struct pmu *pmu, unsigned flags, unsigned label, uint64_t sp)
{
    struct pmu_gate *gate = &pmu->gate[label % PROF_GATES];
    bool was_open = (gate->open & 1) != 0;

    if ((flags & MARK_LABEL) == 0 || label == 0 || label >= PROF_GATES)
        return;
    sp &= ~UINT64_C(1);
    if ((flags & MARK_START) != 0 || ((flags & MARK_TOGGLE) != 0 && !was_open))
        start(gate, sp);
    if ((flags & MARK_STOP) != 0 || ((flags & MARK_TOGGLE) != 0 && was_open))
        stop(gate, sp);
    if (was_open != ((gate->open & 1) != 0))
        pmu_ranges_changed(pmu);
}
