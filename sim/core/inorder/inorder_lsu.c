/* Loads and stores of the in-order back end: the access starts in the cycle of issue.
 *
 * All older stores have issued, so there is no speculation: a load gets its value from the store
 * queue, or waits until the store has left for the cache. A miss holds the pipeline, or only the
 * instructions that use its value, depending on the model.
 * Left out: the second line of a load that crosses lines, if the cache refuses it in the cycle of
 * the first, makes no access and no miss; see lsu.c. */
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/lsu/lsu_known.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/profile/metadata.h"

static const struct inorder_wait wait_for_translation = {EVENT_SLOTS_LOAD_USE, EVENT_LOST_DTLB,
                                                         EVENT_CPI_DTLB};
static const struct inorder_wait wait_for_queue = {EVENT_SLOTS_LSQ_FULL, 0, EVENT_CPI_STORE};

/* A free place among the loads in flight, or the one that becomes free first. */
static uint64_t *load_place(struct core *core)
{
    uint64_t *first = core->inorder->load_done;
    uint64_t *end = first + core_config(core)->inorder_loads_in_flight;
    for (uint64_t *place = first; *first > core->now && place != end; place++)
        if (*place < *first)
            first = place;
    return first;
}

/* The youngest store in the queue that affects the load, or NULL. */
static const struct store *find_store(const struct core *core, const struct uop *uop)
{
    uint64_t pa = uop->pa, bytes = uop->access_bytes;
    uint64_t block = port_compared_bytes(core);
    if (block != 0) {
        pa &= ~(block - 1);
        bytes = block;
    }
    uint64_t number = store_queue_find(core, pa, (unsigned)bytes);
    return number == NEVER ? NULL : store_queue_at(core, number);
}

/* Waits until the store has left for the cache. */
static enum inorder_result wait_for_store(struct core *core, const struct uop *uop)
{
    struct inorder *inorder = core->inorder;
    port_load_waits(core, inorder->conflict_id != uop->id || inorder->conflict_until != NEVER);
    inorder->conflict_id = uop->id;
    inorder->conflict_until = NEVER;
    return inorder_wait(inorder, NEVER, wait_for_queue);
}

/* The load waited for a store that has left: it starts again some cycles later. */
static bool may_go_again(struct core *core)
{
    struct inorder *inorder = core->inorder;
    if (inorder->conflict_until == NEVER)
        inorder->conflict_until = core->now + core_config(core)->inorder_conflict_cycles;
    if (inorder->conflict_until <= core->now)
        return true;
    inorder_wait(inorder, inorder->conflict_until, wait_for_queue);
    return false;
}

static inline bool read_cache(struct core *core, struct uop *uop, bool found,
                              struct mem_response *response)
{
    struct mem_response second;
    if (found || !lsu_load_at_once(core, uop->pa, response)) {
        if (!(found ? memsys_load_found(core->mem, uop->pc, uop->pa, core->now, response)
                    : memsys_load(core->mem, uop->pc, uop->pa, core->now, response)))
            return false;
        lsu_follow_fill(core, response, uop);
    }
    if (response->ready > core->now + core_config(core)->latency_load)
        response->ready += port_line_cycles(core);
    uint64_t last = uop->pa + uop->access_bytes - 1u, line = core->config->l1d_line_bytes;
    if ((uop->pa ^ last) & ~(line - 1)) {
        uint64_t first = response->ready;
        if (memsys_load(core->mem, uop->pc, last, core->now, &second)) {
            lsu_follow_fill(core, &second, uop);
            if (second.ready > response->ready)
                response->ready = second.ready;
        }
        response->ready += core_config(core)->lsq_misaligned_cycles;
        core->events[EVENT_MISALIGNED_CYCLES] += response->ready - first;
    }
    return true;
}

static inline void start_load(struct core *core, struct uop *uop, uint64_t *place,
                              unsigned level, uint64_t ready)
{
    const struct config *settings = core_config(core);
    uop->level = (uint8_t)level;
    uop->events |= lsu_level_events(core, level);
    uop->access_cycles = (uint32_t)(ready - uop->issue_cycle);
    *place = ready - settings->latency_load + 1;
    core->inorder->memory_cycle = core->now;
    if (ready <= core->now + settings->latency_load)
        return;
    port_line_awaited(core, ready, level);
    if (settings->commit_early_loads)
        uop->flags |= UOP_RETIRES_EARLY;
}

bool inorder_read(struct core *core, struct uop *uop, bool found, struct mem_response *response)
{
    return read_cache(core, uop, found, response);
}

void inorder_start_load(struct core *core, struct uop *uop, uint64_t *place, unsigned level,
                        uint64_t ready)
{
    start_load(core, uop, place, level, ready);
}

static enum inorder_result access_load(struct core *core, struct uop *uop, uint64_t *ready)
{
    const struct config *settings = core_config(core);
    uint64_t *place = load_place(core);
    uop->issue_cycle = core->now;           /* unless the load has to wait */
    if (core->loads_used >= settings->lsq_loads)
        return inorder_wait(core->inorder, NEVER, wait_for_queue);
    if (!port_has_room(core))
        return INORDER_WAIT;
    if (*place > core->now)
        return inorder_wait(core->inorder, *place, inorder_wait_loads);
    uint64_t translated = lsu_translate(core, uop);
    if (translated > core->now)
        return inorder_wait(core->inorder, translated, wait_for_translation);
    uint64_t from = port_load_from(core, uop);
    if (from > core->now)
        return inorder_wait(core->inorder, from, wait_for_queue);
    const struct store *store = find_store(core, uop);
    if (store != NULL) {
        if (!store_covers(store, uop->pa, uop->access_bytes) || !port_covers(core, store, uop))
            return wait_for_store(core, uop);
        *ready = core->now + settings->lsq_forward_cycles;
        *ready = port_forwarded(core, uop, store, *ready);
        start_load(core, uop, place, MEM_FORWARD, *ready);
        return INORDER_GO;
    }
    if (core->inorder->conflict_id == uop->id && settings->inorder_conflict_cycles != 0 &&
        !may_go_again(core))
        return INORDER_WAIT;
    if (port_takes_load(core)) {
        port_load(core, uop, place, ready);
        return INORDER_GO;
    }
    struct mem_response response;
    if (!read_cache(core, uop, false, &response)) {
        core->active = true;                /* ask again in the next cycle */
        return inorder_wait(core->inorder, core->now + 1, inorder_wait_loads);
    }
    *ready = response.ready;
    start_load(core, uop, place, response.level, *ready);
    return INORDER_GO;
}

static enum inorder_result access_store(struct core *core, struct uop *uop, uint64_t *ready)
{
    if (store_queue_is_full(core))
        return inorder_wait(core->inorder, NEVER, wait_for_queue);
    if (!port_has_room(core))
        return INORDER_WAIT;
    uint64_t translated = lsu_translate(core, uop);
    if (translated > core->now)
        return inorder_wait(core->inorder, translated, wait_for_translation);
    core->inorder->store_cycle = core->now;
    core->inorder->memory_cycle = core->now;
    uint64_t data = core->inorder->ready[uop->insn.rs2];
    *ready = (data > core->now ? data : core->now) + 1;
    if (!port_store(core, uop, ready)) {
        core->active = true;                /* ask again in the next cycle */
        return inorder_wait(core->inorder, core->now + 1, inorder_wait_loads);
    }
    return INORDER_GO;
}

enum inorder_result inorder_access(struct core *core, struct uop *uop, uint64_t *ready)
{
    return uop->kind == KIND_STORE ? access_store(core, uop, ready) : access_load(core, uop, ready);
}
