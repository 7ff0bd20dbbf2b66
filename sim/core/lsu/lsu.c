/* Timing of loads and stores: address translation, store-queue forwarding, speculation past stores
 * of unknown address, data cache, line-crossing accesses.
 *
 * The store on which a load depends is known from its execution at dispatch; here it determines the
 * time of the value. A load that issues before that store has wrongly passed it: when the store
 * issues, the load is fetched again. A table of such loads makes them wait next time (Kessler, "The
 * Alpha 21264 Microprocessor", 1999: the load-wait table).
 * A load that crosses a boundary of the model (port_split_bytes) is issued twice, with one access
 * each time.
 * Left out: otherwise the second line of a load that crosses lines is accessed only once, in the
 * cycle of the first. If the cache refuses it (port, bank, miss registers), as a cache with one
 * port always does, there is no access and no miss: the load takes the time of the first line plus
 * the crossing. A refused access at the head of the reorder buffer takes dram.cycles. */
#include "sim/base/cycle.h"
#include "sim/core/lsu/lsu_known.h"
#include "sim/core/lsu/memdep.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/profile/marks.h"
#include "sim/core/profile/metadata.h"

/* ---- loads ----------------------------------------------------------------------------------- */

/* The cycle at which the translation of an address of the access is ready; now on a TLB hit. An
 * access that has begun a walk waits for it and then has the translation, even if others have
 * evicted the entry: in a small TLB accesses would otherwise evict each other for ever. */
static uint64_t translate_paged(struct core *core, struct uop *uop, uint64_t va)
{
    unsigned priv = privilege_of_data(core->hart);
    uint64_t ready = core->now;
    bool is_hit = memsys_dtlb_hit(core->mem, va, core->now, &ready);
    if ((uop->events & EVENT_BIT(DTLB_MISS)) && (va ^ uop->va) >> PHYS_PAGE_BITS == 0)
        return later(core->now, uop->translated_at);
    if (is_hit)
        return ready;
    struct mmu_walk walk;
    uint64_t pa;
    bool miss;
    mmu_probe_walk(&core->cpu->mmu, va, uop->kind == KIND_STORE ? MMU_STORE : MMU_LOAD, priv,
                   &pa, &walk);
    uop->events |= EVENT_BIT(DTLB_MISS);
    uop->translated_at = memsys_dtlb(core->mem, va, walk.page_bits, walk.pte, walk.levels,
                                     core->now, &miss);
    return uop->translated_at;
}

uint64_t lsu_translate_paged(struct core *core, struct uop *uop)
{
    return translate_paged(core, uop, uop->va);
}

/* Without paging the TLB has the attributes of the page's memory. (C906: aq_mmu_utlb_entry.v,
 * mach_vpn_hit.) */
uint64_t lsu_translate_bare(struct core *core, struct uop *uop)
{
    uint64_t ready = core->now;
    bool is_hit = memsys_dtlb_hit_bare(core->mem, uop->va, core->now, &ready);
    if (uop->events & EVENT_BIT(DTLB_MISS))
        return later(core->now, uop->translated_at);
    if (is_hit)
        return ready;
    uop->events |= EVENT_BIT(DTLB_MISS);
    uop->translated_at = core->now + core->config->part_bare_cycles;
    memsys_dtlb_fill_bare(core->mem, uop->va, uop->translated_at);
    return uop->translated_at;
}

static void finish_load(struct core *core, struct uop *uop, uint64_t ready, unsigned level)
{
    uop->level = (uint8_t)level;
    uop->issue_cycle = core->now;
    uop->complete_cycle = ready;
    uop->access_cycles = (uint32_t)(ready - core->now);
    if ((core_extras(core) & EXTRA_EARLY_LOADS) && uop->trap == TRAP_NONE &&
        (port_searches(core) || ready > core->now + core_config(core)->latency_load))
        uop->flags |= UOP_RETIRES_EARLY;
}

static enum issue_result sleep_until(struct core *core, uint64_t seq, uint64_t cycle)
{
    if (!port_reissues(core))
        wheel_schedule(core, seq, cycle);
    return ISSUE_SLEEP;
}

/* The load waits for older stores, which may need its port: issue_to_memory() takes that into
 * account. */
static enum issue_result poll(struct core *core, uint64_t seq)
{
    if (!port_reissues(core))
        wheel_schedule(core, seq, core->now + 1);
    return ISSUE_POLL;
}

static uint64_t last_byte(const struct uop *uop)
{
    return uop->pa + uop->access_bytes - 1u;
}

static uint8_t later_level(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

APART void tell_order(struct core *core, const struct uop *uop)
{
    memsys_order_load(core->mem, uop->id, core_seq_of(core, uop), core->commit_seq);
}

IN_BOTH bool read_line(struct core *core, struct uop *uop, uint64_t pa,
                       struct mem_response *response)
{
    if (core_extras(core) & EXTRA_LOAD_ORDER)
        tell_order(core, uop);
    else if (lsu_load_at_once(core, pa, response))
        return true;
    if (!memsys_load(core->mem, uop->pc, pa, core->now, response))
        return false;
    lsu_follow_fill(core, response, uop);
    return true;
}

static bool is_split(const struct core *core, const struct uop *uop)
{
    return (uop->flags & UOP_SPLIT) == 0 &&
           ((uop->pa ^ last_byte(uop)) & ~(uint64_t)(port_split_bytes(core) - 1)) != 0;
}

/* The load accesses the cache with its first half, and is issued again with the second. */
SELDOM static enum issue_result issue_first_half(struct core *core, struct uop *uop, uint64_t seq)
{
    struct mem_response response = {.ready = 0};
    if (!read_line(core, uop, uop->pa, &response))
        return response.ready == 0 ? ISSUE_RETRY : sleep_until(core, seq, response.ready);
    uop->flags |= UOP_SPLIT;
    uop->first_ready = response.ready;
    uop->level = response.level;
    return sleep_until(core, seq, core->now + port_split_cycles(core));
}

bool lsu_access_cache(struct core *core, struct uop *uop, uint64_t *ready)
{
    struct mem_response response, second;
    response.ready = 0;
    if (port_has_line_kept(core, uop)) {
        *ready = core->now + core->latency[LAT_LOAD];
        return true;
    }
    if (!read_line(core, uop, uop->flags & UOP_SPLIT ? last_byte(uop) : uop->pa, &response)) {
        *ready = response.ready;
        return false;
    }
    *ready = response.ready;
    if (uop->flags & UOP_SPLIT) {
        *ready = later(*ready, uop->first_ready);
        uop->level = later_level(uop->level, response.level);
        core->events[EVENT_MISALIGNED_CYCLES] += port_split_cycles(core);
        return true;
    }
    uop->level = response.level;
    if ((uop->events & EVENT_BIT(MISALIGNED)) == 0)
        return true;
    uint64_t last = last_byte(uop), line = core->config->l1d_line_bytes;
    if ((uop->pa ^ last) & ~(line - 1)) {
        if (memsys_load(core->mem, uop->pc, last, core->now, &second)) {
            lsu_follow_fill(core, &second, uop);
            *ready = second.ready > *ready ? second.ready : *ready;
        }
        *ready += core_config(core)->lsq_misaligned_cycles;
    } else {
        *ready += core_config(core)->lsq_unaligned_cycles;
    }
    core->events[EVENT_MISALIGNED_CYCLES] += *ready - response.ready;
    return true;
}

static bool older_store_unissued(struct core *core, uint64_t seq)
{
    while (core->sq.unissued < core->sq.tail &&
           (core->sq.unissued < core->sq.head ||
            store_queue_at(core, core->sq.unissued)->is_issued))
        core->sq.unissued++;
    return core->sq.unissued < core->sq.tail &&
           store_queue_at(core, core->sq.unissued)->seq < seq;
}

/* Puts the load into the list of a store, until the store issues, or until its data arrive. */
static enum issue_result sleep_on_store(struct core *core, struct uop *uop, uint64_t seq,
                                        uint64_t store)
{
    rename_link_sorted(core, uop, seq, 2, store);
    return ISSUE_SLEEP;
}

/* An older store that overlaps and has no address yet, and is younger than the youngest executed
 * overlap. */
static struct store *unissued_overlap(const struct core *core, const struct uop *uop)
{
    for (uint64_t number = uop->store_number; number-- > core->sq.commit;) {
        struct store *store = store_queue_at(core, number);
        if (!store->is_issued && store_overlaps(store, uop->pa, uop->access_bytes))
            return store;
    }
    return NULL;
}

/* The store has its address. */
static enum issue_result forward(struct core *core, struct uop *uop, uint64_t seq,
                                 const struct store *store)
{
    if (store->data_ready == NEVER)
        return sleep_on_store(core, uop, seq, store->seq);
    if (store->data_ready > core->now + 1)
        return sleep_until(core, seq, store->data_ready - 1);
    if ((uop->flags & UOP_COVERED) == 0) {
        if (core_config(core)->lsq_partial == PARTIAL_DRAIN)
            return poll(core, seq);
        if (core_config(core)->lsq_partial == PARTIAL_REFETCH)
            uop->flags |= UOP_REFETCH;
        struct store *passed = unissued_overlap(core, uop);
        if (passed != NULL && !port_reissues(core))
            violation_pass(uop, seq, passed);
    }
    uop->events |= EVENT_BIT(STORE_FORWARDED);
    finish_load(core, uop, core->now + core_config(core)->lsq_forward_cycles, MEM_FORWARD);
    return ISSUE_DONE;
}

IN_BOTH enum issue_result issue_load(struct core *core, struct uop *uop, uint64_t seq)
{
    uint64_t ready = core->now + 1;
    if (uop->trap != TRAP_NONE) {
        finish_load(core, uop, ready, MEM_L1);
        return ISSUE_DONE;
    }
    bool is_conservative = core_config(core)->lsq_speculation == SPECULATE_CONSERVATIVE;
    if (is_conservative && (core_extras(core) & EXTRA_SLOTS) == 0 &&
        older_store_unissued(core, seq))
        return poll(core, seq);
    if (!port_reissues(core) &&
        (is_conservative || memdep_waits_for_all(core, uop)) && older_store_unissued(core, seq))
        return sleep_on_store(core, uop, seq, store_queue_at(core, core->sq.unissued)->seq);
    uint64_t translated = lsu_translate(core, uop);
    if (translated > core->now)
        return sleep_until(core, seq, translated);
    if ((core_extras(core) & EXTRA_SPLIT) && is_split(core, uop))
        return issue_first_half(core, uop, seq);
    if (port_searches(core)) {
        enum issue_result result = port_search(core, uop, seq);
        if (result == ISSUE_SLEEP)
            return result;
        if (result == ISSUE_DONE) {
            uop->events |= EVENT_BIT(STORE_FORWARDED);
            finish_load(core, uop, core->now + core->latency[LAT_LOAD], MEM_FORWARD);
            return result;
        }
    } else if (uop->store_number != NEVER && uop->store_number >= core->sq.head) {
        struct store *store = store_queue_at(core, uop->store_number);
        if (!port_reissues(core)) {
            if (store->is_issued)
                return forward(core, uop, seq, store);
            violation_pass(uop, seq, store);
        } else if (store->is_issued && store->data_ready <= core->now) {
            return forward(core, uop, seq, store);
        }
    }
    if (!lsu_access_cache(core, uop, &ready))
        return ready == 0 ? ISSUE_RETRY : sleep_until(core, seq, ready);
    if ((uop->events & EVENT_BIT(DCACHE_MISS)) == 0)    /* a replayed load missed before */
        uop->events |= lsu_level_events(core, uop->level);
    finish_load(core, uop, ready, uop->level);
    return ISSUE_DONE;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static enum issue_result issue_store(struct core *core, struct uop *uop, uint64_t seq)
{
    struct store *store = store_queue_at(core, uop->store_number);
    if (uop->trap == TRAP_NONE) {
        uint64_t translated = lsu_translate(core, uop);
        if (translated > core->now)
            return sleep_until(core, seq, translated);
    }
    store->is_issued = true;
    store->issued_at = uop->issue_cycle = core->now;
    uop->complete_cycle = core->now + 1;
    if (port_searches(core)) {
        port_store_issued(core, uop, store);
        return ISSUE_DONE;
    }
    if ((core_extras(core) & EXTRA_STORE_DATA) && uop->data_at > uop->complete_cycle)
        uop->complete_cycle = uop->data_at;
    store->data_ready = uop->complete_cycle;
    if (uop->complete_cycle != NEVER)
        uop->complete_cycle += core_config(core)->latency_store - 1;
    if (store->violator != NEVER)
        violation_punish(core, store);
    return ISSUE_DONE;
}

IN_INSTANCE enum issue_result lsu_issue(struct core *core, struct uop *uop, uint64_t seq)
{
    if (!port_lets_pass(core, uop))
        return ISSUE_RETRY;
    if (uop->flags & UOP_IS_STORE)
        return issue_store(core, uop, seq);
    enum issue_result result = issue_load(core, uop, seq);
    if (result == ISSUE_SLEEP)
        port_is_issued_again(core, uop, seq);
    return result;
}

/* The first access of an instruction to a line. */
static bool serial_read(struct core *core, const struct uop *uop, uint64_t pa,
                        struct mem_response *response)
{
    if (uop->kind == KIND_STORE)
        return memsys_store(core->mem, uop->pc, pa, core->now, response);
    if (uop->kind == KIND_LOAD)
        return memsys_load(core->mem, uop->pc, pa, core->now, response);
    return memsys_load_own(core->mem, uop->pc, pa, core->now, response);
}

/* The cycle in which the line or device at pa answers an access at the head of the reorder buffer.
 * A failing store conditional accesses no line: only its reservation is tested, which takes as long
 * as a hit. */
static uint64_t serial_line(struct core *core, struct uop *uop, uint64_t pa)
{
    struct mem_response response = {.ready = core->now + core->config->dram_cycles}, write;
    if (cpu_accessed_bytes(uop->kind, uop->access_bytes, uop->value) == 0)
        return core->now + core_config(core)->latency_load;
    if (!phys_is_ram(core->cpu->phys, pa, 1))
        return response.ready;
    bool is_far = uop->kind == KIND_AMO && port_amo_is_far(core);
    if (is_far)
        memsys_give_up(core->mem, pa, core->now);
    if (serial_read(core, uop, pa, &response))
        lsu_follow_fill(core, &response, uop);
    else                                /* refused, as no miss register is free: it goes past */
        response.level = memsys_probe(core->mem, pa);
    uop->events |= lsu_level_events(core, response.level);
    uop->level = uop->level > response.level ? uop->level : response.level;
    if ((uop->kind == KIND_SC || uop->kind == KIND_AMO) &&
        memsys_store(core->mem, uop->pc, pa, core->now, &write))
        lsu_follow_fill(core, &write, uop);
    return response.ready + (is_far ? port_amo_write_cycles(core) : 0);
}

/* The access issues when its pages (at most two) are translated. */
uint64_t lsu_serial_cycles(struct core *core, struct uop *uop)
{
    if (uop->trap != TRAP_NONE)
        return 1;
    uint64_t last = uop->va + uop->access_bytes - 1u, translated = lsu_translate(core, uop);
    bool is_on_two = (uop->va ^ last) >> PHYS_PAGE_BITS != 0;
    if (is_on_two && privilege_is_paged(core->hart, privilege_of_data(core->hart)))
        translated = later(translated, translate_paged(core, uop, last));
    uop->issue_cycle += translated - core->now;
    uop->level = 0;
    uint64_t answered = serial_line(core, uop, uop->pa), pa;
    if (is_on_two && mmu_probe(&core->cpu->mmu, last,
                               uop->kind == KIND_STORE ? MMU_STORE : MMU_LOAD,
                               privilege_of_data(core->hart), &pa) == TRAP_NONE)
        answered = later(answered, serial_line(core, uop, pa));
    uop->access_cycles = (uint32_t)(answered - core->now);
    return translated - core->now + uop->access_cycles;
}
