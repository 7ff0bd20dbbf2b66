/* Loads that search the store queue and the load queue some stages after their issue
 * (c910.search_cycles). Stores reach the queue in the same stage.
 *
 * A store enters the queue when it passes that stage. It leaves the queue for the write buffer
 * after its commit, in order, one store a cycle, once it has its data, which have a port of their
 * own. A load
 *   - that meets an older store to its bytes in the stage itself goes there again at once;
 *   - that finds a store with only some of its bytes waits until such a store has left the queue;
 *     so does one that finds several stores, none of which is known to be the youngest to its
 *     bytes;
 *   - that finds a store without data waits for the data, unless they are about to arrive;
 *   - otherwise takes the bytes of the store. If the store had its data a cycle before, the load's
 *     dependents continue as after a hit; if not, those issued for the time of a hit are issued
 *     again.
 * A load that has been at the search before an older store to its bytes was issued makes that store
 * fail. A load that comes to the search after a younger load to its bytes fails too. All
 * instructions after one that failed are fetched again when it commits.
 *
 * Until its search a load keeps its place in the issue queue, frozen. A queue with frozen loads
 * only can be bypassed like an empty one (c910.queue_bypass).
 * Source: openc910, lsu/rtl/ct_lsu_sq_entry.v (the table of dependences), ct_lsu_sq.v,
 * ct_lsu_lq_entry.v, ct_lsu_ld_dc.v, ct_lsu_ld_da.v; idu/rtl/ct_idu_dep_reg_entry.v,
 * ct_idu_is_sdiq_entry.v, ct_idu_is_lsiq.v (lsiq_create_bypass_empty, lsu_idu_lsiq_pop_vld).
 * Left out: stores that cross lines or c910.split_bytes are issued only once. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

/* Cycles by which a load's dependents are later than after a hit. */
enum {
    LATE_WAKE = 1,              /* those not issued yet */
    VAIN_WAKE = 4,              /* those issued in vain, which are issued again */
};

/* True if no younger store in the queue overlaps this one. */
static bool is_newest(const struct core *core, uint64_t number, uint64_t issued)
{
    const struct store *store = store_queue_at(core, number);
    while (++number != core->sq.tail) {
        const struct store *other = store_queue_at(core, number);
        if (c910_is_queued(core, other, issued) && store_overlaps(other, store->pa, store->bytes))
            return false;
    }
    return true;
}

struct findings {
    unsigned parts, whole, coming, without;     /* stores found: with some bytes; with all bytes,
                                                 * whose data are there, arrive in the next cycle,
                                                 * or are missing */
    struct store *whole_newest, *coming_newest, *without_data;
};

static void find(struct core *core, const struct uop *uop, uint64_t issued, struct findings *found)
{
    *found = (struct findings){0};
    for (uint64_t number = uop->store_number + 1; number-- > core->sq.head;) {
        struct store *store = store_queue_at(core, number);
        if (!store_overlaps(store, uop->pa, uop->access_bytes) ||
            !c910_is_queued(core, store, issued))
            continue;
        bool is_exact = store->pa == uop->pa && store->bytes == uop->access_bytes;
        if (!store_covers(store, uop->pa, uop->access_bytes)) {
            found->parts++;
            store->is_waited_for = true;
        } else if (store->data_ready <= core->now) {
            found->whole++;
            if (is_newest(core, number, issued))
                found->whole_newest = store;
        } else if (store->data_ready == core->now + 1 && is_exact) {
            found->coming++;
            if (is_newest(core, number, issued))
                found->coming_newest = store;
        } else {
            if (found->without++ == 0)
                found->without_data = store;
        }
    }
}

static void mark_whole(struct core *core, const struct uop *uop, uint64_t issued)
{
    for (uint64_t number = uop->store_number + 1; number-- > core->sq.head;) {
        struct store *store = store_queue_at(core, number);
        if (store_covers(store, uop->pa, uop->access_bytes) &&
            c910_is_queued(core, store, issued) && store->data_ready <= core->now)
            store->is_waited_for = true;
    }
}

static void finish_search(struct core *core, struct uop *uop, uint64_t issued, uint64_t ready,
                   uint64_t vain)
{
    uop->issue_cycle = issued;
    uop->complete_cycle = ready;
    uop->true_ready = vain;
    uop->access_cycles = (uint32_t)(ready - issued);
    if (core_extras(core) & EXTRA_EARLY_LOADS)
        uop->flags |= UOP_RETIRES_EARLY;
    issue_done(core, uop, (uint32_t)(uop - core->ring));
}

static void take_from_store(struct core *core, struct uop *uop, uint64_t issued, bool is_early)
{
    uint64_t hit = issued + core->latency[LAT_LOAD];
    uop->events |= EVENT_BIT(STORE_FORWARDED);
    uop->level = MEM_FORWARD;
    finish_search(core, uop, issued, is_early ? hit : hit + LATE_WAKE,
                  is_early ? 0 : hit + VAIN_WAKE);
}

/* The stores that the load depends on have left the queue. */
static void take_from_cache(struct core *core, struct uop *uop, uint64_t seq, uint64_t issued)
{
    uint64_t ready, cycles = core->now - issued;
    if (!lsu_access_cache(core, uop, &ready)) {
        wheel_schedule(core, seq, later(ready, core->now + 1));
        return;
    }
    uop->events |= lsu_level_events(core, uop->level);
    finish_search(core, uop, issued, ready - cycles, 0);
}

SELDOM static void search(struct core *core, struct uop *uop, uint64_t seq, uint64_t issued)
{
    struct findings found;
    find(core, uop, issued, &found);
    wheel_leave_ready(core, uop, (uint32_t)(seq & core->ring_mask));
    bool has_newest = found.whole_newest != NULL || found.coming_newest != NULL;
    if (found.parts != 0) {
        c910_wait_for_pop(core, uop, seq);
    } else if (found.without != 0 && !has_newest) {
        c910_wait_for_data(core, uop, seq, found.without_data);
    } else if (!has_newest && (found.whole > 1 || (found.whole != 0 && found.coming != 0))) {
        mark_whole(core, uop, issued);
        c910_wait_for_pop(core, uop, seq);
    } else if (found.whole + found.coming != 0) {
        take_from_store(core, uop, issued,
                        found.whole_newest != NULL && found.whole_newest->data_ready < core->now);
    } else if ((uop->flags & UOP_COVERED) && c910_writes_has_popped(core, uop->store_number) &&
               uop->store_number >= core->sq.head) {
        take_from_store(core, uop, issued, true);
    } else {
        take_from_cache(core, uop, seq, issued);
    }
}

static void search_loads(struct core *core)
{
    struct c910_search *state = &core->model->search;
    for (; state->head != state->tail; state->head++) {
        const struct search_stage *stage = &state->stage[state->head % SEARCH_STAGES];
        if (stage->cycle > core->now)
            return;
        struct uop *uop = core_living(core, stage->seq, stage->id);
        if (uop != NULL && uop->state == UOP_WAITING && uop->ready_at == stage->cycle)
            search(core, uop, stage->seq, stage->cycle - core_config(core)->c910_search_cycles);
    }
}

void c910_search_step(struct core *core)
{
    core->iq.issuing = SEARCHING;
    search_loads(core);
    core->iq.issuing = NOT_ISSUING;
    c910_data_step(core);
}
