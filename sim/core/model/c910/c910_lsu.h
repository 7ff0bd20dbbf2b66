/* The C910's answers to the questions of lsu_port.h. Part of c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_LSU_H
#define SIM_CORE_MODEL_C910_C910_LSU_H

#define PORT_SEARCH
#define port_searches c910_searches
static inline void port_search_step(struct core *core)
{
    if (c910_searches(core))
        c910_search_step(core);
}
#define port_search c910_issue_load
static inline void port_is_issued_again(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (c910_searches(core))
        c910_issue_freeze(core, uop, seq);
}
static inline bool port_lets_pass(struct core *core, const struct uop *uop)
{
    return !c910_searches(core) || c910_writes_lets_pass(core, uop);
}
static inline void port_store_issued(struct core *core, struct uop *uop, struct store *store)
{
    uop->complete_cycle = NEVER;
    if (uop->data_at != NEVER)
        c910_data_come(core, uop);
    if (store->violator != NEVER)
        c910_issue_passed(core, store);
}
#define port_data_comes c910_data_come
/* A queue that holds only issued loads waiting for their reissue counts as empty. */
static inline bool port_passes_queue(struct core *core, const struct uop *uop, uint32_t waiting)
{
    return waiting == 0 || (c910_searches(core) && (uop->flags & (UOP_IS_LOAD | UOP_IS_STORE)) &&
                            waiting == c910_issue_frozen(core));
}

#define PORT_SPLIT
static inline uint32_t port_split_bytes(const struct core *core)
{
    return core_config(core)->c910_split_bytes;
}
static inline uint32_t port_split_cycles(const struct core *core)
{
    return core_config(core)->c910_split_cycles;
}

#define PORT_AMO
static inline bool port_amo_is_far(const struct core *core)
{
    return core_config(core)->c910_amo_far != 0;
}
static inline uint32_t port_amo_write_cycles(const struct core *core)
{
    return core_config(core)->c910_amo_write_cycles;
}

#define PORT_STORES
static inline uint64_t port_store_leaves(struct core *core, struct store *store)
{
    return c910_searches(core) ? c910_wait_commit(core, store) : core->now;
}
static inline bool port_store_is_queued(const struct core *core, const struct store *store)
{
    return c910_searches(core) && store->pops_at > core->now;
}
static inline uint64_t port_stores_from(const struct core *core, uint64_t first)
{
    return core_config(core)->c910_drain_spare ? core->model->writes.popped : first;
}
static inline bool port_drains(struct core *core)
{
    if (core_config(core)->c910_drain_spare)
        c910_writes_step(core);
    return core_config(core)->c910_drain_spare != 0;
}

#endif
