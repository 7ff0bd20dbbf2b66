/* An instruction enters the ring: its predecoded form, and where it comes from. */
#ifndef SIM_CORE_FETCH_FETCH_FILL_H
#define SIM_CORE_FETCH_FETCH_FILL_H

#include "sim/core/pipe/stage.h"

/* What instructions fetched together have in common. cycle: in which they are read from the cache.
 * to_pa: physical addresses less virtual ones. */
struct fetch_origin { uint64_t cycle, to_pa; uint8_t priv; };

static inline struct fetch_origin fetch_origin(const struct core *core, uint64_t cycle)
{
    return (struct fetch_origin){
        .cycle = cycle, .to_pa = core->fetch_page_pa - core->fetch_page_va,
        .priv = core->hart->priv,
    };
}

/* Without what fetch noted before it. */
static inline void fetch_fill(struct uop *uop, const struct predecode_slot *slot, uint64_t pc,
                              uint64_t id, const struct fetch_origin *origin)
{
    uop->insn = slot->insn;
    uop->flags = slot->uop_flags;
    uop->kind = slot->kind;
    uop->unit = slot->unit;
    uop->unit_class = slot->unit_class;
    uop->latency = slot->latency;
    uop->access_bytes = slot->mem_bytes;
    uop->state = UOP_FETCHED;
    uop->trap = TRAP_NONE;
    uop->level = uop->fflags = 0;
    uop->priv = origin->priv;
    uop->fetch_cause = EVENT_LOST_BANDWIDTH;
    uop->refill_cause = 0;
    uop->events = slot->events;
    uop->pc = pc;
    uop->predicted_pc = pc + slot->insn.length;
    uop->id = id;
    uop->fetch_cycle = origin->cycle;
    uop->insn_pa = pc + origin->to_pa;
    uop->tval = uop->va = uop->pa = 0;
}

#endif
