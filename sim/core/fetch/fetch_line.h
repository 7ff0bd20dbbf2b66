/* The cache side of fetch: translation and the line of an instruction, for fetch.c and ftq.c. */
#ifndef SIM_CORE_FETCH_FETCH_LINE_H
#define SIM_CORE_FETCH_FETCH_LINE_H

#include "isa/trap.h"
#include "sim/core/fetch/predecode.h"
#include "sim/core/pipe/core_state.h"

/* The instruction at pc, in the page of fetch; not valid if it continues in the next page. */
static inline const struct predecode_slot *fetch_slot_at(struct core *core, uint64_t pc)
{
    unsigned offset = (unsigned)(pc & (PHYS_PAGE_BYTES - 1));
    const struct predecode_slot *slot = &core->fetch_page->slot[offset >> 1];
    return slot->is_valid ? slot : predecode_at(core->predecode, core->fetch_page, offset);
}

/* In fetch_line.c. Translate: without timing. Is_ready: in this cycle; else fetch waits. The line
 * of pa is read for the instruction at pc; *frame: of its marks. */
enum trap_cause fetch_translate(struct core *core, uint64_t va, uint64_t *pa);
bool fetch_itlb_is_ready(struct core *core, uint64_t va);
bool fetch_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame);
/* Memory that was read as code may have changed. */
void fetch_forget_code(struct core *core);

#endif
