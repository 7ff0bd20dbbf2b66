/* Latencies of issued operations. */
#ifndef SIM_CORE_PIPE_LATENCY_H
#define SIM_CORE_PIPE_LATENCY_H

#include "sim/core/pipe/core_state.h"

/* True for a division or a root, which keeps its unit. */
static inline bool issue_is_iterative(const struct uop *uop)
{
    return (uop->flags & UOP_ITERATIVE) != 0;
}

/* Cycles from issue to the first use of the result as announced at issue. For an operation that
 * keeps its unit, the latency of its pipelined neighbours counts. */
static inline uint32_t issue_wake_cycles(const struct core *core, const struct uop *uop)
{
    switch (uop->unit_class) {
    case CLASS_LOAD:
    case CLASS_STORE: return core->latency[LAT_LOAD];
    default: break;
    }
    unsigned latency = uop->latency == LAT_DIV ? LAT_MUL
                       : uop->latency == LAT_FDIV || uop->latency == LAT_FSQRT ? LAT_FMUL
                                                                              : uop->latency;
    return core->latency[latency];
}

/* Cycles from the operands to the result in the unit. */
static inline uint32_t issue_unit_cycles(const struct core *core, const struct uop *uop)
{
    bool varies = (core_extras(core) & EXTRA_DIVIDER) && issue_is_iterative(uop);
    return varies ? uop->iterations : core->latency[uop->latency];
}

#endif
