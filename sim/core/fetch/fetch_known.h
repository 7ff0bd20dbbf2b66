/* Fetch from a line that answers at once. */
#ifndef SIM_CORE_FETCH_FETCH_KNOWN_H
#define SIM_CORE_FETCH_FETCH_KNOWN_H

#include "pmu/event.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/mem/memsys_known.h"

/* As memsys_fetch_at_once. */
static inline bool fetch_line_at_once(struct core *core, uint64_t pa, uint32_t *frame)
{
    const struct known_lines *known = core->code_lines;
    if (!known_lines_find(known, pa, frame))
        return known->is_kept && memsys_fetch_at_once(core->mem, pa, core->now, frame);
    core->events[EVENT_L1I_ACCESS]++, core->events[EVENT_L1I_HIT]++;
    return true;
}

#endif
