/* The routine that contains an address. */
#include "pmu/exact/calls_internal.h"
#include "pmu/sorted.h"

static bool begins_up_to(const void *routine, const void *address)
{
    return ((const struct calls_routine *)routine)->start <= *(const uint64_t *)address;
}

size_t calls_find(const struct calls *calls, uint64_t address)
{
    const struct calls_routine *routine = calls->map.routine;
    size_t after = sorted_place(routine, calls->map.routines, sizeof *routine, begins_up_to,
                                &address);

    return after != 0 && address < routine[after - 1].end ? after - 1 : SIZE_MAX;
}

uint64_t calls_routine_at(struct calls *calls, uint64_t address)
{
    const struct calls_routine *routine = calls->map.routine;

    if (calls->last >= calls->map.routines || address < routine[calls->last].start ||
        address >= routine[calls->last].end)
        calls->last = calls_find(calls, address);
    return calls->last != SIZE_MAX ? routine[calls->last].start : address;
}

bool calls_is_entry(const struct calls *calls, uint64_t from, uint64_t to)
{
    size_t target = calls_find(calls, to);

    return target != SIZE_MAX && calls->map.routine[target].start == to &&
           (from < to || from >= calls->map.routine[target].end);
}

bool calls_is_elsewhere(const struct calls *calls, uint64_t from, uint64_t to)
{
    size_t target = calls_find(calls, to);

    return target != SIZE_MAX && (from < calls->map.routine[target].start ||
                                  from >= calls->map.routine[target].end);
}
