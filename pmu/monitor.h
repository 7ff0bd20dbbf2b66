/* What a profiling monitor does with an indicator: walks the stack and adds to its record table
 * (pmu/monitor_record.h).
 *
 * The resident monitor and the monitor on the host share this, so that both store the same records
 * for the same interrupts. Freestanding. */
#ifndef PMU_MONITOR_H
#define PMU_MONITOR_H

#include "pmu/monitor_record.h"
#include "pmu/unwind.h"

static inline bool unwind_is_return_address(struct unwind *u)
{
    unsigned before_last = 0, last;
    bool is_32 = unwind_is_32(u);

    if (!unwind_half(u, u->pc - 2, &last))
        return false;
    return unwind_half(u, u->pc - 4, &before_last) ? unwind_is_call(before_last, last, is_32)
                                                   : unwind_is_call(0, last, is_32);
}

/* The interrupted pc, then return addresses, leaf first. Reads at most UNWIND_STEPS instructions
 * and MONITOR_DEPTH_MAX frames. */
static inline void monitor_walk(struct unwind *u, struct monitor_stack *stack)
{
    bool is_found;

    stack->address[0] = u->pc;
    stack->depth = 1;
    stack->walk = MONITOR_WALK_OK;
    is_found = unwind_innermost(u);
    while (is_found && u->pc != 0 && unwind_is_return_address(u)) {
        if (stack->depth == MONITOR_DEPTH_MAX) {
            stack->walk = MONITOR_WALK_TRUNCATED;
            return;
        }
        stack->address[stack->depth++] = u->pc;
        if (u->fp == 0)
            return;
        is_found = unwind_frame(u);
    }
    if (!is_found || u->pc != 0)
        stack->walk = MONITOR_WALK_BROKEN;
}

/* Of a sample that asks for no call stack. */
static inline void monitor_no_walk(unsigned long long pc, struct monitor_stack *stack)
{
    stack->address[0] = pc;
    stack->depth = 1;
    stack->walk = MONITOR_WALK_OK;
}

/* Where the sampling counter goes on, once it has overflowed and stands at `count`: what came since
 * belongs to the next period, so that samples keep step with the event. A monitor that takes a
 * period or more starts a new one. */
static inline unsigned long long monitor_next_period(unsigned long long count,
                                                     unsigned long long period)
{
    return count < period ? count - period : 0 - period;
}

#endif
