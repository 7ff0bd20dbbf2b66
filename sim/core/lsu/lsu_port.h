/* The questions of loads and stores, out of order, to the model; see port.h. */
#ifndef SIM_CORE_LSU_LSU_PORT_H
#define SIM_CORE_LSU_LSU_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 16. Load. Kept: what it loads is in a miss register, if not in the cache. From: the cycle from
 * which it can be issued; a past one: now. */
#ifndef PORT_LOAD_AGAIN
static inline bool port_has_line_kept(const struct core *core, const struct uop *uop)
{
    return false;
}
static inline uint64_t port_load_after(struct core *core, const struct uop *uop) { return 0; }
#endif

/* Searches: a load meets the older stores some cycles after its issue, where the model sees to it,
 * and a store younger loads. Step: before anything is issued. Search: the load is issued: it
 * sleeps, has its value (DONE), or goes to the cache (RETRY). Is issued again: it sleeps, and will
 * be. Lets pass: may the load or store use the cache? Store issued; data come: of one that was.
 * Passes queue: is a queue in which so many wait as good as empty to it? */
#ifndef PORT_SEARCH
static inline bool port_searches(const struct core *core) { return false; }
static inline void port_search_step(struct core *core) { }
static inline enum issue_result port_search(struct core *core, struct uop *uop, uint64_t seq)
{
    return ISSUE_RETRY;
}
static inline void port_is_issued_again(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline bool port_lets_pass(struct core *core, const struct uop *uop) { return true; }
static inline void port_store_issued(struct core *core, struct uop *uop, struct store *store) { }
static inline void port_data_comes(struct core *core, struct uop *uop) { }
static inline bool port_passes_queue(struct core *core, const struct uop *uop, uint32_t waiting)
{
    return waiting == 0;
}
#endif

/* Split: a load that crosses a boundary of so many bytes goes to the cache twice, the second time
 * some cycles later; asked with EXTRA_SPLIT. */
#ifndef PORT_SPLIT
static inline uint32_t port_split_bytes(const struct core *core) { return 1; }
static inline uint32_t port_split_cycles(const struct core *core) { return 0; }
#endif

/* Atomic access: its line is read from the level after L1D, which gives it up first; cycles from
 * its value to the end of its write. */
#ifndef PORT_AMO
static inline bool port_amo_is_far(const struct core *core) { return false; }
static inline uint32_t port_amo_write_cycles(const struct core *core) { return 0; }
#endif

/* 17. Load passed a store wrongly: cycles until that is noticed; the youngest instruction that
 * stays. Store wakes: cycles from its issue to that of a load that waited for it. */
#ifndef PORT_VIOLATION
static inline uint64_t port_violation_cycles(const struct core *core) { return 1; }
static inline uint64_t port_violation_keep(const struct core *core, const struct store *store)
{
    return store->violator - 1;
}
static inline uint64_t port_store_wake_cycles(const struct core *core) { return 1; }
#endif

/* Stores after commit. Leaves: the cycle in which the store leaves the queue. Is queued: it is in
 * that still. From: the oldest store that takes a place of the queue, which would be `first`.
 * Drains: the model does in this cycle, and the pipe does not. */
#ifndef PORT_STORES
static inline uint64_t port_store_leaves(struct core *core, struct store *store)
{
    return core->now;
}
static inline bool port_store_is_queued(const struct core *core, const struct store *store)
{
    return false;
}
static inline uint64_t port_stores_from(const struct core *core, uint64_t first) { return first; }
static inline bool port_drains(struct core *core) { return false; }
#endif

#pragma GCC diagnostic pop

#endif
