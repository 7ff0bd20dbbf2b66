/* Interfaces of the files of loads and stores: their timing, the store queue. Part of
 * stage.h. */
#ifndef SIM_CORE_PIPE_STAGE_LSU_H
#define SIM_CORE_PIPE_STAGE_LSU_H

#include "sim/core/lsu/lsu_port.h"
#include "sim/core/privilege.h"

/* lsu.c: timing of loads and stores */
enum issue_result lsu_issue(struct core *core, struct uop *uop, uint64_t seq);
/* violation.c. pass: the load has its value before the store, which it should have waited for.
 * punish: such a store is issued: the load, or more, is fetched again. keep_store: the store,
 * issued in that cycle, is not done until this is squashed, which comes before commit. */
void violation_pass(struct uop *uop, uint64_t seq, struct store *store);
void violation_punish(struct core *core, const struct store *store);
void violation_keep_store(const struct core *core, struct uop *uop, uint64_t issued);
/* The cycle at which the access's translation is known; paged: where there are pages; bare: where
 * there are none, with part_bare_cycles. */
uint64_t lsu_translate_paged(struct core *core, struct uop *uop);
uint64_t lsu_translate_bare(struct core *core, struct uop *uop);
static inline uint64_t lsu_translate(struct core *core, struct uop *uop)
{
    if (privilege_is_paged(core->hart, privilege_of_data(core->hart)))
        return lsu_translate_paged(core, uop);
    return core->config->part_bare_cycles == 0 ? core->now : lsu_translate_bare(core, uop);
}
/* lsu_level.c: IND_LEVEL_* of enum mem_level. */
uint8_t lsu_indicator_level(unsigned level);
/* The events of an access that this level answered (enum mem_level); beyond: not L1D. */
uint64_t lsu_level_events_beyond(const struct core *core, unsigned level);
static inline uint64_t lsu_level_events(const struct core *core, unsigned level)
{
    return level == MEM_L1 ? EVENT_BIT(DCACHE_HIT) : lsu_level_events_beyond(core, level);
}
uint64_t lsu_serial_cycles(struct core *core, struct uop *uop);

/* False: the cache refused. Sets the level that answers. */
bool lsu_access_cache(struct core *core, struct uop *uop, uint64_t *ready);

/* metadata.c: a line was filled, or frames changed; the response may be delayed by its metadata */
void lsu_follow_fill(struct core *core, struct mem_response *response, const struct uop *uop);
void fetch_follow_fill(struct core *core, struct mem_response *response, uint64_t pc);

/* store_queue.c: stores from dispatch until the cache took them. places: of all of these */
uint32_t store_queue_places(const struct config *config);
/* The queue has that many at least, before it has any stores. False: there is no memory. */
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
/* The youngest store that overlaps, or NEVER. Search: there may be one. */
uint64_t store_queue_search(const struct core *core, uint64_t pa, unsigned bytes);
static inline uint64_t store_queue_find(const struct core *core, uint64_t pa, unsigned bytes)
{
    bool is_alone = core->sq.hash[store_queue_hash(pa)] == 0 &&
                    core->sq.hash[store_queue_hash(pa + bytes - 1)] == 0;
    return is_alone ? NEVER : store_queue_search(core, pa, bytes);
}
uint64_t store_queue_read(const struct core *core, uint64_t pa, unsigned bytes, uint64_t memory);
void store_queue_push(struct core *core, struct uop *uop, uint64_t seq);
void store_queue_undo(struct core *core);
void store_queue_commit(struct core *core, const struct uop *uop);
/* The cache has the oldest committed store from `cycle` on. */
void store_queue_leave(struct core *core, uint64_t cycle);
void store_queue_forget_violators(struct core *core, uint64_t keep_seq);

#endif
