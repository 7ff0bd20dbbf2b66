/* Interfaces of the files of loads and stores: their timing, the store queue. Part of
 * stage.h. */
#ifndef SIM_CORE_PIPE_STAGE_LSU_H
#define SIM_CORE_PIPE_STAGE_LSU_H

#include "sim/core/pipe/core_state.h"
#include "sim/core/privilege.h"

/* lsu.c: timing of loads and stores */
/* Retry: it stays ready; sleep: something wakes it; poll: it asks again in the next cycle, until
 * older stores have done their part. */
enum issue_result { ISSUE_DONE, ISSUE_RETRY, ISSUE_SLEEP, ISSUE_POLL };
enum issue_result lsu_issue(struct core *core, struct uop *uop, uint64_t seq);
/* With issue.replay = fifo: the load has its value; which older stores did it pass? */
void lsu_pass_stores(struct core *core, struct uop *uop, uint64_t seq);
/* The cycle at which the access's translation is known; paged: where there are pages; bare: where
 * there are none, with dtlb.bare_cycles. */
uint64_t lsu_translate_paged(struct core *core, struct uop *uop);
uint64_t lsu_translate_bare(struct core *core, struct uop *uop);
static inline uint64_t lsu_translate(struct core *core, struct uop *uop)
{
    if (privilege_is_paged(core->hart, privilege_of_data(core->hart)))
        return lsu_translate_paged(core, uop);
    return core->config->dtlb_bare_cycles == 0 ? core->now : lsu_translate_bare(core, uop);
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
/* The data of a store that issued without them come at `cycle`. */
void lsu_take_data(struct core *core, struct uop *uop, uint64_t cycle);

/* False: the cache refused. Sets the level that answers. */
bool lsu_access_cache(struct core *core, struct uop *uop, uint64_t *ready);

/* lsu_search.c, with EXTRA_SEARCH: a load is issued: to sleep, to take its bytes from the write
 * buffer (DONE) or the cache (RETRY). passed: a store is issued that a load has passed. step: those
 * that come to the search. freeze: the load was issued, and will be again. frozen: how many of
 * these wait, issued before this cycle. data: those of a store can be issued. commit: of a store;
 * the cycle in which it leaves the queue. pop: it leaves now. wakes: when what depends on a load is
 * issued that had its value at `ready`. */
enum issue_result lsu_search_issue(struct core *core, struct uop *uop, uint64_t seq);
void lsu_search_freeze(struct core *core, const struct uop *uop, uint64_t seq);
uint32_t lsu_search_frozen(struct core *core);
void lsu_search_passed(struct core *core, const struct store *store);
void lsu_search_step(struct core *core);
void lsu_search_data(struct core *core, struct uop *uop);
uint64_t lsu_search_commit(struct core *core, struct store *store);
void lsu_search_pop(struct core *core, struct store *store);
uint64_t lsu_search_wakes(const struct core *core, const struct uop *load,
                          const struct uop *consumer, bool is_data, uint64_t ready);

/* write_queue.c, with lsq.drain_spare. step: each cycle while a committed store is there. commit:
 * of a store. lets_pass: may the load or store be issued? is_popped: the store has left the store
 * queue. */
void write_queue_step(struct core *core);
void write_queue_commit(struct core *core, struct store *store);
bool write_queue_lets_pass(struct core *core, const struct uop *uop);
bool write_queue_is_popped(const struct core *core, uint64_t number);

/* metadata.c: a line was filled, or frames changed; the response may be delayed by its metadata */
void lsu_follow_fill(struct core *core, struct mem_response *response, const struct uop *uop);
void fetch_follow_fill(struct core *core, struct mem_response *response, uint64_t pc);

/* store_queue.c: stores from dispatch until the cache took them. places: of all of these */
uint32_t store_queue_places(const struct config *config);
static inline bool store_queue_is_full(const struct core *core)
{
    uint64_t buffered = core->sq.commit - core->sq.head;
    if (core_config(core)->lsq_drain_spare != 0)
        return core->sq.tail - core->writes.popped >= core_config(core)->lsq_stores;
    if (buffered > core_config(core)->lsq_store_buffer)
        buffered = core_config(core)->lsq_store_buffer;
    return core->sq.tail - core->sq.head - buffered >= core_config(core)->lsq_stores;
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
