/* Loads that have wrongly passed a store: the store records them, and when the store issues they
 * are fetched again. */
#include "sim/core/lsu/lsu_port.h"
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_lsu.h"


void violation_pass(struct uop *uop, uint64_t seq, struct store *store)
{
    if (seq < store->violator)
        store->violator = seq;
    uop->flags |= UOP_SPECULATED;
}

/* A store issued in cycle `issued` that a load wrongly passed completes only after that load is
 * squashed, which happens before commit in a cycle. */
void violation_keep_store(const struct core *core, struct uop *uop, uint64_t issued)
{
    if (core_config(core)->recover_violation == 0 && uop->complete_cycle != NEVER)
        commit_not_before(core, uop, issued + port_violation_cycles(core));
}

/* Fetches the load, or the instruction after the store, again: now, or at its commit. */
void violation_punish(struct core *core, const struct store *store)
{
    struct uop *load = core_uop(core, store->violator);
    uint64_t keep = port_violation_keep(core, store);
    struct uop *first = core_uop(core, keep + 1);
    load->flags |= UOP_VIOLATED;
    memdep_violated(core, load->pc, store->pc);
    violation_keep_store(core, core_uop(core, store->seq), core->now);
    if (core_config(core)->recover_violation == 0)
        redirect_schedule(core, core->now + port_violation_cycles(core), keep, first->pc, true);
    else
        first->flags |= UOP_REFETCH;
}
