/* The state by which the effect of a branch or jump on the predictor is undone. */
#ifndef SIM_CORE_PIPE_SNAPSHOT_H
#define SIM_CORE_PIPE_SNAPSHOT_H

#include "sim/core/bpred/bpred.h"
#include "sim/core/pipe/core_state.h"

static inline struct bpred_snapshot *core_snapshot(const struct core *core, const struct uop *uop)
{
    return &core->snapshot[uop - core->ring];
}

/* The same by the instruction's number. */
static inline struct bpred_snapshot *core_snapshot_at(const struct core *core, uint64_t seq)
{
    return &core->snapshot[seq & core_ring_mask(core)];
}

#endif
