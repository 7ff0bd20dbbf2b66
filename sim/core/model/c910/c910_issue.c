/* Issue of loads and stores: which loads go to the search, and which loads have been there, have
 * passed a store, or are issued again. */
#include "sim/base/cycle.h"
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

enum { SEARCH_TO_ISSUE = 1 };   /* a load that meets a store in the search is issued again at
                                 * once */

/* The instructions after the one at seq are fetched again when it has committed. */
static void refetch_after(struct core *core, uint64_t seq)
{
    core_uop(core, seq)->flags |= UOP_SQUASHES;
}

/* The load joins those that were at the search. */
static inline void join_search(struct c910_search *search, const struct uop *uop, uint64_t seq)
{
    search->load[search->load_count++] =
        (struct search_load){.seq = seq, .id = uop->id, .pa = uop->pa, .bytes = uop->access_bytes};
    search->youngest = later(search->youngest, seq);
}

/* The same if younger loads may have been at the search. A younger load to the same bytes makes
 * this one fail. Forgets loads that have left or are at the search again; those that stay are at
 * most as many as the load queue holds. */
SELDOM static void enter_after_younger(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct c910_search *search = &core->model->search;
    uint32_t kept = 0;
    bool fails = false;
    search->youngest = 0;
    for (uint32_t i = 0; i < search->load_count; i++) {
        const struct search_load *load = &search->load[i];
        if (load->seq == seq || core_living(core, load->seq, load->id) == NULL)
            continue;
        fails |= load->seq > seq && load->pa < uop->pa + uop->access_bytes &&
                 uop->pa < load->pa + load->bytes;
        search->youngest = later(search->youngest, load->seq);
        search->load[kept++] = *load;
    }
    search->load_count = kept;
    join_search(search, uop, seq);
    if (fails)
        refetch_after(core, seq);
}

static inline void enter_search(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct c910_search *search = &core->model->search;
    if (seq > search->youngest && search->load_count < SEARCH_LOADS)
        join_search(search, uop, seq);
    else
        enter_after_younger(core, uop, seq);
}

SELDOM void c910_issue_passed(struct core *core, const struct store *store)
{
    struct uop *load = core_uop(core, store->violator);
    load->flags |= UOP_VIOLATED;
    memdep_violated(core, load->pc, store->pc);
    refetch_after(core, store->seq);
}

/* Older stores to a load's bytes. meets: one is in the same stage as the load; finds: some are in
 * the queue; is_in_buffer: the write buffer has all bytes of the load. */
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
        are.finds |= c910_is_queued(core, store, core->now);
        are.is_in_buffer |= number == uop->store_number && (uop->flags & UOP_COVERED) &&
                            store->pops_at < core->now + core_config(core)->c910_search_cycles;
    }
    return are;
}

/* Forgets loads that have left the queue, were squashed, or are issued now. */
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

void c910_issue_freeze(struct core *core, const struct uop *uop, uint64_t seq)
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

uint32_t c910_issue_frozen(struct core *core)
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

enum issue_result c910_issue_load(struct core *core, struct uop *uop, uint64_t seq)
{
    struct neighbours are = look_at_stores(core, uop);
    uint64_t searches = core->now + core_config(core)->c910_search_cycles;
    if (are.meets) {
        wheel_schedule(core, seq, searches + SEARCH_TO_ISSUE);
        return ISSUE_SLEEP;
    }
    pass_stores(core, uop, seq);
    enter_search(core, uop, seq);
    uop->true_ready = 0;
    if (!are.finds)
        return are.is_in_buffer ? ISSUE_DONE : ISSUE_RETRY;
    core->model->search.stage[core->model->search.tail++ % SEARCH_STAGES] =
        (struct search_stage){.cycle = searches, .seq = seq, .id = uop->id};
    wheel_schedule(core, seq, searches);
    return ISSUE_SLEEP;
}

SELDOM uint64_t c910_issue_wakes(const struct core *core, const struct uop *load,
                                 const struct uop *consumer, bool is_data, uint64_t ready)
{
    bool is_issued_in_vain = is_data
        ? consumer->state == UOP_ISSUED && consumer->issue_cycle + C910_ADDRESS_TO_DATA <= core->now
        : consumer->pending == 1 && consumer->ready_at <= core->now;
    return is_issued_in_vain ? load->true_ready : ready;
}
