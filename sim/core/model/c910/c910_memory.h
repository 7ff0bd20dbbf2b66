/* Loads and stores of the C910: interfaces of its files. Part of c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_MEMORY_H
#define SIM_CORE_MODEL_C910_C910_MEMORY_H

#include "sim/core/model/c910/c910_state.h"
#include "sim/core/pipe/core_state.h"

static inline bool c910_searches(const struct core *core)
{
    return core_config(core)->c910_search_cycles != 0;
}

/* c910_writes.c. _step: called in each cycle in which there is a committed store. _commit: the
 * store commits. _lets_pass: true if the load or store may be issued. _has_popped: true if the
 * store has left the store queue. */
void c910_writes_step(struct core *core);
void c910_writes_commit(struct core *core, struct store *store);
bool c910_writes_lets_pass(struct core *core, const struct uop *uop);
bool c910_writes_has_popped(const struct core *core, uint64_t number);

/* c910_hurry.c. _entry: the entry has to be written soon, from `cycle` on. _decide: decides whether
 * writes come before loads and stores. _relax: `first`, and perhaps entries after it, have been
 * sent past the cache; unless another entry has to go, writes do not come first in the next
 * cycle. */
void c910_hurry_entry(struct core *core, struct write_entry *entry, uint64_t cycle);
void c910_hurry_decide(struct core *core);
void c910_hurry_relax(struct core *core, const struct write_entry *first);

/* c910_run.c. A store reaches the entries: with the mask `bytes` of a block whose whole mask is
 * `all`. */
void c910_run_follow(struct core *core, uint64_t block, uint64_t bytes, uint64_t all);

/* c910_issue.c. _load: a load is issued; it sleeps, takes its bytes from the write buffer (DONE) or
 * accesses the cache (RETRY). _freeze: the load was issued, and will be issued again. _frozen: the
 * number of such loads that were issued before this cycle and wait. _passed: a store is issued that
 * a younger load has passed. _wakes: the cycle in which a dependent of the load is issued; the load
 * had its value at `ready`, and its true_ready is not 0. */
enum issue_result c910_issue_load(struct core *core, struct uop *uop, uint64_t seq);
void c910_issue_freeze(struct core *core, const struct uop *uop, uint64_t seq);
uint32_t c910_issue_frozen(struct core *core);
void c910_issue_passed(struct core *core, const struct store *store);
uint64_t c910_issue_wakes(const struct core *core, const struct uop *load,
                          const struct uop *consumer, bool is_data, uint64_t ready);

/* c910_search.c. _step: searches for the loads that have come to that stage. c910_is_queued: true
 * if the store is in the queue in the cycle in which a load issued at `issued` searches it. */
void c910_search_step(struct core *core);
static inline bool c910_is_queued(const struct core *core, const struct store *store,
                                  uint64_t issued)
{
    return store->is_issued && store->issued_at < issued && store->bytes != 0 &&
           store->pops_at >= issued + core_config(core)->c910_search_cycles;
}

/* c910_wait.c. _for_pop, _for_data: the load waits until a store leaves the queue, or until a store
 * has its data. _commit: a store commits; returns the cycle in which it leaves the queue. _pop: the
 * store leaves the queue now. */
void c910_wait_for_pop(struct core *core, struct uop *uop, uint64_t seq);
void c910_wait_for_data(struct core *core, struct uop *uop, uint64_t seq,
                        const struct store *store);
uint64_t c910_wait_commit(struct core *core, struct store *store);
void c910_wait_pop(struct core *core, struct store *store);

/* c910_data.c. _come: it is known when the store's data can be issued. _step: called each cycle. */
void c910_data_come(struct core *core, struct uop *uop);
void c910_data_step(struct core *core);

#endif
