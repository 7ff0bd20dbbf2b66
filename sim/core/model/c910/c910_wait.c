/* Loads that wait after their search, for a store to leave the queue or for its data. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

enum { POP_TO_ISSUE = 2 };      /* cycles from the leaving of the store */

SELDOM static void wake_waiting(struct core *core, uint64_t cycle)
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

void c910_wait_pop(struct core *core, struct store *store)
{
    store->pops_at = core->now;
    if (store->is_waited_for)
        wake_waiting(core, core->now + POP_TO_ISSUE);
}

uint64_t c910_wait_commit(struct core *core, struct store *store)
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

/* The load waits until the first of the stores that loads wait for leaves the queue. */
void c910_wait_for_pop(struct core *core, struct uop *uop, uint64_t seq)
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
    uint32_t place = 0;                 /* place of a squashed load, or a new place */
    while (place < search->waiting_count &&
           core_living(core, search->waiting[place].seq, search->waiting[place].id) != NULL)
        place++;
    search->waiting_count += place == search->waiting_count;
    search->waiting[place] = (struct search_load){.seq = seq, .id = uop->id};
    wheel_schedule(core, seq, NEVER);
}

void c910_wait_for_data(struct core *core, struct uop *uop, uint64_t seq,
                          const struct store *store)
{
    if (store->data_ready == NEVER) {
        rename_link_sorted(core, uop, seq, 2, store->seq);
        return;
    }
    bool is_just_late = store->data_ready == core->now + 1;
    wheel_schedule(core, seq, store->data_ready + C910_DATA_TO_ISSUE + is_just_late);
}
