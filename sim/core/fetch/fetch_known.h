/* Fetch from a line that answers at once. */
#ifndef SIM_CORE_FETCH_FETCH_KNOWN_H
#define SIM_CORE_FETCH_FETCH_KNOWN_H

#include "pmu/event.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/mem/memsys_known.h"

/* True if the code line is known to be in the L1I; *frame: its frame there. */
static inline bool fetch_line_known(struct core *core, uint64_t pa, uint32_t *frame)
{
    if (!known_lines_find(core->code_lines, pa, frame))
        return false;
    core->events[EVENT_L1I_ACCESS]++, core->events[EVENT_L1I_HIT]++;
    return true;
}

/* As memsys_fetch_at_once. */
static inline bool fetch_line_at_once(struct core *core, uint64_t pa, uint32_t *frame)
{
    return fetch_line_known(core, pa, frame) ||
           (core->code_lines->is_kept && memsys_fetch_at_once(core->mem, pa, core->now, frame));
}

#endif
