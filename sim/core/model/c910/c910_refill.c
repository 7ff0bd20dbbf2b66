/* Misses of an instruction cache that takes one line at a time, and passes its blocks to fetch as
 * they arrive.
 *
 * A block is looked up in the cycle in which fetch reads it, found to be missing in the next, and
 * requested in the one after. From then on fetch stands still, whatever its next address. It
 * continues with the blocks of that line as they arrive, the missing one first. A block that fetch
 * cannot take when it arrives is read when the line is complete, a cycle later than otherwise. When
 * fetch is redirected
 *   - before memory has granted the request, nothing is requested;
 *   - before the first block arrives, the line is dropped: fetch goes on at once, but its next miss
 *     waits until the line has passed;
 *   - later, fetch waits for the rest of the line.
 * A miss that is to be requested in the cycle of a redirect goes out nevertheless. So do misses of
 * the blocks that fetch reads after a transfer which is predicted in a late stage. They do not if
 * only the target of a branch or direct jump is found late, since fetch then reads the branch's own
 * block again.
 *
 * The line after a requested one is prefetched if it is in the same page and fetch is not
 * redirected at once. It comes to a buffer of one line, and to the cache when fetch asks for it. A
 * miss of another line empties the buffer, and prefetches nothing because the buffer is not free in
 * time. At the start, the line after the code that ran before is on its way to the buffer.
 * Source: openc910, ifu/rtl/ct_ifu_l1_refill.v (refill_cur_state), ct_ifu_ipb.v (req_cur_st,
 * wb_cur_st, pref_launch_vld), ct_ifu_ifctrl.v (if_self_stall, icache_reissue), ct_ifu_ipctrl.v
 * (ip_icache_refill, miss_under_refill_stall).
 * Left out: arrivals that memory changes after announcing them; misses on a wrong path of the
 * chained first level of targets; reads of fetch between a flush and its redirect; everything above
 * with a fetch-target queue and in lock step. */
#include "pmu/pmu.h"
#include "sim/base/cycle.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/fetch_known.h"
#include "sim/core/port.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/memsys_code.h"
#include "sim/mem/phys.h"

enum {
    LOOK_TO_ASK = 3,        /* cycles from the look-up of the line to prefetch to its request */
    GRANT_TO_PREFETCH = 4,  /* cycles from the grant of a line to the request of the next one */
    BUFFER_TO_FIRST = 1,    /* cycles from the grant to the first block out of the buffer */
    AGAIN = 1,              /* cycle between the last block and the next read of the cache */
};

void c910_refill_init(struct core *core)
{
    core->model->refill = (struct c910_refill){
        .due = NEVER, .wanted_at = NEVER, .request = NEVER, .change_at = NEVER,
        .line = NEVER, .line_end = 6,
        .buffer = core->config->l1i_prefetch != 0 ? BUFFER_FILLS : BUFFER_EMPTY,
    };
}

static uint64_t line_of(const struct core *core, uint64_t pa)
{
    return pa & ~(uint64_t)(core->config->l1i_line_bytes - 1);
}

static uint64_t blocks_of(const struct core *core)
{
    return core->config->l1i_line_bytes / core_config(core)->fetch_bytes;
}

/* The first cycle in which the line has passed completely. */
static uint64_t passed(const struct core *core)
{
    return core->model->refill.request == NEVER ? 0 : core->model->refill.first + blocks_of(core);
}

/* True if fetch waits for the line or takes its blocks. */
static bool is_taking(const struct core *core, uint64_t cycle)
{
    const struct c910_refill *refill = &core->model->refill;
    return refill->request <= cycle && !refill->is_dropped && cycle < passed(core) + AGAIN;
}

SELDOM static void find_due(struct c910_refill *refill)
{
    uint64_t due = refill->change_at;
    if (refill->wanted_at != NEVER)
        due = earlier(due, refill->wanted_at + 1);
    if (refill->buffer == BUFFER_WAITS)
        due = earlier(due, refill->line_at);
    if (refill->request != NEVER && !refill->is_dropped && !refill->is_kept)
        due = earlier(due, refill->first);
    refill->due = refill->is_changing ? 0 : due;
}

/* ---- the buffer ------------------------------------------------------------------------------ */

static void empty_buffer(struct core *core, bool is_used)
{
    struct c910_refill *refill = &core->model->refill;
    if (refill->buffer == BUFFER_FILLS && refill->line != NEVER)
        core->events[is_used ? EVENT_PREFETCH_USEFUL : EVENT_PREFETCH_UNUSED]++;
    refill->buffer = BUFFER_EMPTY;
}

/* Memory has granted a line: the line after it is looked up, to be prefetched. */
static void begin_prefetch(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    uint64_t next = line_of(core, refill->block) + core->config->l1i_line_bytes;
    if (core->config->l1i_prefetch == 0 || next % PHYS_PAGE_BYTES == 0)
        return;
    refill->buffer = BUFFER_WAITS;
    refill->line = next;
    refill->line_at = core->now + GRANT_TO_PREFETCH;
}

SELDOM static void ask_for_prefetch(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    refill->buffer = BUFFER_EMPTY;
    if (memsys_find_iframe(core->mem, refill->line) != MEM_NO_FRAME)
        return;
    core->events[EVENT_PREFETCH_ISSUED]++;
    refill->buffer = BUFFER_FILLS;
    refill->line_end = memsys_read_code(core->mem, refill->line, core->now, true) +
                       blocks_of(core) - 1;
}

/* ---- the line that fetch takes --------------------------------------------------------------- */

/* The buffer has the line, or fetch waits until it does. */
static void take_from_buffer(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    core->events[EVENT_PREFETCH_LATE] += refill->line_end >= core->now;
    refill->is_from_buffer = true;
    refill->grant = later(core->now, refill->line_end) + 1;
    refill->first = refill->grant + BUFFER_TO_FIRST;
}

SELDOM static void take_from_memory(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    refill->is_from_buffer = false;
    refill->grant = core->now;
    refill->first = memsys_read_code(core->mem, refill->block, core->now, false);
    if (refill->buffer == BUFFER_EMPTY)
        begin_prefetch(core);
    else if (refill->line_end <= core->now)
        empty_buffer(core, false);
}

static void ask_for_block(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    refill->block = refill->wanted;
    refill->request = core->now;
    refill->wanted_at = NEVER;
    refill->is_dropped = refill->is_kept = false;
    if (refill->buffer == BUFFER_FILLS && refill->line == line_of(core, refill->block))
        take_from_buffer(core);
    else
        take_from_memory(core);
}

static void drop(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    bool is_in_buffer = refill->is_from_buffer && refill->line_end <= core->now;
    if (refill->is_from_buffer && core->now < refill->grant)
        refill->request = NEVER;
    refill->is_dropped = true;
    if (is_in_buffer)
        empty_buffer(core, false);
}

/* The first block has arrived: the line enters the cache. */
SELDOM static void keep(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    struct mem_response response;
    refill->is_kept = true;
    memsys_keep_code(core->mem, refill->block, core->now, &response);
    fetch_follow_fill(core, &response, core->fetch_pc);
    refill->first = later(refill->first, response.ready);       /* its metadata may delay it */
    refill->frame = response.frame;
    if (refill->is_from_buffer)
        empty_buffer(core, true);
}

/* ---- fetch goes elsewhere -------------------------------------------------------------------- */

static void change(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    refill->change_at = NEVER;
    if (refill->wanted_at != NEVER && refill->wanted_at > core->now)
        refill->wanted_at = NEVER;
    if (refill->buffer == BUFFER_WAITS && core->now + LOOK_TO_ASK <= refill->line_at)
        refill->buffer = BUFFER_EMPTY;
    if (refill->request != NEVER && !refill->is_dropped && core->now < refill->first)
        drop(core);
}

void c910_refill_squash(struct core *core, bool is_flush)
{
    core->model->refill.is_changing = true;
    core->model->refill.is_flush = is_flush;
    core->model->refill.due = 0;
}

/* A predicted transfer redirects fetch only some cycles later. Until then fetch reads the blocks
 * after `pa`. */
SELDOM static void read_ahead(struct core *core, uint64_t pa)
{
    struct c910_refill *refill = &core->model->refill;
    uint64_t until = core->fetch_stall_until - 1;
    refill->change_at = until;
    for (uint64_t at = core->now + 1; at < until; at++) {
        pa = (pa | (core_config(core)->fetch_bytes - 1)) + 1;
        if (pa % PHYS_PAGE_BYTES == 0 || is_taking(core, at))
            break;
        if (memsys_find_iframe(core->mem, pa) != MEM_NO_FRAME)
            continue;
        refill->wanted = pa;
        refill->wanted_at = later(at + 1, passed(core));
        break;
    }
    find_due(refill);
}

void c910_refill_ahead(struct core *core)
{
    const struct uop *last = core_uop(core, core->fetch_seq - 1);
    bool is_read_again = core->fetch_cause == EVENT_LOST_BTB_MISS && last->kind != KIND_JALR;
    if (core->fetch_stall_until > core->now + 2 && !core->model->loop.is_active &&
        !is_read_again && !bpred_was_led(core->bpred, core->now))
        read_ahead(core, last->insn_pa + last->insn.length - 1);
}

void c910_refill_forget(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    if (refill->buffer != BUFFER_EMPTY && !refill->is_from_buffer)
        empty_buffer(core, false);
}

/* ---- each cycle, and each block -------------------------------------------------------------- */

void c910_refill_step(struct core *core)
{
    struct c910_refill *refill = &core->model->refill;
    if (refill->is_changing) {
        refill->is_changing = false;
        refill->change_at = later(core->fetch_stall_until - 1 - refill->is_flush, core->now);
    }
    if (refill->wanted_at < core->now)
        ask_for_block(core);
    if (refill->buffer == BUFFER_WAITS && refill->line_at <= core->now)
        ask_for_prefetch(core);
    if (refill->request != NEVER && !refill->is_dropped && !refill->is_kept &&
        refill->first <= core->now)
        keep(core);
    if (refill->change_at <= core->now)
        change(core);
    find_due(refill);
}

static void wait_until(struct core *core, uint64_t cycle)
{
    core->fetch_stall_until = cycle;
    core->fetch_cause = EVENT_LOST_ICACHE;
}

/* True if the block of pa arrives in this cycle. */
static bool takes_block(struct core *core, uint64_t pa)
{
    const struct c910_refill *refill = &core->model->refill;
    uint64_t bytes = core_config(core)->fetch_bytes, blocks = blocks_of(core);
    uint64_t at = refill->first + ((pa / bytes - refill->block / bytes) & (blocks - 1));
    bool is_of_line = line_of(core, pa) == line_of(core, refill->block);
    if (is_of_line && at == core->now)
        return true;
    wait_until(core, is_of_line && at > core->now ? at : passed(core) + AGAIN);
    return false;
}

/* If the first half of the instruction at pc is kept, the block of the second half is read,
 * whichever half `pa` is in. The rest of a block after its first branch has arrived with that
 * block. */
bool c910_refill_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame)
{
    struct c910_refill *refill = &core->model->refill;
    bool is_of_first = (pa ^ pc) % PHYS_PAGE_BYTES == 0;
    if (core->fetch_half_pc == pc && is_of_first &&
        (pa + core_config(core)->fetch_bytes) % PHYS_PAGE_BYTES >= core_config(core)->fetch_bytes)
        pa = (pa | (core_config(core)->fetch_bytes - 1)) + 1;
    if (is_taking(core, core->now)) {
        *frame = refill->frame;
        return core->model->front.rest_pc == pc || takes_block(core, pa);
    }
    if (fetch_line_known(core, pa, frame) || memsys_find_code(core->mem, pa, frame))
        return true;
    refill->wanted = pa;
    refill->wanted_at = later(core->now + 1, passed(core));
    core->fetch_events |= EVENT_BIT(ICACHE_MISS);
    wait_until(core, refill->wanted_at + 1);
    find_due(refill);
    return false;
}
