/* The questions of loads and stores, out of order, to the model; see port.h. */
#ifndef SIM_CORE_LSU_LSU_PORT_H
#define SIM_CORE_LSU_LSU_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 16. Load. port_has_line_kept: the load's line, if not in the cache, is in a miss register.
 * port_load_after: the first cycle in which it can be issued; a past cycle means now. */
#ifndef PORT_LOAD_AGAIN
static inline bool port_has_line_kept(const struct core *core, const struct uop *uop)
{
    return false;
}
static inline uint64_t port_load_after(struct core *core, const struct uop *uop) { return 0; }
#endif

/* Search. port_searches: in this model a load searches the older stores, and a store the younger
 * loads, some cycles after its issue. port_search_step: called before anything is issued.
 * port_search: the load is issued; it sleeps, has its value (DONE), or accesses the cache (RETRY).
 * port_is_issued_again: the load sleeps and will be issued again. port_lets_pass: true if the load
 * or store may use the cache. port_store_issued: a store is issued. port_data_comes: the data of an
 * issued store arrive. port_passes_queue: true if a queue in which `waiting` operations wait counts
 * as empty for this one. */
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

/* Split: a load that crosses a boundary of port_split_bytes accesses the cache twice, the second
 * time port_split_cycles later; used with EXTRA_SPLIT. */
#ifndef PORT_SPLIT
static inline uint32_t port_split_bytes(const struct core *core) { return 1; }
static inline uint32_t port_split_cycles(const struct core *core) { return 0; }
#endif

/* Atomic access. port_amo_is_far: its line is read from the level after L1D, and L1D evicts it
 * first. port_amo_write_cycles: cycles from its value to the end of its write. */
#ifndef PORT_AMO
static inline bool port_amo_is_far(const struct core *core) { return false; }
static inline uint32_t port_amo_write_cycles(const struct core *core) { return 0; }
#endif

/* 17. Violation: a load passed an older store to its bytes. port_violation_cycles: cycles until
 * that is noticed. port_violation_keep: the youngest instruction that stays.
 * port_store_wake_cycles: cycles from the issue of a store to that of a load that waited for it. */
#ifndef PORT_VIOLATION
static inline uint64_t port_violation_cycles(const struct core *core) { return 1; }
static inline uint64_t port_violation_keep(const struct core *core, const struct store *store)
{
    return store->violator - 1;
}
static inline uint64_t port_store_wake_cycles(const struct core *core) { return 1; }
#endif

/* Stores after commit. port_store_leaves: the cycle in which the store leaves the queue.
 * port_store_is_queued: the store is still in the queue. port_stores_from: the oldest store that
 * occupies a place of the queue, by default `first`. port_drains: the model drains stores in this
 * cycle, instead of the pipe. */
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
