/* Loads and stores of RSD: which stores a load has passed, loads that wait for all of them, and
 * stores that miss. Source: rsd-devel/rsd, LoadQueue.sv, MemoryDependencyPredictor.sv,
 * WakeupLogic.sv and StoreCommitter.sv. */
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_stores.h"

/* True if the load and the store have bytes, or units of rsd.order_bytes, in common. */
static bool are_ordered(const struct core *core, const struct uop *load, const struct store *store)
{
    uint64_t mask = ~(uint64_t)(core_config(core)->rsd_order_bytes - 1);
    return (store->pa & mask) <= ((load->pa + load->access_bytes - 1) & mask) &&
           (load->pa & mask) <= ((store->pa + store->bytes - 1) & mask);
}

/* A store finds every younger load that was executed before it or with it, whatever stores are
 * between them. */
void rsd_memory_passed(struct core *core, struct uop *uop, uint64_t seq)
{
    for (uint64_t number = core->sq.tail; number-- > core->sq.commit;) {
        struct store *store = store_queue_at(core, number);
        bool is_seen = store->is_issued && store->data_ready <= core->now;
        if (store->seq > seq || is_seen || store->bytes == 0 || !are_ordered(core, uop, store))
            continue;
        bool is_first = store->violator == NEVER;
        violation_pass(uop, seq, store);
        if (store->is_issued && is_first)
            violation_punish(core, store);
    }
}

/* False: the load waits for another store, too. */
bool rsd_memory_wakes(struct core *core, struct uop *load, uint64_t ready)
{
    uint64_t seq = core_seq_of(core, load);
    if (core_config(core)->lsq_speculation != SPECULATE_WAIT_ALL)
        return true;
    uint64_t store = memdep_youngest_unissued(core, seq);
    if (store == NEVER)
        return true;
    load->pending--;
    load->ready_at = later(load->ready_at, ready);
    rename_link_sorted(core, load, seq, 2, store);
    return false;
}

/* Stores issued in this cycle wake a load that is dispatched in it, as do stores issued later. */
uint64_t rsd_memory_load_after(const struct core *core, const struct uop *load)
{
    uint64_t woken = core->now + core_config(core)->rsd_store_wake_cycles;
    if (!memdep_waits_for_all(core, load))
        return 0;
    for (uint64_t number = core->sq.tail; number-- > core->sq.commit;) {
        const struct uop *store = core_uop(core, store_queue_at(core, number)->seq);
        bool is_selected = store->state == UOP_ISSUED || (store->flags & UOP_REPLAYING);
        if (is_selected && store->true_ready == core->now + issue_wake_cycles(core, store))
            return woken;
    }
    return 0;
}

/* The cycle from which the line is present, if later than announced, or 0. Checked when the store
 * is issued again. */
static uint64_t waits_until(const struct core *core, const struct store *store)
{
    uint64_t from = memsys_line_from(core->mem, store->pa);
    bool is_there = from == NEVER || from <= core->now + core_config(core)->latency_load;
    return is_there ? 0 : from;
}

bool rsd_memory_store_stays(struct core *core, struct store *store,
                            const struct mem_response *response, bool is_back)
{
    uint64_t from = is_back ? waits_until(core, store) : response->miss ? response->ready : 0;
    if (from == 0)
        return false;
    store->is_filling = true;
    core->sq.drain_from = from - core_config(core)->latency_load;
    return true;
}
