/* See profiler_look.h. A count is the sum of the count in memory and the part that shadow frames
 * have not merged yet. */
#include "sim/run/profiler/profiler_look.h"

#include "shadowcache/shadow_look.h"
#include "sim/run/profiler/profiler_internal.h"

size_t profiler_look_marks(const struct profiler *profiler)
{
    return profiler != NULL && profiler->phys != NULL ? profiler->perfinst.sites : 0;
}

struct profiler_seen profiler_look_mark(const struct profiler *profiler, size_t index)
{
    const struct perfinst_site *site = &profiler->perfinst.site[index];
    struct profiler_seen seen = {.site = site};
    struct perfinst_item item;

    if (!phys_copy_out(profiler->phys, site->item, &item, sizeof item))
        return seen;
    seen.count = item.count;
    seen.interrupts = item.interrupts;
    for (unsigned i = 0; i < profiler->harts; i++) {
        const struct cpu *cpu = &profiler->cpu[i];

        shadow_look_item(site->is_code ? cpu->ishadow : cpu->dshadow, site->item, &seen.count,
                         &seen.interrupts);
    }
    return seen;
}
