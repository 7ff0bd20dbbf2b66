/* Questions to the pipeline's state (core_internal.h) that all stages ask. */
#ifndef SIM_CORE_CORE_STATE_H
#define SIM_CORE_CORE_STATE_H

#include "sim/core/core_internal.h"

static inline struct uop *core_uop(const struct core *core, uint64_t seq)
{
    return &core->ring[seq & core->ring_mask];
}

/* The number of the instruction at a place of the ring. */
static inline uint64_t core_seq_at(const struct core *core, uint64_t index)
{
    return core->commit_seq + ((index - core->commit_seq) & core->ring_mask);
}

static inline uint64_t core_seq_of(const struct core *core, const struct uop *uop)
{
    return core_seq_at(core, (uint64_t)(uop - core->ring));
}

/* The instruction of that number, or NULL when it has committed or was squashed since. */
static inline struct uop *core_living(const struct core *core, uint64_t seq, uint64_t id)
{
    struct uop *uop = core_uop(core, seq);
    bool is_it = seq >= core->commit_seq && seq < core->dispatch_seq && uop->id == id;
    return is_it ? uop : NULL;
}

/* What undoes the effect of a branch or jump on the predictor. */
static inline struct bpred_snapshot *core_snapshot(const struct core *core, const struct uop *uop)
{
    return &core->snapshot[uop - core->ring];
}

/* Rename, dispatch, issue and wake-up have none of the parts that most machines are without. */
static inline bool core_is_plain(const struct core *core)
{
    return (core->extras & ~EXTRAS_ELSEWHERE) == 0;
}

static inline bool core_is_empty(const struct core *core)
{
    return core->commit_seq == core->dispatch_seq;
}

#endif
