/* What a profiling monitor does with an indicator: walks the stack and adds to its record table.
 *
 * The resident monitor and the monitor on the host share this, so that both store the same records
 * for the same interrupts. The table is open-addressed; records are never removed. Freestanding. */
#ifndef PMU_MONITOR_H
#define PMU_MONITOR_H

#include "pmu/unwind.h"

/* One interrupt, as CSR_IND_* gave it. */
struct monitor_sample {
    unsigned long long iaddr, daddr, count, cycles, flags;
    unsigned long long insns;       /* executed since the previous interrupt */
};

struct monitor_stack {
    unsigned long long address[MONITOR_DEPTH_MAX];
    unsigned depth, walk;
};

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

static inline unsigned long long monitor_hash(unsigned long long iaddr,
                                              const struct monitor_stack *stack)
{
    unsigned long long hash = iaddr * 0x9e3779b97f4a7c15ull;

    for (unsigned i = 0; i < stack->depth; i++) {
        hash ^= stack->address[i];
        hash *= 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash != 0 ? hash : 1;
}

static inline bool monitor_is_same(const struct monitor_record *record,
                                   const struct monitor_sample *sample,
                                   const struct monitor_stack *stack)
{
    if (record->iaddr != sample->iaddr || record->depth != stack->depth ||
        IND_KIND(record->flags) != IND_KIND(sample->flags))
        return false;
    for (unsigned i = 0; i < stack->depth; i++)
        if (record->stack[i] != stack->address[i])
            return false;
    return true;
}

/* The record of this kind, iaddr and stack, made when it is new; a null pointer when the table is
 * full. */
static inline struct monitor_record *monitor_find(struct monitor_header *header,
                                                  const struct monitor_sample *sample,
                                                  const struct monitor_stack *stack)
{
    struct monitor_record *table = (struct monitor_record *)(void *)(header + 1), *record;
    unsigned long long mask = header->slots - 1;
    unsigned long long hash = monitor_hash(sample->iaddr + IND_KIND(sample->flags), stack);

    for (unsigned long long i = 0; i < header->slots; i++) {
        record = &table[(hash + i) & mask];
        if (record->hash == hash && monitor_is_same(record, sample, stack))
            return record;
        if (record->hash != 0)
            continue;
        record->hash = hash;
        record->iaddr = sample->iaddr;
        record->flags = (unsigned)sample->flags;
        record->depth = (unsigned short)stack->depth;
        record->walk = (unsigned short)stack->walk;
        for (unsigned k = 0; k < stack->depth; k++)
            record->stack[k] = stack->address[k];
        header->used++;
        return record;
    }
    return (struct monitor_record *)0;
}

/* Free records are zero; header->slots is a power of two. True: the record is new. */
static inline bool monitor_store(struct monitor_header *header, const struct monitor_sample *sample,
                                 const struct monitor_stack *stack)
{
    struct monitor_record *record = monitor_find(header, sample, stack);

    header->interrupts++;
    if (record == (struct monitor_record *)0) {
        header->dropped++;
        return false;
    }
    record->samples++;
    record->count_sum += sample->count;
    record->cycles_sum += sample->cycles;
    record->insns_sum += sample->insns;
    record->daddr_last = sample->daddr;
    record->flags |= (unsigned)sample->flags;
    return record->samples == 1;
}

#endif
