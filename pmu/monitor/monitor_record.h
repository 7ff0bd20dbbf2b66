/* The record table of a profiling monitor: one record for each place, stack and kind of interrupt.
 * Marks of code and of data are different kinds.
 *
 * Open-addressed; records are never removed. Freestanding. */
#ifndef PMU_MONITOR_MONITOR_RECORD_H
#define PMU_MONITOR_MONITOR_RECORD_H

#include <stdbool.h>

#include "pmu/abi.h"

/* One interrupt, as CSR_IND_* gave it. */
struct monitor_sample {
    unsigned long long iaddr, daddr, count, cycles, flags;
    unsigned long long insns;       /* executed since the last indicator */
};

/* The bits of CSR_IND_FLAGS that separate records of one place and stack. */
#define MONITOR_WHY (MARK_DATA | 0xfu << IND_KIND_SHIFT)

/* True for a trap or the return from one: each cause and each system call has a record of its
 * own. */
static inline bool monitor_is_transfer(unsigned long long flags)
{
    return IND_KIND(flags) >= IND_KIND_EXCEPTION && IND_KIND(flags) <= IND_KIND_XRET;
}

/* Instructions of the program between *last and `now`, which becomes *last. An indicator may come
 * late, after others. */
static inline unsigned long long monitor_insns_until(unsigned long long *last,
                                                     unsigned long long now)
{
    unsigned long long insns = now > *last ? now - *last : 0;

    *last += insns;
    return insns;
}

struct monitor_stack {
    unsigned long long address[MONITOR_DEPTH_MAX];
    unsigned depth, walk;
};

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
        ((record->flags ^ (unsigned)sample->flags) & MONITOR_WHY) != 0 ||
        (monitor_is_transfer(sample->flags) && record->count_sum != sample->count))
        return false;
    for (unsigned i = 0; i < stack->depth; i++)
        if (record->stack[i] != stack->address[i])
            return false;
    return true;
}

/* The record of this kind, iaddr and stack, new if necessary; a null pointer if the table is
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
        record->count_sum = monitor_is_transfer(sample->flags) ? sample->count : 0;
        record->depth = (unsigned short)stack->depth;
        record->walk = (unsigned short)stack->walk;
        for (unsigned k = 0; k < stack->depth; k++)
            record->stack[k] = stack->address[k];
        header->used++;
        return record;
    }
    return (struct monitor_record *)0;
}

/* Free records are zero; header->slots is a power of two. True: the record is new, or there was no
 * room. */
static inline bool monitor_store(struct monitor_header *header, const struct monitor_sample *sample,
                                 const struct monitor_stack *stack)
{
    struct monitor_record *record = monitor_find(header, sample, stack);

    header->interrupts++;
    if (record == (struct monitor_record *)0) {
        header->dropped++;
        return true;
    }
    record->samples++;
    if (!monitor_is_transfer(sample->flags))
        record->count_sum += sample->count;
    record->cycles_sum += sample->cycles;
    record->insns_sum += sample->insns;
    record->daddr_last = sample->daddr;
    record->flags |= (unsigned)sample->flags;
    return record->samples == 1;
}

#endif
