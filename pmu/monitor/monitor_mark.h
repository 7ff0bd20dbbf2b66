/* Marking callers while the program runs: a call site found by a stack walk gets a counter with a
 * limit, so that it will interrupt too, and the monitor continues from there towards the root.
 *
 * Shared by the resident monitor and the one on the host, so that both mark the same; the items are
 * those of pmu/monitor/monitor_item.h, the list of calls follows struct monitor_callers.
 * Freestanding. */
#ifndef PMU_MONITOR_MONITOR_MARK_H
#define PMU_MONITOR_MONITOR_MARK_H

#include "pmu/monitor/monitor.h"
#include "pmu/monitor/monitor_item.h"

/* The slot of a call in the list, free if its va is 0; a null pointer if the list is full. */
static inline struct monitor_site *monitor_site_of(const struct monitor_access *m,
                                                   struct monitor_callers *callers,
                                                   unsigned long long va)
{
    struct monitor_site *list = (struct monitor_site *)(void *)(callers + 1);
    unsigned long long hash = va * 0x9e3779b97f4a7c15ull >> 32;

    for (unsigned long long i = 0; i < m->sites; i++) {
        struct monitor_site *site = &list[(hash + i) & (m->sites - 1)];

        if (site->va == 0 || site->va == va)
            return site;
    }
    return (struct monitor_site *)0;
}

/* An item that already counts keeps its limit. False: there is no item. */
static inline bool monitor_mark_site(const struct monitor_access *m,
                                     struct monitor_callers *callers, struct monitor_site *site,
                                     unsigned long long va)
{
    unsigned long long pa, item = 0, flags;

    if (m->locate(m->arg, va, &pa))
        item = monitor_item(m, callers, pa);
    if (item == 0)
        return false;
    site->va = va;
    site->item = item;
    callers->used++;
    flags = m->read(m->arg, item);
    if ((flags & MARK_COUNTER) == 0)
        m->write(m->arg, item + 8, callers->limit);
    m->write(m->arg, item, flags | MARK_COUNTER | MARK_INTERRUPT);
    m->set(m->arg, PROF_REG_SYNC, 0);
    return true;
}

/* Marks the innermost unmarked call of the stack. Code interrupted by a signal is not a call. True:
 * metadata changed. */
static inline bool monitor_mark_caller(const struct monitor_access *m,
                                       struct monitor_callers *callers, struct unwind *u,
                                       const struct monitor_stack *stack)
{
    for (unsigned i = 1; i < stack->depth; i++) {
        unsigned long long va = unwind_call_site(u, stack->address[i]);
        struct monitor_site *site;

        if ((stack->address[i] & 1) != 0)
            continue;
        site = monitor_site_of(m, callers, va);
        if (site != (struct monitor_site *)0 && site->va == va)
            continue;
        if (site != (struct monitor_site *)0 && monitor_mark_site(m, callers, site, va))
            return true;
        callers->full++;
        return false;
    }
    return false;
}

#endif
