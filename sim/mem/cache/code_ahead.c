/* See code_ahead.h. */
#include "sim/mem/cache/code_ahead.h"

#include "sim/mem/cache/memshared.h"
#include "sim/mem/phys.h"

enum { SEEN = 8 };      /* cycles from the request of a core until it has been looked up */

void code_ahead_run(struct memshared *shared, uint64_t now)
{
    struct code_ahead *ahead = &shared->code_ahead;
    unsigned done = 0;
    for (; done < ahead->count && ahead->line[done].at <= now; done++) {
        const struct code_line *line = &ahead->line[done];
        memshared_prefetch(shared, line->pa, line->at + memshared_cycles(shared), line->events);
    }
    ahead->count -= done;
    for (unsigned i = 0; i < ahead->count; i++)
        ahead->line[i] = ahead->line[i + done];
}

void code_ahead_begin(struct memshared *shared, const struct mem_request *request)
{
    struct code_ahead *ahead = &shared->code_ahead;
    uint64_t bytes = UINT64_C(1) << shared->level[0].cache.line_shift;
    uint64_t pa = request->pa & ~(bytes - 1), at = request->now + SEEN;
    if (at < ahead->idle_from)
        return;
    for (uint32_t i = 0; i < ahead->lines && ahead->count < CODE_AHEAD_MAX; i++) {
        pa += bytes;
        if (pa % PHYS_PAGE_BYTES == 0)
            break;
        ahead->line[ahead->count++] = (struct code_line){pa, ++at, request->events};
    }
    ahead->idle_from = at + 1;
}
