/* The interface of the store queue (store_queue.c). */
#ifndef SIM_CORE_PIPE_STAGE_STORES_H
#define SIM_CORE_PIPE_STAGE_STORES_H

#include "sim/core/lsu/lsu_port.h"

/* Stores from dispatch until the cache has taken them. store_queue_places: the most of these. */
uint32_t store_queue_places(const struct config *config);
/* Makes at least that many places, before the queue has any stores. False: no memory. */
bool store_queue_grow(struct core *core, uint32_t places);
static inline bool store_queue_is_full(const struct core *core)
{
    uint64_t buffered = core->sq.commit - core->sq.head;
    if (buffered > core->config->part_store_buffer)
        buffered = core->config->part_store_buffer;
    uint64_t first = port_stores_from(core, core->sq.head + buffered);
    return core->sq.tail - first >= core_config(core)->lsq_stores;
}
static inline struct store *store_queue_at(const struct core *core, uint64_t number)
{
    return &core->sq.store[number & core->sq.mask];
}
static inline unsigned store_queue_hash(uint64_t pa)
{
    return (unsigned)(pa >> 3) % STORE_HASH;
}
static inline bool store_overlaps(const struct store *store, uint64_t pa, unsigned bytes)
{
    return store->pa < pa + bytes && pa < store->pa + store->bytes;
}
static inline bool store_covers(const struct store *store, uint64_t pa, unsigned bytes)
{
    return store->pa <= pa && pa + bytes <= store->pa + store->bytes;
}
/* True: no store of the queue overlaps. False: one may. */
static inline bool store_queue_is_apart(const struct core *core, uint64_t pa, unsigned bytes)
{
    return core->sq.hash[store_queue_hash(pa)] == 0 &&
           core->sq.hash[store_queue_hash(pa + bytes - 1)] == 0;
}
/* The youngest store that overlaps, or NEVER. _search: called if there may be one. */
uint64_t store_queue_search(const struct core *core, uint64_t pa, unsigned bytes);
static inline uint64_t store_queue_find(const struct core *core, uint64_t pa, unsigned bytes)
{
    return store_queue_is_apart(core, pa, bytes) ? NEVER : store_queue_search(core, pa, bytes);
}
uint64_t store_queue_read(const struct core *core, uint64_t pa, unsigned bytes, uint64_t memory);
void store_queue_push(struct core *core, struct uop *uop, uint64_t seq);
void store_queue_undo(struct core *core);
void store_queue_commit(struct core *core, const struct uop *uop);
/* The cache has the oldest committed store from `cycle` on. */
void store_queue_leave(struct core *core, uint64_t cycle);
void store_queue_forget_violators(struct core *core, uint64_t keep_seq);

#endif
