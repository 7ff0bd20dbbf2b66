/* Loads that search the store queue and the load queue some stages after their issue
 * (c910.search_cycles), while stores reach the queue in the same stage.
 *
 * A store enters the queue when it passes that stage, and leaves it for the write buffer after
 * its commit, in order, one a cycle, when it has its data; these have a port of their own. A load
 *   - that meets an older store to its bytes in the stage itself goes there again at once;
 *   - that finds a store which has some of its bytes and not all waits until a store that was found
 *     so has left the queue; so does one that finds several stores, none of which is known to be
 *     the youngest to its bytes;
 *   - that finds a store without data waits for these, unless they are just on their way;
 *   - takes the bytes of the store else. If their data were there a cycle before, what depends on
 *     it goes on as after a hit; if not, what was issued for the time of a hit is issued again.
 * A load that was at the search and has passed an older store to its bytes makes the store fail; an
 * older load to its bytes that comes to the search later fails too. After one that failed all is
 * fetched again when it commits.
 * Until the search it keeps its place in the issue queue, frozen: a queue of such loads is passed
 * as an empty one (issue.queue_bypass).
 * Source: openc910, lsu/rtl/ct_lsu_sq_entry.v (the table of dependences), ct_lsu_sq.v,
 * ct_lsu_lq_entry.v, ct_lsu_ld_dc.v, ct_lsu_ld_da.v; idu/rtl/ct_idu_dep_reg_entry.v,
 * ct_idu_is_sdiq_entry.v, ct_idu_is_lsiq.v (lsiq_create_bypass_empty, lsu_idu_lsiq_pop_vld).
 * Left out: stores that cross lines or c910.split_bytes, which are issued once. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"

/* Cycles between stages of that pipeline. */
enum {
    SEARCH_TO_ISSUE = 1,        /* it goes again at once */
    DATA_TO_ISSUE = 1,          /* of a load that waited for data, from their coming */
    POP_TO_ISSUE = 2,           /* of one that waited for a store, from its leaving */
    ADDRESS_TO_DATA = 2,        /* the data of a store are issued so long after its address */
    DATA_TO_QUEUE = 2,          /* and are there so long after their issue */
    DATA_TO_POP = 2,
    LATE_WAKE = 1,              /* beyond a hit, to what is issued later than after one */
    VAIN_WAKE = 4,              /* and to what was issued in vain */
};

/* ---- store data ------------------------------------------------------------------------------ */

/* Those that were squashed are forgotten. */
static void keep_living_data(struct core *core)
{
    struct c910_search *search = &core->model->search;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->data_count; i++)
        if (core_living(core, search->data[i].seq, search->data[i].id) != NULL)
            search->data[kept++] = search->data[i];
    search->data_count = kept;
}

/* Both its address was issued and it is known when its data can be. */
void c910_search_data(struct core *core, struct uop *uop)
{
    struct c910_search *search = &core->model->search;
    const struct store *store = store_queue_at(core, uop->store_number);
    uint64_t from = later(uop->data_at, uop->issue_cycle + ADDRESS_TO_DATA);
    uint32_t place = 0;
    if (store->data_ready != NEVER)
        return;
    if (search->data_count == SEARCH_LOADS)
        keep_living_data(core);
    while (place < search->data_count && search->data[place].id != uop->id)
        place++;                        /* it waits already, and its operand comes later */
    search->data_count += place == search->data_count;
    search->data[place] = (struct search_stage){.cycle = from, .seq = store->seq, .id = uop->id};
    search->data_next = earlier(search->data_next, from);
}

static void issue_data(struct core *core, struct uop *uop)
{
    struct store *store = store_queue_at(core, uop->store_number);
    uint64_t cycle = core->now + DATA_TO_QUEUE + DATA_TO_ISSUE;
    store->data_ready = core->now + DATA_TO_QUEUE;
    uop->complete_cycle = later(uop->issue_cycle + core_config(core)->latency_store, core->now);
    core->active = true;
    if (uop->dependents != NO_LINK)
        wake_publish(core, uop, cycle, cycle);
}

/* The port takes those of the oldest store that has them. */
static void issue_oldest_data(struct core *core)
{
    struct c910_search *search = &core->model->search;
    uint32_t oldest = SEARCH_LOADS;
    keep_living_data(core);
    for (uint32_t i = 0; i < search->data_count; i++)
        if (search->data[i].cycle <= core->now &&
            (oldest == SEARCH_LOADS || search->data[i].seq < search->data[oldest].seq))
            oldest = i;
    if (oldest != SEARCH_LOADS) {
        issue_data(core, core_uop(core, search->data[oldest].seq));
        search->data[oldest] = search->data[--search->data_count];
    }
    search->data_next = NEVER;
    for (uint32_t i = 0; i < search->data_count; i++)
        search->data_next = earlier(search->data_next, search->data[i].cycle);
}

/* ---- loads that wait ------------------------------------------------------------------------- */

static void wake_waiting(struct core *core, uint64_t cycle)
{
    struct c910_search *search = &core->model->search;
    for (uint32_t i = 0; i < search->waiting_count; i++) {
        uint64_t seq = search->waiting[i].seq;
        struct uop *uop = core_living(core, seq, search->waiting[i].id);
        if (uop == NULL || uop->state != UOP_WAITING || uop->ready_at != NEVER)
            continue;
        wheel_forget(core, uop, (uint32_t)(seq & core->ring_mask));
        wheel_schedule(core, seq, cycle);
    }
    search->waiting_count = 0;
}

void c910_search_pop(struct core *core, struct store *store)
{
    store->pops_at = core->now;
    if (store->is_waited_for)
        wake_waiting(core, core->now + POP_TO_ISSUE);
}

uint64_t c910_search_commit(struct core *core, struct store *store)
{
    struct c910_search *search = &core->model->search;
    if (core_config(core)->c910_drain_spare != 0) {
        c910_writes_commit(core, store);
        return core->now;
    }
    store->pops_at = later(later(core->now, store->data_ready + DATA_TO_POP),
                           search->last_pop + 1);
    search->last_pop = store->pops_at;
    if (store->is_waited_for)
        wake_waiting(core, store->pops_at + POP_TO_ISSUE);
    return store->pops_at;
}

/* Until the first store leaves that loads wait for. */
static void wait_for_pop(struct core *core, struct uop *uop, uint64_t seq)
{
    struct c910_search *search = &core->model->search;
    for (uint64_t number = core->sq.head; number != core->sq.tail; number++) {
        const struct store *store = store_queue_at(core, number);
        if (!store->is_waited_for || store->pops_at < core->now)
            continue;
        if (store->pops_at != NEVER) {
            wheel_schedule(core, seq, store->pops_at + POP_TO_ISSUE);
            return;
        }
        break;
    }
    uint32_t place = 0;                 /* of one that was squashed, or a new one */
    while (place < search->waiting_count &&
           core_living(core, search->waiting[place].seq, search->waiting[place].id) != NULL)
        place++;
    search->waiting_count += place == search->waiting_count;
    search->waiting[place] = (struct search_load){.seq = seq, .id = uop->id};
    wheel_schedule(core, seq, NEVER);
}

static void wait_for_data(struct core *core, struct uop *uop, uint64_t seq,
                          const struct store *store)
{
    if (store->data_ready == NEVER) {
        rename_link_sorted(core, uop, seq, 2, store->seq);
        return;
    }
    bool is_just_late = store->data_ready == core->now + 1;
    wheel_schedule(core, seq, store->data_ready + DATA_TO_ISSUE + is_just_late);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* In the queue in the cycle in which a load that was issued at `issued` searches it. */
static bool is_queued(const struct core *core, const struct store *store, uint64_t issued)
{
    return store->is_issued && store->issued_at < issued && store->bytes != 0 &&
           store->pops_at >= issued + core_config(core)->c910_search_cycles;
}

/* No younger store in the queue has bytes of it. */
static bool is_newest(const struct core *core, uint64_t number, uint64_t issued)
{
    const struct store *store = store_queue_at(core, number);
    while (++number != core->sq.tail) {
        const struct store *other = store_queue_at(core, number);
        if (is_queued(core, other, issued) && store_overlaps(other, store->pa, store->bytes))
            return false;
    }
    return true;
}

struct findings {
    unsigned parts, whole, coming, without;     /* stores found; data there, on their way, not */
    struct store *whole_newest, *coming_newest, *without_data;
};

static void find(struct core *core, const struct uop *uop, uint64_t issued, struct findings *found)
{
    *found = (struct findings){0};
    for (uint64_t number = uop->store_number + 1; number-- > core->sq.head;) {
        struct store *store = store_queue_at(core, number);
        if (!store_overlaps(store, uop->pa, uop->access_bytes) || !is_queued(core, store, issued))
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
        if (store_covers(store, uop->pa, uop->access_bytes) && is_queued(core, store, issued) &&
            store->data_ready <= core->now)
            store->is_waited_for = true;
    }
}

static void finish(struct core *core, struct uop *uop, uint64_t issued, uint64_t ready,
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
    finish(core, uop, issued, is_early ? hit : hit + LATE_WAKE, is_early ? 0 : hit + VAIN_WAKE);
}

/* The stores are gone that it depends on. */
static void take_from_cache(struct core *core, struct uop *uop, uint64_t seq, uint64_t issued)
{
    uint64_t ready, cycles = core->now - issued;
    if (!lsu_access_cache(core, uop, &ready)) {
        wheel_schedule(core, seq, later(ready, core->now + 1));
        return;
    }
    uop->events |= lsu_level_events(core, uop->level);
    finish(core, uop, issued, ready - cycles, 0);
}

static void search(struct core *core, struct uop *uop, uint64_t seq, uint64_t issued)
{
    struct findings found;
    find(core, uop, issued, &found);
    wheel_leave_ready(core, uop, (uint32_t)(seq & core->ring_mask));
    bool has_newest = found.whole_newest != NULL || found.coming_newest != NULL;
    if (found.parts != 0) {
        wait_for_pop(core, uop, seq);
    } else if (found.without != 0 && !has_newest) {
        wait_for_data(core, uop, seq, found.without_data);
    } else if (!has_newest && (found.whole > 1 || (found.whole != 0 && found.coming != 0))) {
        mark_whole(core, uop, issued);
        wait_for_pop(core, uop, seq);
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
    if (core->model->search.data_next <= core->now)
        issue_oldest_data(core);
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* The instructions after it are fetched again when it has committed. */
static void refetch_behind(struct core *core, uint64_t seq)
{
    core_uop(core, seq)->flags |= UOP_SQUASHES;
}

/* The load takes its place among those that were at the search; a younger one to its bytes that was
 * there before makes it fail. */
static void enter(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct search_load *place = NULL;
    bool fails = false;
    for (uint32_t i = 0; i < core_config(core)->lsq_loads; i++) {
        struct search_load *load = &core->model->search.load[i];
        bool is_there = core_living(core, load->seq, load->id) != NULL;
        if (!is_there || load->seq == seq)
            place = load;
        fails |= is_there && load->seq > seq && load->pa < uop->pa + uop->access_bytes &&
                 uop->pa < load->pa + load->bytes;
    }
    if (place != NULL)
        *place = (struct search_load){.seq = seq, .id = uop->id, .pa = uop->pa,
                                      .bytes = uop->access_bytes};
    if (fails)
        refetch_behind(core, seq);
}

void c910_search_passed(struct core *core, const struct store *store)
{
    struct uop *load = core_uop(core, store->violator);
    load->flags |= UOP_VIOLATED;
    memdep_violated(core, load->pc, store->pc);
    refetch_behind(core, store->seq);
}

/* How it stands to older stores to its bytes: one is in the stage together with it, some are in the
 * queue, or all its bytes are in the write buffer. */
struct neighbours { bool meets, finds, is_in_buffer; };

static struct neighbours look_at_stores(const struct core *core, const struct uop *uop)
{
    struct neighbours are = {false, false, false};
    if (uop->store_number == NEVER)
        return are;
    for (uint64_t number = uop->store_number + 1; number-- > core->sq.head;) {
        const struct store *store = store_queue_at(core, number);
        if (!store_overlaps(store, uop->pa, uop->access_bytes))
            continue;
        are.meets |= store->is_issued && store->issued_at == core->now;
        are.finds |= is_queued(core, store, core->now);
        are.is_in_buffer |= number == uop->store_number && (uop->flags & UOP_COVERED) &&
                            store->pops_at < core->now + core_config(core)->c910_search_cycles;
    }
    return are;
}

/* Those that have left the queue, or were squashed, are forgotten, and those to be issued now. */
static void keep_frozen(struct core *core)
{
    struct c910_search *search = &core->model->search;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->frozen_count; i++) {
        const struct search_stage *load = &search->frozen[i];
        const struct uop *uop = core_living(core, load->seq, load->id);
        if (uop != NULL && uop->state == UOP_WAITING &&
            (uop->pending != 0 || uop->ready_at > core->now))
            search->frozen[kept++] = *load;
    }
    search->frozen_count = kept;
}

void c910_search_freeze(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct c910_search *search = &core->model->search;
    uint32_t place = 0;
    if (search->frozen_count == SEARCH_LOADS)
        keep_frozen(core);
    while (place < search->frozen_count && search->frozen[place].id != uop->id)
        place++;
    search->frozen_count += place == search->frozen_count;
    search->frozen[place] =
        (struct search_stage){.cycle = core->now, .seq = seq, .id = uop->id};
}

uint32_t c910_search_frozen(struct core *core)
{
    const struct c910_search *search = &core->model->search;
    uint32_t count = 0;
    keep_frozen(core);
    for (uint32_t i = 0; i < search->frozen_count; i++)
        count += search->frozen[i].cycle < core->now;
    return count;
}

static void pass_stores(struct core *core, struct uop *uop, uint64_t seq)
{
    if (uop->store_number == NEVER)
        return;
    for (uint64_t number = uop->store_number + 1; number-- > core->sq.commit;) {
        struct store *store = store_queue_at(core, number);
        if (store->is_issued || !store_overlaps(store, uop->pa, uop->access_bytes))
            continue;
        uop->flags |= UOP_SPECULATED;
        store->violator = earlier(store->violator, seq);
    }
}

enum issue_result c910_search_issue(struct core *core, struct uop *uop, uint64_t seq)
{
    struct neighbours are = look_at_stores(core, uop);
    uint64_t searches = core->now + core_config(core)->c910_search_cycles;
    if (are.meets) {
        wheel_schedule(core, seq, searches + SEARCH_TO_ISSUE);
        return ISSUE_SLEEP;
    }
    pass_stores(core, uop, seq);
    enter(core, uop, seq);
    uop->true_ready = 0;
    if (!are.finds)
        return are.is_in_buffer ? ISSUE_DONE : ISSUE_RETRY;
    core->model->search.stage[core->model->search.tail++ % SEARCH_STAGES] =
        (struct search_stage){.cycle = searches, .seq = seq, .id = uop->id};
    wheel_schedule(core, seq, searches);
    return ISSUE_SLEEP;
}

uint64_t c910_search_wakes(const struct core *core, const struct uop *load,
                          const struct uop *consumer, bool is_data, uint64_t ready)
{
    if (load->true_ready == 0)
        return ready;
    bool is_issued_in_vain = is_data
        ? consumer->state == UOP_ISSUED && consumer->issue_cycle + ADDRESS_TO_DATA <= core->now
        : consumer->pending == 1 && consumer->ready_at <= core->now;
    return is_issued_in_vain ? load->true_ready : ready;
}
