/* The data of stores: they are issued through a port of their own, the oldest first, some cycles
 * after the address, and reach the store queue later. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

enum { DATA_TO_QUEUE = 2 };     /* cycles from their issue to the queue */

/* Forgets the data of squashed stores. */
static void keep_living_data(struct core *core)
{
    struct c910_search *search = &core->model->search;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->data_count; i++)
        if (core_living(core, search->data[i].seq, search->data[i].id) != NULL)
            search->data[kept++] = search->data[i];
    search->data_count = kept;
}

/* The store's address has been issued, and it is known from when on its data can be. */
void c910_data_come(struct core *core, struct uop *uop)
{
    struct c910_search *search = &core->model->search;
    const struct store *store = store_queue_at(core, uop->store_number);
    uint64_t from = later(uop->data_at, uop->issue_cycle + C910_ADDRESS_TO_DATA);
    uint32_t place = 0;
    if (store->data_ready != NEVER)
        return;
    if (search->data_count == SEARCH_LOADS)
        keep_living_data(core);
    while (place < search->data_count && search->data[place].id != uop->id)
        place++;                        /* the store waits already; its operand has become later */
    search->data_count += place == search->data_count;
    search->data[place] = (struct search_stage){.cycle = from, .seq = store->seq, .id = uop->id};
    search->data_next = earlier(search->data_next, from);
}

static void issue_data(struct core *core, struct uop *uop)
{
    struct store *store = store_queue_at(core, uop->store_number);
    uint64_t cycle = core->now + DATA_TO_QUEUE + C910_DATA_TO_ISSUE;
    store->data_ready = core->now + DATA_TO_QUEUE;
    uop->complete_cycle = later(uop->issue_cycle + core_config(core)->latency_store, core->now);
    core->active = true;
    if (uop->dependents != NO_LINK)
        wake_publish(core, uop, cycle, cycle);
}

/* The port takes the data of the oldest store that has them. */
static void issue_oldest(struct core *core)
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

void c910_data_step(struct core *core)
{
    if (core->model->search.data_next <= core->now)
        issue_oldest(core);
}
