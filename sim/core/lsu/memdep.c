/* Memory dependence prediction: the older stores for which a load waits.
 *
 * The address of a load that passed a store it depended on is stored; from then on the load waits:
 *   predict     for the store on which it actually depends
 *   wait_all    for every older store whose address is not known (Kessler, "The Alpha 21264
 *               Microprocessor", IEEE Micro 1999: the load-wait table)
 *   store_sets  for the last store of its store set; stores of a set stay in order (Chrysos and
 *               Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998)
 * The tables are cleared every lsq.forget_cycles. conservative and blind need no table. */
#include "sim/core/lsu/memdep.h"

#include <string.h>

#include "sim/core/pipe/stage_stores.h"


static unsigned index_of(uint64_t pc)
{
    return (unsigned)(pc >> 1) % WAIT_TABLE;
}

static void forget_in_time(struct core *core)
{
    uint32_t lifetime = core_config(core)->lsq_forget_cycles;
    if (lifetime == 0 || core->now - core->memdep->cleared < lifetime)
        return;
    memset(core->memdep->wait_table, 0, sizeof core->memdep->wait_table);
    memset(core->memdep->store_set, 0, sizeof core->memdep->store_set);
    core->memdep->cleared = core->now;
}

/* The last store of the set, if it still waits for issue; else NEVER. A number freed by a squash
 * may have another instruction by now. */
static uint64_t last_of_set(const struct core *core, unsigned set)
{
    uint64_t seq = core->memdep->last_store[set];
    if (set == 0 || seq < core->commit_seq || seq >= core->dispatch_seq)
        return NEVER;
    const struct uop *uop = core_uop(core, seq);
    bool is_it = (uop->flags & UOP_IS_STORE) != 0 && uop->state == UOP_WAITING &&
                 core->memdep->store_set[index_of(uop->pc)] == set;
    return is_it ? seq : NEVER;
}

/* Of the stores before `seq`. */
uint64_t memdep_youngest_unissued(const struct core *core, uint64_t seq)
{
    for (uint64_t number = core->sq.tail; number-- > core->sq.commit;) {
        const struct store *store = store_queue_at(core, number);
        if (!store->is_issued && store->seq < seq &&
            (core_uop(core, store->seq)->flags & UOP_REPLAYING) == 0)
            return store->seq;
    }
    return NEVER;
}

uint64_t memdep_load_waits_for(struct core *core, const struct uop *uop)
{
    enum speculation how = (enum speculation)core_config(core)->lsq_speculation;
    if (how == SPECULATE_BLIND)
        return NEVER;
    if (how == SPECULATE_CONSERVATIVE || how == SPECULATE_PREDICT) {
        if (uop->store_number == NEVER || store_queue_at(core, uop->store_number)->is_issued)
            return NEVER;
        if (how == SPECULATE_PREDICT) {
            forget_in_time(core);
            if (core->memdep->wait_table[index_of(uop->pc)] == 0)
                return NEVER;
        }
        return store_queue_at(core, uop->store_number)->seq;
    }
    forget_in_time(core);
    if (how == SPECULATE_STORE_SETS)
        return last_of_set(core, core->memdep->store_set[index_of(uop->pc)]);
    return core->memdep->wait_table[index_of(uop->pc)] != 0
               ? memdep_youngest_unissued(core, NEVER) : NEVER;
}

uint64_t memdep_store_waits_for(struct core *core, const struct uop *uop, uint64_t seq)
{
    unsigned set = core->memdep->store_set[index_of(uop->pc)];
    if (set == 0)
        return NEVER;
    uint64_t previous = last_of_set(core, set);
    core->memdep->last_store[set] = seq;
    return previous == seq ? NEVER : previous;
}

bool memdep_waits_for_all(const struct core *core, const struct uop *uop)
{
    return core_config(core)->lsq_speculation == SPECULATE_WAIT_ALL &&
           core->memdep->wait_table[index_of(uop->pc)] != 0;
}

/* Puts both into one set: if only one has a set, that one; of two the lower number. */
static void join(struct core *core, uint64_t load_pc, uint64_t store_pc)
{
    uint8_t *load = &core->memdep->store_set[index_of(load_pc)];
    uint8_t *store = &core->memdep->store_set[index_of(store_pc)];
    if (*load == 0 && *store == 0)
        *load = *store = (uint8_t)(1 + index_of(load_pc) % (STORE_SETS - 1));
    else if (*load == 0 || (*store != 0 && *store < *load))
        *load = *store;
    else
        *store = *load;
}

void memdep_violated(struct core *core, uint64_t load_pc, uint64_t store_pc)
{
    core->memdep->wait_table[index_of(load_pc)] = 1;
    if (core_config(core)->lsq_speculation == SPECULATE_STORE_SETS)
        join(core, load_pc, store_pc);
}
