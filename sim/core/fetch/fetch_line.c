/* The cache side of fetch: translation, and the line from which instructions are read.
 *
 * A miss holds fetch until the line arrives, and the first instruction fetched after it carries the
 * miss as its event. Used by fetch.c, or by ftq.c if prediction runs ahead. */
#include "isa/csr.h"
#include "shadowcache/shadow.h"
#include "sim/core/cpu.h"
#include "sim/core/fetch/fetch_known.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/privilege.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/memsys.h"

/* Notes the LOST_* cause that delays the next instruction, or the oldest block of the fetch-target
 * queue. */
static void hold(struct core *core, unsigned cause)
{
    if (core_config(core)->fetch_ftq != 0)
        core->ftq->cause = (uint8_t)cause;
    else
        core->fetch_cause = (uint8_t)cause;
}

/* The cache side of fetch waits. */
static void stall(struct core *core, uint64_t until, unsigned cause)
{
    if (core_config(core)->fetch_ftq != 0)
        core->ftq->stall_until = until;
    else
        core->fetch_stall_until = until;
    if (until > core->now)
        hold(core, cause);
}

/* Stores the events of a miss until an instruction is fetched after it. */
static uint64_t *miss_events(struct core *core)
{
    return core_config(core)->fetch_ftq != 0 ? &core->ftq->events : &core->fetch_events;
}

/* ---- translation ----------------------------------------------------------------------------- */

enum trap_cause fetch_translate(struct core *core, uint64_t va, uint64_t *pa)
{
    struct mmu *mmu = &core->cpu->mmu;
    const struct mmu_entry *entry = mmu_cached(mmu, va, MMU_FETCH);
    if (entry != NULL) {
        *pa = entry->pa | (va & (PHYS_PAGE_BYTES - 1));
        return TRAP_NONE;
    }
    enum trap_cause cause = mmu_probe(mmu, va, MMU_FETCH, core->hart->priv, pa);
    if (cause == TRAP_NONE && !phys_is_ram(core->cpu->phys, *pa, 2))
        return TRAP_FETCH_ACCESS;
    return cause;
}

bool fetch_itlb_is_ready(struct core *core, uint64_t va)
{
    uint64_t ready = core->now;
    if (!privilege_is_paged(core->hart, core->hart->priv))
        return true;
    if (memsys_itlb_hit(core->mem, va, core->now, &ready)) {
        if (ready > core->now)
            stall(core, ready, EVENT_LOST_ITLB);
        return ready <= core->now;
    }
    struct mmu_walk walk;
    uint64_t pa;
    bool miss;
    mmu_probe_walk(&core->cpu->mmu, va, MMU_FETCH, core->hart->priv, &pa, &walk);
    *miss_events(core) |= EVENT_BIT(ITLB_MISS);
    ready = memsys_itlb(core->mem, va, walk.page_bits, walk.pte, walk.levels, core->now, &miss);
    stall(core, ready, EVENT_LOST_ITLB);
    return ready <= core->now;
}

/* ---- instruction cache ----------------------------------------------------------------------- */

/* The instruction, or with a fetch-target queue the block, for which the cache is read. */
static uint64_t reading_for(const struct core *core)
{
    return core_config(core)->fetch_ftq != 0 ? core->ftq->read_seq : core->fetch_seq;
}

/* True if a branch or indirect jump before that instruction or block has not executed. */
static bool may_be_wrong_path(const struct core *core)
{
    for (uint64_t seq = reading_for(core); seq-- > core->commit_seq;) {
        const struct uop *uop = core_uop(core, seq);
        bool is_open = seq >= core->dispatch_seq || uop->complete_cycle > core->now;
        if ((uop->kind == KIND_BRANCH || uop->kind == KIND_JALR) && is_open)
            return true;
    }
    return false;
}

/* Fetch waits for the line of pa. */
static void wait_for_line(struct core *core, uint64_t pa, uint64_t ready)
{
    struct fetch_line *line = core->fetch_line;
    uint64_t seq = reading_for(core), block = pa / core->config->l1i_line_bytes;
    line += line->seq == seq && line->block != block;
    *line = (struct fetch_line){.seq = seq, .block = block, .ready = ready};
    stall(core, ready, EVENT_LOST_ICACHE);
}

/* The line has arrived for the present fetch, but the cache has lost it again. Fetch uses the line
 * once, so that harts that take each other's lines make progress. (As the transient state IS_I of a
 * MESI cache: Sorin, Hill, Wood, "A Primer on Memory Consistency and Cache Coherence", section 7.)
 * Fetch does not do so while marks are on, because their frame has lost the line. */
static bool has_passed(const struct core *core, uint64_t pa)
{
    uint64_t seq = reading_for(core), block = pa / core->config->l1i_line_bytes;
    for (unsigned i = 0; i < 2; i++) {
        const struct fetch_line *line = &core->fetch_line[i];
        if (line->seq == seq && line->block == block && line->ready <= core->now)
            return !core->cpu->marks_on && memsys_find_iframe(core->mem, pa) == MEM_NO_FRAME;
    }
    return false;
}

/* fetch.miss_delay: the line of pa is missing; returns the cycle from which its miss may go out. */
static uint64_t miss_goes_from(struct core *core, uint64_t pa)
{
    struct fetch_miss *miss = &core->fetch_miss;
    if (memsys_find_iframe(core->mem, pa) != MEM_NO_FRAME)
        return core->now;
    if (miss->pa != pa) {
        miss->pa = pa;
        miss->due = core->now + core_config(core)->fetch_miss_delay;
    }
    return miss->due;
}

/* True if the line of pa, for the instruction at pc, is available in this cycle. *frame: its
 * frame. */
static bool cache_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame)
{
    struct mem_response response;
    if (port_takes_lines(core))
        return port_line_is_ready(core, pc, pa, frame);
    if (fetch_line_at_once(core, pa, frame))
        return true;
    *frame = MEM_NO_FRAME;
    if (has_passed(core, pa))
        return true;
    if (core_extras(core) & EXTRA_MISS) {
        uint64_t until = miss_goes_from(core, pa);
        if (until > core->now) {
            stall(core, until, EVENT_LOST_ICACHE);
            return false;
        }
    }
    if (!core_config(core)->fetch_speculative_miss && may_be_wrong_path(core) &&
        memsys_find_iframe(core->mem, pa) == MEM_NO_FRAME) {
        hold(core, EVENT_LOST_ICACHE);
        return false;
    }
    if (!memsys_fetch(core->mem, pa, core->now, &response)) {
        hold(core, EVENT_LOST_ICACHE);
        return false;
    }
    fetch_follow_fill(core, &response, pc);
    *frame = response.frame;
    if (response.miss) {
        core->fetch_miss.pa = NEVER;
        port_line_misses(core, &response);
        *miss_events(core) |= EVENT_BIT(ICACHE_MISS);
    }
    if (response.ready <= core->now)
        return true;
    wait_for_line(core, pa, response.ready);
    return false;
}

/* As cache_line_is_ready, with its marks. */
bool fetch_line_is_ready(struct core *core, uint64_t pc, uint64_t pa, uint32_t *frame)
{
    if (!cache_line_is_ready(core, pc, pa, frame))
        return false;
    if ((core_extras(core) & EXTRA_METADATA) == 0)
        return true;
    uint64_t ready = metadata_fetch(core, pa, frame);
    if (ready > core->now)
        stall(core, ready, EVENT_LOST_ICACHE);
    return ready <= core->now;
}

void fetch_forget_code(struct core *core)
{
    predecode_drop_stale(core->predecode);
    memsys_flush_icache(core->mem);
    port_forget_lines(core);
    if (core->cpu->ishadow != NULL)
        shadow_flush(core->cpu->ishadow);
}
