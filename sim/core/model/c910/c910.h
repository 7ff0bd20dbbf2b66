/* The C910: what it does otherwise than the pipe (port.h has the questions).
 *
 *   c910_search.c  loads search the queues some stages after their issue
 *   c910_writes.c  stores between their leaving the store queue and the data cache
 *   c910_state.c   the model's state */
#ifndef SIM_CORE_MODEL_C910_C910_H
#define SIM_CORE_MODEL_C910_C910_H

#include "sim/core/model/c910/c910_search.h"
#include "sim/core/model/c910/c910_writes.h"
#include "sim/core/pipe/core_state.h"

struct model {
    struct c910_search search;
    struct c910_writes writes;
};

/* c910_state.c */
struct model *c910_new(struct core *core);
void c910_free(struct model *model);

/* c910_writes.c. Step: each cycle while a committed store is there.
 * Commit: of a store. Lets pass: may the load or store be issued? Has popped: the store has left
 * the store queue. */
void c910_writes_step(struct core *core);
void c910_writes_commit(struct core *core, struct store *store);
bool c910_writes_lets_pass(struct core *core, const struct uop *uop);
bool c910_writes_has_popped(const struct core *core, uint64_t number);

/* c910_search.c. Issue: a load is, to sleep, to take its bytes from the write buffer (DONE) or the
 * cache (RETRY). Passed: a store is issued that a load has passed. Step: those that come to the
 * search. Freeze: the load was issued, and will be again. Frozen: how many of these wait, issued
 * before this cycle. Data: those of a store can be issued. Commit: of a store; the cycle in which
 * it leaves the queue. Pop: it leaves now. Wakes: when what depends on a load is issued that had
 * its value at `ready`. */
enum issue_result c910_search_issue(struct core *core, struct uop *uop, uint64_t seq);
void c910_search_freeze(struct core *core, const struct uop *uop, uint64_t seq);
uint32_t c910_search_frozen(struct core *core);
void c910_search_passed(struct core *core, const struct store *store);
void c910_search_step(struct core *core);
void c910_search_data(struct core *core, struct uop *uop);
uint64_t c910_search_commit(struct core *core, struct store *store);
void c910_search_pop(struct core *core, struct store *store);
uint64_t c910_search_wakes(const struct core *core, const struct uop *load,
                           const struct uop *consumer, bool is_data, uint64_t ready);

#include "sim/core/model/c910/c910_back.h"

#endif
