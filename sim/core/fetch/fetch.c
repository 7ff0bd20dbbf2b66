/* Fetch: one aligned block of the instruction cache a cycle, up to the first predicted-taken
 * transfer.
 *
 * Translation and cache (fetch_line.c) are accessed when the page or block changes, the predictor
 * (fetch_predict.c) at transfers.
 *
 * With a fetch-target queue (fetch.ftq) prediction runs ahead of the cache: here blocks are
 * predicted and queued, and ftq.c reads the cache for them. A loop in a buffer of the model needs
 * neither cache nor bubble, and no block ends inside it. */
#include "isa/csr.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/cpu.h"
#include "sim/core/fetch/fetch_fill.h"
#include "sim/core/fetch/fetch_known.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/privilege.h"
#include "sim/core/profile/metadata.h"

/* Parts of the front end that most machines lack; as `extras` elsewhere. */
enum { FETCH_AHEAD = 1, FETCH_LOOP = 2, FETCH_QUEUE = 4, FETCH_PMP = 8, FETCH_MODEL = 16,
       FETCH_EACH = 32, FETCH_TRANSFERS = 64 };
/* Up to this width a run of instructions is too short to be worth its set-up. */
enum { NARROW = 2 };
/* The parts with which runs of instructions are still possible; those of a model that only
 * predicts. */
#define RUNS_WITH ((uint32_t)(FETCH_LOOP | FETCH_TRANSFERS))
#define ONLY_PREDICTS ((uint32_t)(FETCH_MODEL | FETCH_EACH))

/* True if the settings need parts of fetch for other reasons than a model or a page. */
bool fetch_is_extra(const struct config *config)
{
    return bpred_is_perfect(config) || config->fetch_ftq != 0;
}

#define EXTRAS_OF_FETCH (EXTRA_FETCH | EXTRA_MISS | EXTRA_METADATA)

/* Parts that the settings of the pipeline decide, and the others. */
static inline uint32_t fixed_extras(const struct core *core)
{
    return (port_has_loops(core) ? FETCH_LOOP : 0u) |
           (core_config(core)->fetch_ftq != 0 ? FETCH_QUEUE : 0u) |
           (port_predicts(core) ? FETCH_MODEL : 0u) |
           (port_asks_each(core) ? FETCH_EACH : 0u) |
           (port_asks_transfers(core) ? FETCH_TRANSFERS : 0u);
}

static inline uint32_t free_extras(const struct core *core)
{
    return (core->ahead != NULL ? FETCH_AHEAD : 0u) | (core->fetch_checks_pmp ? FETCH_PMP : 0u);
}

/* The instructions of one cycle: the end of their code, and the largest number. */
struct group { uint64_t end, room; };

/* Gives the notes of fetch to the next instruction fetched, which already has the usual ones. */
static inline void take_notes(struct core *core, struct uop *uop)
{
    if (core->fetch_cause == EVENT_LOST_BANDWIDTH && core->refill_cause == 0 &&
        core->fetch_events == 0)
        return;
    uop->fetch_cause = core->fetch_cause;
    uop->refill_cause = core->refill_cause;
    uop->events |= core->fetch_events;
    core->fetch_cause = EVENT_LOST_BANDWIDTH;
    core->refill_cause = 0;
    core->fetch_events = 0;
}

/* Leaves notes out. cycle: of the cache read. */
static inline struct uop *push_slot(struct core *core, const struct predecode_slot *slot,
                                    uint64_t pc, uint64_t cycle)
{
    const struct fetch_origin origin = fetch_origin(core, cycle);
    struct uop *uop = core_uop(core, core->fetch_seq++);
    fetch_fill(uop, slot, pc, core->next_id++, &origin);
    return uop;
}

/* Pushes an instruction that is only a fault; nothing is fetched after it. */
RARELY static void push_fault(struct core *core, uint64_t pc, enum trap_cause cause, uint64_t tval)
{
    static const struct predecode_slot nothing = {
        .insn = {.rd = REG_SINK, .length = 4}, .uop_flags = UOP_SPECIAL, .kind = KIND_ILLEGAL,
        .unit = UNIT_INT,
    };
    bool is_queued = core_config(core)->fetch_ftq != 0;
    struct uop *uop = push_slot(core, &nothing, pc, is_queued ? NOT_YET : core->now);
    take_notes(core, uop);
    uop->flags |= core->hart->in_monitor ? UOP_MONITOR : 0u;
    uop->trap = (uint8_t)cause;
    uop->tval = tval;
    uop->insn_pa = NEVER;
    port_predict(core, uop, false);
    core->fetch_blocked = true;
}

/* ---- page and line of the next block --------------------------------------------------------- */

APART bool enter_fetch_page(struct core *core)
{
    uint64_t va = core->fetch_pc & ~(uint64_t)(PHYS_PAGE_BYTES - 1), pa = 0;
    enum trap_cause cause = fetch_translate(core, core->fetch_pc, &pa);
    if (cause != TRAP_NONE) {
        push_fault(core, core->fetch_pc, cause, core->fetch_pc);
        return false;
    }
    if (core_config(core)->fetch_ftq == 0 && !fetch_itlb_is_ready(core, va))
        return false;
    core->fetch_checks_pmp = privilege_checks_pmp(core->hart) &&
                             mmu_cached(&core->cpu->mmu, va, MMU_FETCH) == NULL;
    core->fetch_page_pa = pa & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
    core->fetch_page = predecode_page(core->predecode, core->fetch_page_pa);
    core->fetch_page_va = core->fetch_page != NULL ? va : NO_FETCH_PAGE;
    return core->fetch_page != NULL;
}

/* Makes fetch_page the page of fetch_pc. False: faulted or waiting. */
static inline bool page_is_ready(struct core *core)
{
    uint64_t va = core->fetch_pc & ~(uint64_t)(PHYS_PAGE_BYTES - 1);
    return core->fetch_page_va == va || enter_fetch_page(core);
}

/* True if the line of the present block is available. After a fetch-target queue, or from the loop
 * buffer, the cache is not read here. *frame: of its marks. */
APART bool block_is_ready(struct core *core, uint64_t pa, uint32_t *frame)
{
    *frame = MEM_NO_FRAME;
    if (core_config(core)->fetch_ftq != 0)
        return true;
    if (port_feeds(core)) {
        if (memsys_find_iframe(core->mem, pa) != MEM_NO_FRAME) {
            *frame = metadata_iframe(core, pa);
            return true;
        }
        port_stops_feeding(core);
    }
    return fetch_line_is_ready(core, core->fetch_pc, pa, frame);
}

static inline bool line_is_ready(struct core *core, uint64_t pa, uint32_t *frame)
{
    if (port_takes_lines(core) && !port_feeds(core) && (core_extras(core) & EXTRA_METADATA) == 0)
        return port_line_is_ready(core, core->fetch_pc, pa, frame);
    bool is_plain = (core_extras(core) & EXTRAS_OF_FETCH) == 0 ||
                    (core_config(core)->fetch_ftq == 0 && !port_feeds(core) &&
                     (core_extras(core) & EXTRA_METADATA) == 0);
    return (is_plain && fetch_line_at_once(core, pa, frame)) ||
           block_is_ready(core, pa, frame);
}

/* True if the line with the rest of the instruction at fetch_pc is available. */
static bool second_half_is_ready(struct core *core, uint64_t pa)
{
    uint32_t frame;
    return line_is_ready(core, pa, &frame);
}

/* The last instruction of a page whose second half is on the next page; decoded each time. */
RARELY static bool fetch_across_pages(struct core *core, struct predecode_slot *slot)
{
    uint64_t next = core->fetch_page_va + PHYS_PAGE_BYTES, pa = 0;
    enum trap_cause cause = fetch_translate(core, next, &pa);
    if (cause != TRAP_NONE) {
        push_fault(core, core->fetch_pc, cause, next);
        return false;
    }
    if ((core_config(core)->fetch_ftq == 0 && !fetch_itlb_is_ready(core, next)) ||
        !second_half_is_ready(core, pa))
        return false;
    if (core_config(core)->fetch_ftq != 0)
        ftq_add_line(core, next, pa);
    const uint8_t *low = phys_host(core->cpu->phys, core->fetch_page_pa + PHYS_PAGE_BYTES - 2);
    const uint8_t *high = phys_host(core->cpu->phys, pa);
    predecode_fill(slot, (uint32_t)(low[0] | low[1] << 8) | (uint32_t)high[0] << 16 |
                             (uint32_t)high[1] << 24, hart_xlen(core->hart));
    predecode_place(core->predecode, slot);
    predecode_hints(core->cpu->phys, slot, core->fetch_page_pa + PHYS_PAGE_BYTES - 2);
    return true;
}

/* ---- one group ------------------------------------------------------------------------------- */

/* The instruction at fetch_pc continues in the next block. True if it can be assembled in this
 * cycle: its first half is stored from the previous block. After a transfer that takes a cycle, if
 * the cache cannot be read at two places at once. */
static inline bool has_first_half(struct core *core, bool is_first)
{
    bool is_kept = core->fetch_half_pc == core->fetch_pc;
    core->fetch_half_pc = core->fetch_pc;
    return is_first && (is_kept || !core_config(core)->fetch_straddle_wait);
}

/* True if the second half of the instruction at fetch_pc, which continues after the end of the
 * group, arrives in this cycle. */
APART bool takes_second_half(struct core *core)
{
    uint64_t second = core->fetch_pc + 2;
    uint64_t pa = core->fetch_page_pa + (second & (PHYS_PAGE_BYTES - 1));
    if (!second_half_is_ready(core, pa))
        return false;
    core->fetch_half_pc = NEVER;
    if (core_config(core)->fetch_ftq != 0)
        ftq_add_line(core, second, pa);
    return true;
}

/* An instruction that is seen for the first time, or continues in another page: the latter is in
 * core->fetch_across. */
APART const struct predecode_slot *new_slot(struct core *core, uint64_t pc, bool is_first)
{
    const struct predecode_slot *slot = fetch_slot_at(core, pc);
    if (slot->is_valid)
        return slot;
    return is_first && fetch_across_pages(core, core->fetch_across) ? core->fetch_across : NULL;
}

/* The instruction at pc, which equals fetch_pc, or NULL if the group ends before it. */
static inline const struct predecode_slot *next_slot(struct core *core, uint64_t pc, uint64_t *end,
                                                     bool is_first)
{
    const struct predecode_slot *slot = &core->fetch_page->slot[pc % PHYS_PAGE_BYTES >> 1];
    if (!slot->is_valid) {
        slot = new_slot(core, pc, is_first);
        if (slot == NULL || slot == core->fetch_across)
            return slot;
    }
    if (pc + slot->insn.length <= *end)
        return slot;
    if (!has_first_half(core, is_first) || !takes_second_half(core))
        return NULL;
    *end += core_config(core)->fetch_bytes;
    return slot;
}

/* With perfect prediction, or as the model decides. False: the group ends after the instruction. */
static bool fetch_otherwise(struct core *core, struct uop *uop, bool is_control)
{
    if (port_predicts(core))
        return port_predict(core, uop, is_control);
    bool goes_on = ahead_fetch(core, uop);
    if (is_control)
        fetch_follow(core, uop);
    return goes_on;
}

/* The first halfword of the instruction that PMP forbids, as an offset from its start, or -1. */
static int forbidden_half(const struct core *core, unsigned length)
{
    uint64_t pa = core->fetch_page_pa + (core->fetch_pc & (PHYS_PAGE_BYTES - 1));
    for (unsigned half = 0; half < length; half += 2)
        if (!pmp_allows(core->hart, pa + half, 2, MMU_FETCH, core->hart->priv))
            return (int)half;
    return -1;
}

/* True if the group continues after the instruction. Plain machines, and those whose model only
 * predicts, have notes of fetch only in front of a group and at transfers. */
IN_BOTH bool fetch_one(struct core *core, const struct predecode_slot *slot, uint64_t pc,
                       bool *is_noted, const uint32_t extras)
{
    int forbidden = extras & FETCH_PMP ? forbidden_half(core, slot->insn.length) : -1;
    if (forbidden >= 0) {
        push_fault(core, pc, TRAP_FETCH_ACCESS, pc + (uint64_t)forbidden);
        return false;
    }
    struct uop *uop = push_slot(core, slot, pc, extras & FETCH_QUEUE ? NOT_YET : core->now);
    uint64_t next = pc + slot->insn.length;
    bool is_control = predecode_is_transfer(slot);
    bool goes_on = !((extras & FETCH_LOOP) && port_feeds(core) && is_control);
    if (*is_noted || (extras != 0 && extras != ONLY_PREDICTS))
        take_notes(core, uop);
    *is_noted = is_control;
    if (extras & (FETCH_AHEAD | FETCH_MODEL))
        goes_on = fetch_otherwise(core, uop, is_control) && goes_on;
    else if (is_control)
        goes_on = fetch_predict(core, uop) && goes_on;
    else if (extras & FETCH_LOOP)
        port_loop_sees(core, uop);
    core->fetch_pc = is_control || extras != 0 ? uop->predicted_pc : next;
    if ((extras & FETCH_LOOP) && port_feeds(core) && !port_feeds_at(core, core->fetch_pc))
        return false;
    return goes_on && ((!is_control && extras == 0) || core->fetch_pc == next);
}

/* Enters `count` instructions from the slot on, the first at fetch_pc, into the ring; at least
 * one. */
IN_BOTH void fill_run(struct core *core, const struct predecode_slot *slot, uint32_t count,
                      const uint32_t extras)
{
    const struct fetch_origin origin = fetch_origin(core, core->now);
    const struct uop *const ring_end = core->ring + core_ring_mask(core) + 1;
    struct uop *uop = core_uop(core, core->fetch_seq);
    uint64_t pc = core->fetch_pc, id = core->next_id, last = id + count;
    do {
        pc = fetch_fill(uop, slot, pc, id, &origin);
        if (extras & FETCH_LOOP)
            port_loop_sees(core, uop);
        slot = predecode_next(slot, slot->stride);
        if (++uop == ring_end)
            uop = core->ring;
    } while (++id != last);
    core->fetch_pc = pc;
    core->next_id = last;
    core->fetch_seq += count;
}

/* Most machines need no further test for a known instruction in the block, unless they have extras
 * and the instruction is a transfer. Fetches all of these from fetch_pc on, at most *left, which it
 * counts down. False: the group ends here. */
IN_BOTH bool fetch_runs(struct core *core, uint64_t end, uint32_t *left, const uint32_t extras)
{
    while (core->fetch_pc < end) {
        unsigned offset = core->fetch_pc % PHYS_PAGE_BYTES;
        const struct predecode_slot *slot = &core->fetch_page->slot[offset >> 1];
        unsigned known = slot->run != 0 ? slot->run
                                        : predecode_run(core->fetch_page, offset,
                                                        core_config(core)->fetch_bytes);
        uint32_t length = known & PREDECODE_RUN_COUNT;
        if (extras != 0 && (known & PREDECODE_RUN_TRANSFER))
            length--;
        uint32_t run = (uint32_t)earlier(length, *left);
        if (run != 0) {
            struct uop *first = core_uop(core, core->fetch_seq);
            fill_run(core, slot, run, extras);
            take_notes(core, first);
        }
        if (run != length)
            return false;
        *left -= run;
        if (extras != 0 || (known & PREDECODE_RUN_TRANSFER) == 0)
            return true;
        struct uop *transfer = core_uop(core, core->fetch_seq - 1);
        if (!fetch_predict(core, transfer) || transfer->predicted_pc != core->fetch_pc) {
            core->fetch_pc = transfer->predicted_pc;
            return false;
        }
    }
    return true;
}

static bool has_no_room(const struct core *core)
{
    return core_config(core)->fetch_ftq != 0 ? ftq_is_full(core) : fetch_buffer_is_full(core);
}

IN_BOTH void fetch_some(struct core *core, const struct group group, const uint32_t extras)
{
    uint64_t end = group.end;
    uint32_t width = core_config(core)->fetch_width;
    bool is_noted = true, runs = (extras & ~RUNS_WITH) == 0 && width > NARROW;
    if ((extras & FETCH_LOOP) && port_feeds(core))
        width = port_loop_width(core, width);
    const uint32_t most = (uint32_t)earlier(width, group.room);
    for (uint32_t left = most;; left--) {
        if (runs && !((extras & FETCH_LOOP) && port_feeds(core))) {
            if (!fetch_runs(core, end, &left, extras))
                return;
            is_noted = true;
        }
        const bool is_full = left == 0 || (extras & FETCH_QUEUE);
        uint64_t pc = core->fetch_pc;
        if ((is_full && most - left >= width) || pc >= end)
            return;
        const struct predecode_slot *slot = next_slot(core, pc, &end, left == most);
        if (slot == NULL || ((extras & FETCH_QUEUE) == 0 && left == 0))
            return;
        bool asks = (extras & FETCH_EACH) ||
                    ((extras & FETCH_TRANSFERS) && predecode_is_transfer(slot));
        if (asks && !port_may_join(core, slot, most - left))
            return;
        if (!fetch_one(core, slot, pc, &is_noted, extras))
            return;
        if (asks && port_ends_group(core, slot, end))
            return;
        if ((extras & FETCH_LOOP) && port_feeds(core))
            end = UINT64_MAX;
    }
}

IN_BOTH struct group begin_group(const struct core *core)
{
    uint64_t bytes = core_config(core)->fetch_bytes;
    return (struct group){
        .end = (core->fetch_pc & ~(bytes - 1)) + bytes,
        .room = core_config(core)->fetch_buffer - (core->fetch_seq - core->decode_seq),
    };
}

static uint64_t room_for_group(const struct core *core)
{
    uint64_t waiting = core->fetch_seq - core->decode_seq;
    uint64_t size = port_feeds(core) ? port_loop_room(core) : core_config(core)->fetch_buffer;
    return waiting < size ? size - waiting : 0;
}

static uint64_t line_of_group(const struct core *core)
{
    return core->fetch_page_pa + (core->fetch_pc & (PHYS_PAGE_BYTES - 1));
}

APART void fetch_with_free_extras(struct core *core, const struct group group)
{
    fetch_some(core, group, fixed_extras(core) | free_extras(core));
}

/* Fetches the instructions of an available line; frame: of its marks. */
IN_BOTH void fetch_by_extras(struct core *core, const struct group group, uint32_t frame)
{
    uint64_t first = core->fetch_seq, pa = line_of_group(core);
    if (free_extras(core) != 0)
        fetch_with_free_extras(core, group);
    else
        fetch_some(core, group, fixed_extras(core));
    for (uint64_t seq = first; core->hart->in_monitor && seq != core->fetch_seq; seq++)
        core_uop(core, seq)->flags |= UOP_MONITOR;
    if (core->cpu->marks_on)
        fetch_attach_marks(core, first, pa, frame);
}

APART void fetch_with_extras(struct core *core, const struct group group, uint32_t frame)
{
    fetch_by_extras(core, group, frame);
}

/* For machines with parts of fetch that most machines lack. */
static void fetch_group_with_extras(struct core *core)
{
    uint64_t pc = core->fetch_pc, pa = line_of_group(core);
    uint32_t frame;
    if (port_feeds(core))
        port_feeds_at(core, pc);
    struct group group = begin_group(core);
    group.room = room_for_group(core);
    if (!line_is_ready(core, pa, &frame))
        return;
    if (core_config(core)->fetch_ftq != 0)
        ftq_add_line(core, pc, pa);
    group.room = port_group(core, pc, group.room);
    fetch_by_extras(core, group, frame);
}

IN_BOTH void fetch_group(struct core *core)
{
    uint32_t frame;
    if (!line_is_ready(core, line_of_group(core), &frame))
        return;
    if ((core->mode & (CYCLES_MONITOR | HAS_MARKS)) | core->fetch_checks_pmp)
        fetch_with_extras(core, begin_group(core), frame);
    else
        fetch_some(core, begin_group(core), 0);
}

IN_BOTH void fetch_step_by_extras(struct core *core)
{
    if (core_config(core)->fetch_ftq != 0)
        ftq_step(core);
    if (!port_may_fetch(core))
        return;
    if (core->fetch_blocked || core->fetch_stall_until > core->now || has_no_room(core))
        return;
    if (core->fetches_otherwise && !ahead_may_fetch(core))
        return;
    core->active = true;
    if (port_fetches(core))
        return;
    if (core_config(core)->fetch_ftq != 0)
        ftq_open(core);
    uint64_t pc = core->fetch_pc, first = core->fetch_seq;
    if (page_is_ready(core))
        fetch_group_with_extras(core);
    core->events[EVENT_FETCHED] += core->fetch_seq - first;
    port_fetched(core, pc, first);
}

APART void fetch_step_with_extras(struct core *core)
{
    fetch_step_by_extras(core);
}

void fetch_step(struct core *core)
{
    if (core_always_has(core, EXTRAS_OF_FETCH)) {
        fetch_step_by_extras(core);
        return;
    }
    if ((core_extras(core) & EXTRAS_OF_FETCH) || port_is_in_fetch(core)) {
        fetch_step_with_extras(core);
        return;
    }
    uint64_t first = core->fetch_seq;
    core->active = true;
    if (page_is_ready(core))
        fetch_group(core);
    core->events[EVENT_FETCHED] += core->fetch_seq - first;
}
