/* Accesses of data to a page that is known, or to a line that answers at once. */
#ifndef SIM_CORE_LSU_LSU_KNOWN_H
#define SIM_CORE_LSU_LSU_KNOWN_H

#include "sim/core/pipe/stage_lsu.h"
#include "sim/mem/memsys_known.h"

/* The cycle at which the access's translation is known. */
static inline uint64_t lsu_translate(struct core *core, struct uop *uop)
{
    if (privilege_is_paged(core->hart, privilege_of_data(core->hart))) {
        const struct tlb_entry *entry = tlb_last(core->dtlb, uop->va);
        bool is_known = entry != NULL && entry->ready <= core->now &&
                        (uop->events & EVENT_BIT(DTLB_MISS)) == 0;
        return is_known ? core->now : lsu_translate_paged(core, uop);
    }
    return core->config->part_bare_cycles == 0 ? core->now : lsu_translate_bare(core, uop);
}

/* As memsys_load, of a load whose line is known; false: it is not. */
static inline bool lsu_load_at_once(struct core *core, uint64_t pa, struct mem_response *response)
{
    const struct known_lines *known = core->data_lines;
    uint32_t frame;
    if (!known_lines_find(known, pa, &frame))
        return false;
    core->events[EVENT_L1D_READ]++;
    *response = (struct mem_response){
        .ready = core->now + known->hit_cycles, .level = MEM_L1, .frame = frame,
        .block = pa >> known->line_shift << known->line_shift,
    };
    return true;
}

#endif
