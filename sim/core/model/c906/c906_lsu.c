/* Loads and stores of the C906, where one has to wait for another.
 *
 *   store_again: a store overlaps the one of the cycle before.
 *   drain_pending: the line of a store is on its way.
 *   conflict_polls: a load polls for a store's data.
 * Source: C906, aq_lsu_dc.v (stb_dc_hit_addr_wca, dc_ld_reply), aq_lsu_stb_entry.v (STB_WCA),
 * aq_lsu_arb.v (arb_stb_grant). */
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage_stores.h"

/* True if a load follows right after the store. The load reads the data array, which the store
 * buffer cannot write then. */
static bool is_load_next(const struct core *core)
{
    uint64_t next = core->dispatch_seq + 1;
    return next < core->decode_seq && core_uop(core, next)->kind == KIND_LOAD;
}

/* Delays a store if the store of the cycle before is about to write some of the same bytes. */
static void try_again(struct core *core, const struct uop *uop, uint64_t before)
{
    struct model *model = core->model;
    if (before + 1 != core->now || core->sq.tail == core->sq.head ||
        memsys_find_dframe(core->mem, uop->pa) == MEM_NO_FRAME)
        return;
    const struct store *store = store_queue_at(core, core->sq.tail - 1);
    if (uop->pa >= store->pa + store->bytes || store->pa >= uop->pa + uop->access_bytes)
        return;
    model->store_cycle = core->now + core_config(core)->c906_store_again + is_load_next(core);
    model->memory_free = model->store_cycle + 1;
}

bool c906_store(struct core *core, const struct uop *uop, uint64_t *ready)
{
    (void)ready;
    uint64_t before = core->model->store_cycle;
    core->model->store_cycle = core->now;
    if (core_config(core)->c906_store_again != 0)
        try_again(core, uop, before);
    return true;
}

/* Later memory operations, also those not issued yet, wait until the cache has been read again. */
bool c906_store_stays(struct core *core, struct store *store, const struct mem_response *response)
{
    if (response->miss || response->ready <= core->now + core_config(core)->latency_load)
        return false;
    store->is_filling = true;
    core->sq.drain_from = response->ready - core_config(core)->latency_load;
    core->model->memory_free = core->sq.drain_from + core_config(core)->c906_store_again;
    return true;
}

/* In the cycle in which the load asks, no store goes to the cache. A store that went in the cycle
 * of the load's arrival would have gone in the next. */
void c906_load_waits(struct core *core, bool is_first)
{
    struct model *model = core->model;
    uint32_t polls = core_config(core)->c906_conflict_polls;
    bool has_gone = is_first ? store_queue_at(core, core->sq.head - 1)->drains_at == core->now
                             : core->sq.head != model->conflict_head;
    model->conflict_head = core->sq.head;
    if (has_gone)
        core->sq.drain_from = later(core->sq.drain_from, core->now + polls + is_first);
}
