/* The thread and the program that a hart runs; see pmu_thread.h. */
#include "pmu/pmu_thread.h"

#include <stddef.h>

#include "pmu/key.h"
#include "pmu/pmu.h"

void pmu_listen(struct pmu_thread *thread, struct pmu_listener *listener)
{
    listener->next = thread->listeners;
    thread->listeners = listener;
}

void pmu_unlisten(struct pmu_thread *thread, const struct pmu_listener *listener)
{
    for (struct pmu_listener **link = &thread->listeners; *link != NULL; link = &(*link)->next)
        if (*link == listener) {
            *link = listener->next;
            return;
        }
}

void pmu_set_thread(struct pmu *pmu, uint64_t id)
{
    uint64_t before = pmu->thread.id;

    pmu->thread.id = id;
    pmu_ranges_changed(pmu);
    for (struct pmu_listener *listener = pmu->thread.listeners; listener != NULL;
         listener = listener->next)
        if (listener->changed != NULL)
            listener->changed(listener->arg, before, id);
}

void pmu_range_set(const struct pmu *pmu, struct pmu_range *range)
{
    uint64_t here = pmu->thread.program, program = key_program(range->start) == here ? here : 0;
    uint64_t from = range->start - program;
    bool is_here = key_of(here, from) == range->start;

    range->inside = false;
    range->from = is_here ? from : 0;
    range->to = is_here ? range->end - program : 0;
}

uint64_t pmu_cover_key(const struct pmu_cover *cover, size_t covers, uint64_t program, uint64_t va)
{
    for (size_t i = 0; i < covers; i++)
        if (va - cover[i].start < cover[i].end - cover[i].start)
            return key_of(cover[i].program, va);
    return key_of(program, va);
}

static void tell_program(const struct pmu *pmu)
{
    for (struct pmu_listener *listener = pmu->thread.listeners; listener != NULL;
         listener = listener->next)
        if (listener->program != NULL)
            listener->program(listener->arg, pmu->thread.program);
}

void pmu_set_covers(struct pmu *pmu, const struct pmu_cover *cover, size_t covers)
{
    bool changes = pmu->thread.covers != 0 || covers != 0;

    pmu->thread.cover = cover;
    pmu->thread.covers = covers;
    if (changes)
        tell_program(pmu);
}

void pmu_set_program(struct pmu *pmu, uint64_t program)
{
    if (pmu->thread.program == program)
        return;
    pmu->thread.program = program;
    for (unsigned i = 0; i < PROF_RANGES; i++) {
        pmu_range_set(pmu, &pmu->irange[i]);
        pmu_range_set(pmu, &pmu->drange[i]);
    }
    pmu_ranges_changed(pmu);
    tell_program(pmu);
}
