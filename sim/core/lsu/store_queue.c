/* The store queue: every store from dispatch until the data cache accepts it.
 *
 * Numbered like a ring: [head, commit) committed and waiting for the cache, [commit, tail)
 * speculative. A counting hash over 8-byte granules lets most loads skip the search, as no store
 * overlaps them. */
#include <stdlib.h>

#include "sim/core/core.h"
#include "sim/core/cpu.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/profile/awaited.h"
#include "sim/core/profile/metadata.h"

uint32_t store_queue_places(const struct config *config)
{
    return config->lsq_stores + config->part_store_buffer;
}

bool store_queue_grow(struct core *core, uint32_t places)
{
    uint64_t size = core->sq.mask + 1;
    while (size < places)
        size *= 2;
    struct store *store = calloc(size, sizeof *store);
    struct awaited *awaited = calloc(size, sizeof *awaited);
    if (store == NULL || awaited == NULL) {
        free(store);
        free(awaited);
        return false;
    }
    free(core->sq.store);
    free(core->awaited);
    core->sq.store = store;
    core->awaited = awaited;
    core->sq.mask = size - 1;
    core->sq.places = places;
    return true;
}

static void hash_add(struct core *core, const struct store *store, int delta)
{
    unsigned first = store_queue_hash(store->pa);
    unsigned last = store_queue_hash(store->pa + store->bytes - 1);
    core->sq.hash[first] = (uint16_t)(core->sq.hash[first] + delta);
    if (last != first)
        core->sq.hash[last] = (uint16_t)(core->sq.hash[last] + delta);
}

uint64_t store_queue_search(const struct core *core, uint64_t pa, unsigned bytes)
{
    for (uint64_t number = core->sq.tail; number-- > core->sq.head;)
        if (store_overlaps(store_queue_at(core, number), pa, bytes))
            return number;
    return NEVER;
}

/* `memory` overlaid with every store that has not committed, oldest first. Memory already has the
 * committed stores, and later writes of others to the same bytes. */
uint64_t store_queue_read(const struct core *core, uint64_t pa, unsigned bytes, uint64_t memory)
{
    for (uint64_t number = core->sq.commit; number != core->sq.tail; number++) {
        const struct store *store = store_queue_at(core, number);
        if (!store_overlaps(store, pa, bytes))
            continue;
        for (unsigned i = 0; i < store->bytes; i++) {
            uint64_t at = store->pa + i - pa;
            if (at < bytes) {
                memory &= ~(UINT64_C(0xff) << (8 * at));
                memory |= (store->value >> (8 * i) & 0xff) << (8 * at);
            }
        }
    }
    return memory;
}

/* One field after the other: as one assignment it would begin with the slow instruction by which a
 * host fills memory. */
static inline void set_store(struct store *store, const struct uop *uop, uint64_t seq)
{
    store->seq = seq;
    store->pa = uop->pa;
    store->value = uop->store_value;
    store->bytes = uop->access_bytes;
    store->is_issued = store->is_committed = store->is_half_written = store->is_written = false;
    store->is_fp = store->is_filling = store->is_waited_for = store->is_awaited = false;
    store->drains_at = store->issued_at = store->pops_from = store->entry = 0;
    store->pc = uop->pc;
    store->va = uop->va;
    store->data_ready = store->violator = store->pops_at = NEVER;
}

void store_queue_push(struct core *core, struct uop *uop, uint64_t seq)
{
    uop->store_number = core->sq.tail++;
    struct store *store = store_queue_at(core, uop->store_number);
    set_store(store, uop, seq);
    if (uop->trap != TRAP_NONE)
        store->bytes = 0;
    else
        hash_add(core, store, 1);
}

void store_queue_undo(struct core *core)
{
    const struct store *store = store_queue_at(core, --core->sq.tail);
    if (store->bytes != 0)
        hash_add(core, store, -1);
    if (core->sq.unissued > core->sq.tail)
        core->sq.unissued = core->sq.tail;
}

void store_queue_forget_violators(struct core *core, uint64_t keep_seq)
{
    for (uint64_t number = core->sq.commit; number != core->sq.tail; number++) {
        struct store *store = store_queue_at(core, number);
        if (store->violator != NEVER && store->violator > keep_seq)
            store->violator = NEVER;
    }
}

static void write_memory(struct core *core, const struct uop *uop)
{
    struct phys *phys = core->cpu->phys;
    if (phys_flags(phys, uop->pa) != 0) {
        phys_write(phys, uop->pa, uop->access_bytes, uop->store_value);
        return;
    }
    uint8_t *host = phys_host(phys, uop->pa);
    switch (uop->access_bytes) {
    case 1: *host = (uint8_t)uop->store_value; break;
    case 2: { uint16_t half = (uint16_t)uop->store_value; memcpy(host, &half, sizeof half); break; }
    case 4: { uint32_t word = (uint32_t)uop->store_value; memcpy(host, &word, sizeof word); break; }
    default: memcpy(host, &uop->store_value, sizeof uop->store_value);
    }
}

void store_queue_commit(struct core *core, const struct uop *uop)
{
    write_memory(core, uop);
    struct store *store = store_queue_at(core, uop->store_number);
    store->is_committed = true;
    store->drains_at = port_store_leaves(core, store) + core_config(core)->lsq_drain_cycles;
    core->sq.commit++;
}

static inline void leave(struct core *core, uint64_t cycle)
{
    const struct store *store = store_queue_at(core, core->sq.head);
    if (store->bytes != 0)
        hash_add(core, store, -1);
    cycle = later(cycle, core->now);
    if (store->is_awaited)
        retire_written(core, core->sq.head, cycle);
    if (core->observer != NULL && core->observer->stored != NULL)
        core->observer->stored(core->observer->arg, core->sq.head, cycle);
    core->sq.head++;
    port_drained(core);
}

bool core_awaits_lines(const struct core *core)
{
    bool any = false;
    for (uint64_t number = core->sq.head; number != core->sq.commit; number++)
        any |= store_queue_at(core, number)->is_awaited;
    return any;
}

void store_queue_leave(struct core *core, uint64_t cycle)
{
    leave(core, cycle);
}

/* Drains the following stores to the same line, or to the same part of it as `pa`: they enter the
 * cache with the first. */
static void drain_merged(struct core *core, uint64_t pa, uint64_t cycle)
{
    uint64_t bytes = earlier(core->config->l1d_line_bytes, core->config->part_merge_bytes);
    while (core->sq.head != core->sq.commit) {
        const struct store *store = store_queue_at(core, core->sq.head);
        uint64_t last = store->pa + store->bytes - 1, block = pa & ~(bytes - 1);
        if (store->bytes == 0 || ((store->pa ^ block) | (last ^ block)) >= bytes ||
            port_store_is_queued(core, store))
            return;
        leave(core, cycle);
    }
}

/* Writes the next line of the store, *line; for a store across lines first the lower. False: the
 * cache refused. */
static bool write_line(struct core *core, struct store *store, uint64_t *line,
                       struct mem_response *response)
{
    uint64_t mask = ~(uint64_t)(core->config->l1d_line_bytes - 1);
    uint64_t last = store->pa + store->bytes - 1;
    uint64_t pa = store->is_half_written ? last & mask : store->pa;
    *line = pa & mask;
    if (!memsys_store(core->mem, store->pc, pa, core->now, response))
        return false;
    lsu_follow_fill(core, response, NULL);
    store->is_half_written = *line != (last & mask);
    return true;
}

/* Committed stores go to the data cache in order, as many lines a cycle as there are store
 * ports. */
void drain_step(struct core *core)
{
    if (port_drains(core))
        return;
    for (uint32_t n = 0; n < core_config(core)->unit_stores; n++) {
        if (core->sq.head == core->sq.commit)
            return;
        struct store *store = store_queue_at(core, core->sq.head);
        struct mem_response response = {.ready = core->now};
        uint64_t line = NEVER;
        if (store->drains_at > core->now || core->sq.drain_from > core->now)
            return;
        core->active = true;
        bool was_filling = store->is_filling;
        store->is_filling = false;
        if (store->bytes != 0 && !store->is_written && !was_filling &&
            !write_line(core, store, &line, &response))
            return;
        if (port_store_stays(core, store, &response, was_filling))
            return;
        if (store->is_half_written)
            continue;
        uint64_t last = store->pa + store->bytes - 1;
        leave(core, response.ready);
        if (core->config->part_store_merge != 0)
            drain_merged(core, last, response.ready);
    }
}
