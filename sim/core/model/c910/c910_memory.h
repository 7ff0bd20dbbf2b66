/* Loads and stores of the C910: interfaces of its files. Part of c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_MEMORY_H
#define SIM_CORE_MODEL_C910_C910_MEMORY_H

#include "sim/core/model/c910/c910_state.h"
#include "sim/core/pipe/core_state.h"

static inline bool c910_searches(const struct core *core)
{
    return core_config(core)->c910_search_cycles != 0;
}

/* In c910_writes.c. Step: called each cycle while a committed store is there.
 * Commit: of a store. Lets pass: true if the load or store may be issued. Has popped: the store has
 * left the store queue. */
void c910_writes_step(struct core *core);
void c910_writes_commit(struct core *core, struct store *store);
bool c910_writes_lets_pass(struct core *core, const struct uop *uop);
bool c910_writes_has_popped(const struct core *core, uint64_t number);

/* In c910_hurry.c. Entry: it has to be written soon, from the cycle on. Decide: whether writes come
 * first. Relax: `first` and perhaps others have been sent past the cache; unless another has to go,
 * writes do not come first in the next cycle. */
void c910_hurry_entry(struct core *core, struct write_entry *entry, uint64_t cycle);
void c910_hurry_decide(struct core *core);
void c910_hurry_relax(struct core *core, const struct write_entry *first);

/* In c910_run.c. A store reaches the entries, with these bytes of a block, of `all` that it has. */
void c910_run_follow(struct core *core, uint64_t block, uint64_t bytes, uint64_t all);

/* In c910_issue.c. Load: one is issued, to sleep, to take its bytes from the write buffer (DONE) or
 * the cache (RETRY). Freeze: it was issued, and will be again. Frozen: the number of these that
 * wait, issued before this cycle. Passed: a store is issued that a load has passed. Wakes: the
 * cycle in which dependents of a load are issued that had its value at `ready`, and whose
 * true_ready is not 0. */
enum issue_result c910_issue_load(struct core *core, struct uop *uop, uint64_t seq);
void c910_issue_freeze(struct core *core, const struct uop *uop, uint64_t seq);
uint32_t c910_issue_frozen(struct core *core);
void c910_issue_passed(struct core *core, const struct store *store);
uint64_t c910_issue_wakes(const struct core *core, const struct uop *load,
                          const struct uop *consumer, bool is_data, uint64_t ready);

/* In c910_search.c. Step: loads come to the search. In the queue: true if the store is, in the
 * cycle in which a load issued at `issued` searches it. */
void c910_search_step(struct core *core);
static inline bool c910_is_queued(const struct core *core, const struct store *store,
                                  uint64_t issued)
{
    return store->is_issued && store->issued_at < issued && store->bytes != 0 &&
           store->pops_at >= issued + core_config(core)->c910_search_cycles;
}

/* In c910_wait.c. The load waits for a store to leave the queue, or for its data. Commit: of a
 * store; returns the cycle in which it leaves the queue. Pop: it leaves now. */
void c910_wait_for_pop(struct core *core, struct uop *uop, uint64_t seq);
void c910_wait_for_data(struct core *core, struct uop *uop, uint64_t seq,
                        const struct store *store);
uint64_t c910_wait_commit(struct core *core, struct store *store);
void c910_wait_pop(struct core *core, struct store *store);

/* In c910_data.c. Come: a store's data can be issued. Step: called each cycle. */
void c910_data_come(struct core *core, struct uop *uop);
void c910_data_step(struct core *core);

#endif
