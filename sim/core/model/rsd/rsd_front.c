/* The front end of RSD has no queues (rsd.lock_step): next pc, fetch, decode and rename are latches
 * that move together.
 *
 * The instructions fetched in a cycle stay one group up to dispatch, even a single instruction
 * between two taken transfers. Dispatch takes it when every resource has room for a whole group;
 * until then all the stages stand still, and gaps between groups stay where they are. So time in
 * the front end is counted by a clock that stops in those cycles.
 *
 * Fetch goes where the BTB says. Decode, the second stage from its end, corrects what it can; until
 * the redirect has come back to fetch the wrong path is fetched for real: it misses in the
 * instruction cache, shifts the history, and pushes and pops the return-address stack.
 *
 * An instruction that acts at the head of the reorder buffer waits in rename until the buffer is
 * empty, and discards the instructions fetched after it: decode redirects fetch, as for a jump.
 * Source: rsd-devel/rsd, Pipeline/ and Controller.sv. */

#include "sim/core/bpred/bpred.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_queue.h"

static uint64_t clock_of(const struct core *core)
{
    return core->now - core->model->front.held;
}

/* The number after the last instruction fetched by that cycle of the clock, which is over. */
static uint64_t *fetched_by(const struct core *core, uint64_t clock)
{
    return &core->model->front.fetched[clock % FRONT_CLOCKS];
}

/* ---- fetch ----------------------------------------------------------------------------------- */

static void predict(struct core *core, struct uop *uop)
{
    struct prediction prediction;
    bpred_see(core->bpred, core->now, uop->pc, &uop->insn, uop->kind, core_snapshot(core, uop),
              &prediction);
    uop->flags |= UOP_CONTROL;
    uop->predicted_pc = prediction.next_pc;
    core->events[EVENT_BTB_MISS] += prediction.btb_miss;
    if (prediction.next_pc != uop->pc + uop->insn.length)
        core->fetch_cause = EVENT_LOST_CUT;
}

/* An invalid instruction also waits until the reorder buffer is empty, to trap. */
static bool acts_alone(const struct core *core, const struct uop *uop)
{
    return (uop->flags & UOP_SERIAL) != 0 ||
           (uop->kind == KIND_ILLEGAL && core_config(core)->rsd_illegal_waits != 0);
}

bool rsd_front_predict(struct core *core, struct uop *uop)
{
    predict(core, uop);
    return !core_snapshot(core, uop)->predicted_taken;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* The number of stages from fetch to the one before rename. */
static uint64_t decode_depth(const struct core *core)
{
    return core_config(core)->fetch_stages + core_config(core)->decode_stages - 1;
}

/* The number of stages from fetch to dispatch. */
static uint64_t dispatch_depth(const struct core *core)
{
    return decode_depth(core) + core_config(core)->rename_stages + 1;
}

/* What decode does with a transfer, or with an instruction that acts at the head. */
static enum bpred_verdict look_at(struct core *core, const struct uop *uop, uint64_t *next_pc)
{
    *next_pc = uop->pc + uop->insn.length;
    if (uop->flags & UOP_SERIAL)
        return DECODE_REDIRECT;
    return bpred_decode(core->bpred, uop->pc, &uop->insn, uop->kind, core_snapshot(core, uop),
                        uop->predicted_pc, next_pc);
}

/* The transfer at seq, or the instruction that acts at the head, is in decode. True: decode looks
 * no further at its group. */
APART bool decode_at(struct core *core, uint64_t seq, uint64_t clock, bool may_redirect)
{
    struct rsd_front *front = &core->model->front;
    const struct uop *uop = core_uop(core, seq);
    uint64_t next_pc;
    enum bpred_verdict verdict = look_at(core, uop, &next_pc);
    if (verdict == DECODE_REDIRECT && may_redirect) {
        front->is_redirecting = true;
        front->redirect_at = clock + 1;
        front->redirect_keep = seq;
        front->redirect_pc = next_pc;
        front->redirect_waits = (uop->flags & UOP_SERIAL) != 0 &&
                                (next_pc & (core_config(core)->fetch_bytes - 1)) != 0;
    }
    return verdict != DECODE_PASS;
}

/* Everything up to `end` is in the last stage of decode, or has been. Decode looks at a group up to
 * the first transfer that does not pass. */
static inline void decode_until(struct core *core, uint64_t end, uint64_t clock, bool may_redirect)
{
    uint64_t group = NEVER, seq = core->model->front.decode_seq;
    if (seq >= end)
        return;
    for (; seq != end; seq++) {
        const struct uop *uop = core_uop(core, seq);
        if ((uop->flags & (UOP_SERIAL | UOP_CONTROL)) && uop->fetch_cycle != group &&
            decode_at(core, seq, clock, may_redirect))
            group = uop->fetch_cycle;
    }
    core->model->front.decode_seq = end;
}

/* The instructions from fetch_seq on have been squashed. */
static void forget_fetched(struct core *core)
{
    uint64_t clock = clock_of(core);
    for (uint64_t age = 1; age <= dispatch_depth(core); age++) {
        uint64_t *end = fetched_by(core, clock - age);
        *end = earlier(*end, core->fetch_seq);
    }
    core->model->front.decode_seq = earlier(core->model->front.decode_seq, core->fetch_seq);
}

/* Squashes everything after an instruction that is not dispatched yet. */
static void cut(struct core *core, uint64_t keep, uint64_t pc)
{
    for (uint64_t seq = core->fetch_seq; --seq > keep;) {
        struct uop *uop = core_uop(core, seq);
        if (core->observer != NULL)
            trace_leave(core, uop, false);
        if (uop->flags & UOP_CONTROL)
            bpred_undo(core->bpred, core_snapshot(core, uop));
    }
    core_uop(core, keep)->predicted_pc = pc;
    core->fetch_seq = keep + 1;
    core->decode_seq = earlier(core->decode_seq, keep + 1);
    forget_fetched(core);
    core->fetch_pc = pc;
    core->fetch_stall_until = core->now;
    core->fetch_blocked = false;
    core->fetch_page_va = NO_FETCH_PAGE;
    core->fetch_cause = EVENT_LOST_BTB_MISS;
    core->active = true;
}

/* Everything up to `end` is in the first of the decode stages, or has been. */
static inline void enter_decode(struct core *core, uint64_t end)
{
    uint64_t first = core->decode_seq, now = core->now;
    if (first >= end)
        return;
    for (uint64_t seq = first; seq != end; seq++)
        core_uop(core, seq)->decode_cycle = now;
    core->decode_seq = end;
    core->events[EVENT_DECODED] += end - first;
    core->events[EVENT_DECODE_CYCLES]++;
}

/* An instruction that acts at the head has a cycle of decode to itself. If its group has another
 * one, the redirect comes in the next cycle, and then waits in rename like any group. */
static bool still_waits(const struct core *core)
{
    const struct rsd_front *front = &core->model->front;
    return front->redirect_waits && core->commit_seq <= front->redirect_keep;
}

void rsd_front_step(struct core *core)
{
    struct rsd_front *front = &core->model->front;
    uint64_t clock = clock_of(core);
    bool is_due = front->is_redirecting && front->redirect_at <= clock;
    if (is_due && front->redirect_waits ? still_waits(core) : front->is_held)
        return;
    enter_decode(core, *fetched_by(core, clock - core_config(core)->fetch_stages));
    decode_until(core, *fetched_by(core, clock - decode_depth(core)), clock, !is_due);
    if (is_due) {
        front->is_redirecting = false;
        cut(core, front->redirect_keep, front->redirect_pc);
    }
}

/* ---- squashes -------------------------------------------------------------------------------- */

/* A redirect sent by execution reaches fetch in the same cycle. */
void rsd_front_squashed(struct core *core)
{
    core->fetch_stall_until -= core->is_resolving;
    core->model->front.is_redirecting = false;
    forget_fetched(core);
}

void rsd_front_leak(struct core *core, uint64_t keep, uint64_t end)
{
    uint64_t first = end;
    while (first > keep + 1 && core_uop(core, first - 1)->fetch_cycle == core->now - 1)
        first--;
    if (first == end)
        return;
    bpred_begin_group(core->bpred);
    for (; first != end; first++) {
        const struct uop *uop = core_uop(core, first);
        if (uop->kind == KIND_BRANCH && (uop->flags & UOP_CONTROL) &&
            core_snapshot(core, uop)->is_known &&
            bpred_see_again(core->bpred, uop->pc, &uop->insn))
            return;
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* The end of the instructions renamed by that cycle of the clock. */
static inline uint64_t renamed_by(const struct core *core, uint64_t clock)
{
    return earlier(*fetched_by(core, clock - dispatch_depth(core)), core->decode_seq);
}

/* The end of the first of several groups. */
APART uint64_t end_of_group(const struct core *core, uint64_t seq)
{
    uint64_t group = core_uop(core, seq)->fetch_cycle;
    while (core_uop(core, seq)->fetch_cycle == group)
        seq++;
    return seq;
}

/* The size of the group that has come to dispatch; the renamed instructions end at `end`. */
static inline uint64_t come_by(const struct core *core, uint64_t end)
{
    uint64_t first = core->dispatch_seq;
    if (end <= first)
        return 0;
    bool is_one = core_uop(core, first)->fetch_cycle == core_uop(core, end - 1)->fetch_cycle;
    return (is_one ? end : end_of_group(core, first)) - first;
}

static inline uint64_t one(unsigned kind)
{
    return UINT64_C(1) << 8 * kind;
}

void rsd_front_committed(struct core *core, uint64_t first)
{
    uint64_t sum = (core->commit_seq - first) * one(FREED_ENTRIES);
    for (; first != core->commit_seq; first++) {
        const struct uop *uop = core_uop(core, first);
        sum += one(FREED_REGISTERS + uop->insn.rd / REG_F0) +
               (uop->flags / UOP_IS_LOAD & 1) * one(FREED_LOADS);
    }
    core->model->front.freed += sum;
}

void rsd_front_drained(struct core *core)
{
    core->model->front.freed += one(FREED_STORES);
}

/* Warming takes cycles, too. */
void rsd_front_restarts(struct core *core)
{
    struct rsd_front *front = &core->model->front;
    if (core->warm_cycles != front->warmed)
        rsd_note_freed(core, core->warm_cycles - front->warmed);
    front->warmed = core->warm_cycles;
}

/* The number of a kind that were freed in the last `cycles`, and cannot be used again yet. */
static inline uint32_t held_back(const struct core *core, unsigned kind, uint64_t cycles)
{
    uint64_t freed = core->model->front.freed - *rsd_freed_by(core, core->now - cycles);
    return cycles == 0 ? 0 : (uint32_t)(freed >> 8 * kind & UINT8_MAX);
}

static inline uint32_t late_registers(const struct core *core, unsigned pool)
{
    return held_back(core, FREED_REGISTERS + pool, core_config(core)->rsd_reuse_register);
}

static inline uint32_t late_entries(const struct core *core)
{
    return held_back(core, FREED_ENTRIES, core_config(core)->rsd_reuse_entry);
}

/* True if the reorder buffer is seen to be empty. */
APART bool is_empty(const struct core *core)
{
    return core->dispatch_seq == core->commit_seq && late_entries(core) == 0;
}

/* An instruction that acts at the head stays in rename until the reorder buffer is seen to be
 * empty. The instructions after it stay until it has left too, and every store has left its
 * queue. */
static inline bool waits_for_empty(const struct core *core)
{
    const struct rsd_front *front = &core->model->front;
    if (front->is_redirecting && front->redirect_waits && core->dispatch_seq > front->redirect_keep)
        return true;        /* that instruction will be fetched again */
    if (acts_alone(core, core_uop(core, core->dispatch_seq)))
        return !is_empty(core);
    return core->dispatch_seq == core->commit_seq && core->commit_seq != 0 &&
           (core_uop(core, core->commit_seq - 1)->flags & UOP_SERIAL) != 0 &&
           (!is_empty(core) || core->sq.tail != core->sq.head);
}

/* True if a whole group fits; or, where a whole one never fits, if a part of it does. */
static bool group_fits(uint64_t used, uint32_t width, uint32_t size)
{
    return used == 0 ? size != 0 : used + width <= size;
}

/* True if the reorder buffer and the registers have room for a whole group beside the most that can
 * be held back at once. The next two functions tell the same of the load and store queues. */
static inline bool has_plenty(const struct core *core)
{
    const struct config *settings = core_config(core);
    uint32_t width = settings->dispatch_width, commits = settings->commit_width;
    uint32_t registers = width + commits * settings->rsd_reuse_register;
    uint32_t entries = width + commits * settings->rsd_reuse_entry;
    return core->dispatch_seq - core->commit_seq + entries <= settings->rob_entries &&
           core->buffers_free[POOL_INT] >= registers && core->buffers_free[POOL_FP] >= registers;
}

static inline bool has_plenty_of_loads(const struct core *core)
{
    const struct config *settings = core_config(core);
    uint32_t loads = settings->dispatch_width + settings->commit_width * settings->rsd_reuse_entry;
    return core->loads_used + loads <= settings->lsq_loads;
}

static inline bool has_plenty_of_stores(const struct core *core)
{
    const struct config *settings = core_config(core);
    uint32_t stores = settings->dispatch_width + settings->unit_stores * settings->rsd_reuse_store;
    return core->sq.tail - core->sq.head + stores <= settings->lsq_stores &&
           core->config->part_store_merge == 0;
}

static inline bool has_plenty_to_access(const struct core *core)
{
    return has_plenty_of_loads(core) && has_plenty_of_stores(core);
}

/* True if there is room for a whole group beside the entries held back now. */
static inline bool has_entries(const struct core *core)
{
    uint32_t width = core_config(core)->dispatch_width;
    return core->dispatch_seq - core->commit_seq + late_entries(core) + width <=
           core_config(core)->rob_entries;
}

static inline bool has_registers(const struct core *core)
{
    uint32_t width = core_config(core)->dispatch_width;
    return core->buffers_free[POOL_INT] >= late_registers(core, POOL_INT) + width &&
           core->buffers_free[POOL_FP] >= late_registers(core, POOL_FP) + width;
}

static inline bool can_access(const struct core *core)
{
    const struct config *settings = core_config(core);
    uint32_t width = settings->dispatch_width;
    uint64_t stores = core->sq.tail - core->sq.head;
    return (has_plenty_of_loads(core) ||
            group_fits(core->loads_used + held_back(core, FREED_LOADS, settings->rsd_reuse_entry),
                       width, settings->lsq_loads)) &&
           (has_plenty_of_stores(core) ||
            group_fits(stores + held_back(core, FREED_STORES, settings->rsd_reuse_store), width,
                       settings->lsq_stores));
}

/* The SLOTS_* event of the resource that has no room for a whole group, or 0. */
static inline unsigned lacks(const struct core *core)
{
    uint32_t width = core_config(core)->dispatch_width;
    bool has_queues = true;
    if (waits_for_empty(core))
        return EVENT_SLOTS_SERIAL;
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
        has_queues &= group_fits(core->iq.queue_used[queue], width, core->iq.queue_size[queue]);
    if (!has_plenty(core) && !has_entries(core))
        return EVENT_SLOTS_ROB_FULL;
    if (!has_plenty(core) && !has_registers(core))
        return EVENT_SLOTS_RENAME_FULL;
    if (!has_queues)
        return EVENT_SLOTS_QUEUE_FULL;
    return can_access(core) ? 0 : EVENT_SLOTS_LSQ_FULL;
}

IN_INSTANCE uint32_t rsd_front_width(struct core *core, uint32_t width, unsigned *cause)
{
    core->model->front.renamed = renamed_by(core, clock_of(core));
    uint64_t due = come_by(core, core->model->front.renamed);
    *cause = due == 0 ? account_starved(core)
             : core->undo_until > core->now ? core->undo_cause : lacks(core);
    return *cause != 0 ? 0 : (uint32_t)earlier(due, width);
}

void rsd_front_dispatched(struct core *core)
{
    core->model->front.is_held = core->dispatch_seq < core->model->front.renamed;
}

/* The number of instructions renamed and not dispatched. */
static uint64_t renamed(const struct core *core, uint64_t clock)
{
    if (core->model->front.is_held)                 /* it was held until this cycle, or still is */
        return core->undo_until > core->now || lacks(core) != 0
                   ? 0 : come_by(core, renamed_by(core, clock_of(core)));
    uint64_t end = renamed_by(core, clock);
    return end > core->dispatch_seq ? end - core->dispatch_seq : 0;
}

uint64_t rsd_front_squash(struct core *core)
{
    uint64_t clock = clock_of(core) + !core->is_resolving;
    places_free_due(core);
    uint64_t count = renamed(core, clock);
    bpred_settle(core->bpred, core->now);
    bool are_all = clock - decode_depth(core) == clock_of(core);
    decode_until(core, are_all ? core->fetch_seq : *fetched_by(core, clock - decode_depth(core)),
                 clock, false);
    return count;
}

/* ---- idle cycles ----------------------------------------------------------------------------- */

/* The next cycle that is `cycles` after one in which something was freed, or NEVER. */
static inline uint64_t next_after(const struct core *core, uint64_t cycles)
{
    for (uint64_t age = cycles; age != 0; age--) {      /* the oldest first */
        uint64_t cycle = core->now - age;
        if (*rsd_freed_by(core, cycle) != *rsd_freed_by(core, cycle - 1))
            return cycle + cycles;
    }
    return NEVER;
}

/* The next cycle in which something freed in the last cycles can be used again, or NEVER. */
static uint64_t next_reuse(const struct core *core)
{
    const struct config *settings = core_config(core);
    bool matters = core->dispatch_seq == core->commit_seq || !has_plenty(core) ||
                   !has_plenty_to_access(core);
    if (!matters || core->model->front.freed == *rsd_freed_by(core, core->now - REUSE_CYCLES_MAX))
        return NEVER;
    return earlier(next_after(core, settings->rsd_reuse_store),
                   earlier(next_after(core, settings->rsd_reuse_register),
                           next_after(core, settings->rsd_reuse_entry)));
}

/* The next cycle in which a group comes to decode, to the end of decode, or to dispatch, if nothing
 * else is fetched meanwhile and the stages do not stand still; NEVER: there is none. */
static uint64_t next_arrival(const struct core *core)
{
    const uint64_t clock = clock_of(core), depth = dispatch_depth(core);
    const uint64_t to_decode = core_config(core)->fetch_stages, to_end = decode_depth(core);
    uint64_t cycles = NEVER;
    if (core->dispatch_seq == core->fetch_seq)
        return NEVER;
    for (uint64_t age = depth + 1; age-- != 0;) {       /* age of the cycle of fetch */
        uint64_t end = age == 0 ? core->fetch_seq : *fetched_by(core, clock - age);
        if (end > core->decode_seq)
            cycles = earlier(cycles, cycles_before(to_decode, age));
        if (end > core->model->front.decode_seq)
            cycles = earlier(cycles, cycles_before(to_end, age));
        if (end > core->dispatch_seq)
            cycles = earlier(cycles, depth - age);
    }
    return cycles == NEVER ? NEVER : core->now + cycles;
}

uint64_t rsd_front_next(const struct core *core)
{
    const struct rsd_front *front = &core->model->front;
    if (front->is_held)
        return next_reuse(core);
    if (front->is_redirecting && front->redirect_waits)
        return core->now;
    uint64_t next = front->is_redirecting ? front->redirect_at + front->held : NEVER;
    return next <= core->now ? next : earlier(next, next_arrival(core));
}
