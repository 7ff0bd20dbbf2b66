/* The work of a profiling monitor for an indicator: walks the stack and adds to its record table
 * (pmu/monitor/monitor_record.h).
 *
 * The resident monitor and the monitor on the host share this, so that both store the same records
 * for the same interrupts. Freestanding. */
#ifndef PMU_MONITOR_MONITOR_H
#define PMU_MONITOR_MONITOR_H

#include "pmu/monitor/monitor_record.h"
#include "pmu/unwind/unwind_outer.h"

/* The interrupted pc, then return addresses, leaf first. Code interrupted by a signal has its
 * address plus one byte, so that every address lies after its instruction. At most
 * MONITOR_DEPTH_MAX frames; at most UNWIND_STEPS instructions are read for each. */
static inline void monitor_walk(struct unwind *u, struct monitor_stack *stack)
{
    enum unwind_end end = UNWIND_FOUND;

    stack->address[0] = u->pc;
    stack->depth = 1;
    u->is_exact = true;
    for (;;) {
        end = unwind_out(u, u->is_exact);
        if (end != UNWIND_FOUND || stack->depth == MONITOR_DEPTH_MAX)
            break;
        stack->address[stack->depth++] = u->pc | u->is_exact;
    }
    stack->walk = end == UNWIND_ROOT     ? MONITOR_WALK_OK
                  : end == UNWIND_FOUND ? MONITOR_WALK_TRUNCATED
                                        : MONITOR_WALK_BROKEN;
}

/* For a sample without call stack. */
static inline void monitor_no_walk(unsigned long long pc, struct monitor_stack *stack)
{
    stack->address[0] = pc;
    stack->depth = 1;
    stack->walk = MONITOR_WALK_OK;
}

/* The sampling counter's next value after an overflow, when it is at `count`: the events since then
 * belong to the next period, so that samples keep step with the event. If the monitor took a period
 * or more, a new period starts. */
static inline unsigned long long monitor_next_period(unsigned long long count,
                                                     unsigned long long period)
{
    return count < period ? count - period : 0 - period;
}

/* True if the handler, whose own events count too, used up more than three quarters of the period.
 * The program then gets a new period: with the rest alone it would hardly make progress between two
 * samples. count: events since the overflow. */
static inline bool monitor_took_period(unsigned long long count, unsigned long long period)
{
    return count >= period - period / 4;
}

enum { MONITOR_BURST = 1024, MONITOR_SHARE_LOG2 = 2, MONITOR_STRETCH_MAX = 20,
       MONITOR_FEW_INSNS = 16, MONITOR_MANY_INSNS = 64 };

/* The next value of the sampling counter if monitor_took_period. The first MONITOR_BURST samples
 * get one period each. Later ones get as many periods as a quarter of the handler's `count` events,
 * and more while the program executes less than MONITOR_FEW_INSNS between two samples, because the
 * events of the handler's exit fill short periods. Samples skipped in this way are counted in
 * hart->throttled. is_waiting: the hart was in WFI. */
static inline unsigned long long monitor_throttle(const struct monitor_header *header,
                                                  struct monitor_hart *hart,
                                                  unsigned long long count, bool is_waiting)
{
    unsigned long long insns = hart->insns - hart->paced, periods;

    hart->paced = hart->insns;
    if (header->interrupts < MONITOR_BURST)
        return 0 - header->period;
    if (insns < MONITOR_FEW_INSNS && !is_waiting && hart->stretch < MONITOR_STRETCH_MAX)
        hart->stretch++;
    else if (insns >= MONITOR_MANY_INSNS && hart->stretch != 0)
        hart->stretch--;
    periods = 1ull << hart->stretch;
    while (periods * header->period < count >> MONITOR_SHARE_LOG2)
        periods <<= 1;
    hart->throttled += periods - 1;
    return 0 - periods * header->period;
}

#endif
