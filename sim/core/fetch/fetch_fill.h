/* Enters an instruction into the ring: its predecoded form, and its origin. */
#ifndef SIM_CORE_FETCH_FETCH_FILL_H
#define SIM_CORE_FETCH_FETCH_FILL_H

#include "isa/trap.h"
#include "pmu/event.h"
#include "sim/core/fetch/predecode.h"
#include "sim/core/pipe/core_internal.h"


/* Common data of instructions fetched together. cycle: of their cache read. to_pa: physical minus
 * virtual addresses. */
struct fetch_origin { uint64_t cycle, to_pa; uint8_t priv; };

static inline struct fetch_origin fetch_origin(const struct core *core, uint64_t cycle)
{
    return (struct fetch_origin){
        .cycle = cycle, .to_pa = core->fetch_page_pa - core->fetch_page_va,
        .priv = core->hart->priv,
    };
}

#define SAME_PLACE(field, slot_field)                                                              \
    _Static_assert(offsetof(struct uop, field) == offsetof(struct predecode_slot, slot_field),     \
                   #field " is copied from a slot")
SAME_PLACE(insn, insn);
SAME_PLACE(flags, uop_flags);
SAME_PLACE(kind, kind);
SAME_PLACE(unit, unit);
SAME_PLACE(unit_class, unit_class);
SAME_PLACE(latency, latency);
SAME_PLACE(access_bytes, mem_bytes);
SAME_PLACE(state, state);
SAME_PLACE(trap, trap);
SAME_PLACE(priv, priv);
#undef SAME_PLACE

/* Leaves out the notes of fetch. Returns the pc after it. */
static inline uint64_t fetch_fill(struct uop *uop, const struct predecode_slot *slot, uint64_t pc,
                                  uint64_t id, const struct fetch_origin *origin)
{
    memcpy(uop, slot, offsetof(struct uop, priv) + sizeof uop->priv);
    uop->level = uop->fflags = 0;
    uop->priv = origin->priv;
    uop->fetch_cause = EVENT_LOST_BANDWIDTH;
    uop->refill_cause = 0;
    uop->events = slot->events;
    uop->id = id;
    uop->fetch_cycle = origin->cycle;
    uop->pc = pc;
    uop->insn_pa = pc + origin->to_pa;
    return uop->predicted_pc = pc + slot->insn.length;
}

#endif
