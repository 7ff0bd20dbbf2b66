/* Commit: instructions leave the reorder buffer in program order and become architectural.
 *
 * At commit stores reach memory, accessed and dirty bits are set, predictors learn, marks signal,
 * exceptions and interrupts are taken. At most one event that redirects fetch happens in a cycle,
 * and it ends the group. */
#include "sim/core/core.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/pipe/tally.h"
#include "sim/core/profile/metadata.h"
#include "sim/core/profile/observe.h"

/* Parts that look at instructions as they commit. */
#define OBSERVERS (EXTRA_WATCHED | EXTRA_TRIGGERS | EXTRA_METADATA)

/* ---- effects of one instruction -------------------------------------------------------------- */

/* Sets the accessed and dirty bits of the page of an instruction's data; enter_commit_page sets
 * those of the page of its code. */
static void set_accessed(struct core *core, const struct uop *uop, enum mmu_access access)
{
    uint64_t pa;
    mmu_translate(&core->cpu->mmu, uop->va, uop->access_bytes, access, &pa);
}

static void enter_commit_page(struct core *core, uint64_t pc)
{
    uint64_t pa;
    core->commit_page = pc >> PHYS_PAGE_BITS;
    mmu_translate(&core->cpu->mmu, pc, 2, MMU_FETCH, &pa);
}

static void commit_store(struct core *core, struct uop *uop)
{
    bool is_hit = memsys_find_dframe(core->mem, uop->pa) != MEM_NO_FRAME;
    uop->events |= is_hit ? EVENT_BIT(DCACHE_HIT) : EVENT_BIT(DCACHE_MISS);
    store_queue_commit(core, uop);
    if (core->cpu->peer_count > 1)
        cpu_break_reservations(core->cpu, uop->pa, uop->access_bytes);
}

IN_BOTH void count_kind(struct core *core, const struct uop *uop, const uint64_t extras)
{
    if (extras & OBSERVERS)
        tally_count(core, uop->events, 1);
    else
        tally_add(core, uop->events);
    core->events[EVENT_EXEC_CYCLES] += uop->complete_cycle - uop->issue_cycle;
}

static inline void count_retired(struct core *core, uint64_t insns)
{
    core->events[EVENT_INSNS_RETIRED] += insns;
    core->events[EVENT_SLOTS_RETIRING] += insns;
}

/* ---- ends of a group ------------------------------------------------------------------------- */

static void end_run(struct core *core, enum stop stop)
{
    if (core->stop != STOP_MARKER)      /* other requests are served at the next stop */
        core_end(core, stop);
    core->needs_restart = true;
}

RARELY static void take_trap(struct core *core, const struct uop *uop)
{
    uint64_t pc = uop->pc, tval = uop->tval, cause = uop->trap;
    tally_settle(core);
    squash_all(core, pc);
    core->hart->pc = pc;
    core->events[EVENT_TRAPS]++;
    enum stop stop = cpu_trap(core->cpu, cause, pc, tval);
    core_note_mode(core);
    core->commit_pc = core->fetch_pc = core->hart->pc;
    core->commit_page = NEVER;
    if (stop != STOP_NONE)
        end_run(core, stop);
    if (stop == STOP_HOST_CALL && cause == TRAP_ECALL_U)
        core->host_call_cycles = core->config->machine_syscall_cycles;
}

RARELY bool commit_interrupt(struct core *core)
{
    enum stop stop = STOP_NONE;
    tally_settle(core);
    core->hart->pc = core->commit_pc;
    bool is_taken = core_take_interrupt(core, &stop);
    core_note_mode(core);
    if (!is_taken && stop == STOP_NONE)
        return false;
    account_flush(core, core->now, NULL);
    squash_all(core, core->hart->pc);
    core->commit_pc = core->hart->pc;
    core->commit_page = NEVER;
    core_profiling_changed(core);
    isolation_follow(core);
    if (stop != STOP_NONE)
        end_run(core, stop);
    return true;
}

/* The host's monitor takes no time; the resident monitor is entered in a cycle of the pipeline. */
enum stop commit_interrupt_wait(struct core *core)
{
    enum stop stop = STOP_NONE;
    if (!core->cpu->host_monitor)
        return STOP_NONE;
    core_settle(core);
    core_take_interrupt(core, &stop);
    core_note_mode(core);
    return stop;
}

/* After an instruction that flushes the pipeline: everything younger is fetched again. */
static void flush_after(struct core *core, uint64_t flags)
{
    if (flags & UOP_FENCE_I)
        fetch_forget_code(core);
    if (flags & UOP_FLUSH_TLB)
        memsys_flush_tlbs(core->mem);
    squash_all(core, core->commit_pc);
    core->fetch_stall_until += port_refetch_cycles(core);
    core->commit_page = NEVER;
    isolation_follow(core);
}

/* True if nothing more may commit in this cycle. */
static bool finish_serial(struct core *core, uint64_t flags)
{
    core->serial_in_flight = false;
    core->cpu->pmu.is_writer = false;
    core_profiling_changed(core);
    if (flags & UOP_FLUSH_AFTER)
        flush_after(core, flags);
    if (core->cpu->ending.is_on && !core->hart->in_monitor)
        end_run(core, STOP_QUOTA);
    if (core->cpu->phys->event) {
        squash_all(core, core->commit_pc);
        core->hart->pc = core->commit_pc;
        end_run(core, STOP_EVENT);
    }
    return true;
}

/* After an instruction that acts beyond the registers, or squashes. True: the group goes on. */
static bool commit_end_of_group(struct core *core, uint64_t flags)
{
    if (flags & UOP_SERIAL)
        return !finish_serial(core, flags);
    if (flags & UOP_SQUASHES)
        squash_refetch(core, flags);
    if (!core->cpu->phys->event)
        return (flags & UOP_SQUASHES) == 0;
    squash_all(core, core->commit_pc);
    core->hart->pc = core->commit_pc;
    end_run(core, STOP_EVENT);
    return false;
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* Actions of some instructions, tested together. */
#define ACTS_AT_COMMIT (UOP_NEEDS_AD | UOP_FUSED | UOP_MONITOR)
#define BEFORE_COMMIT (UOP_CONTROL | UOP_FP_DIRTY | ACTS_AT_COMMIT)
#define AFTER_COMMIT (UOP_SERIAL | UOP_SQUASHES | UOP_IS_STORE)
#define DOES_MORE (BEFORE_COMMIT | AFTER_COMMIT | UOP_IS_LOAD)
#define EXTRAS_OF_HEADS (EXTRA_FOLD | EXTRA_FUSION | EXTRA_TRIGGERS | EXTRA_METADATA | \
                         EXTRA_COMMIT_ASKS | EXTRA_WATCHED)
#define EXTRAS_OF_COMMIT ((EXTRAS_OF_HEADS & ~EXTRA_WATCHED) | EXTRA_UNDO | EXTRA_EARLY_LOADS | \
                          EXTRA_COMMIT_ROWS)

APART void commit_act(struct core *core, struct uop *uop)
{
    uint64_t flags = uop->flags;
    if (flags & UOP_NEEDS_AD)
        set_accessed(core, uop, uop->kind == KIND_STORE ? MMU_STORE : MMU_LOAD);
    if (flags & UOP_FUSED) {
        core->fused_in_flight--;
        core->events[EVENT_SLOTS_RETIRING]--;       /* the instruction has no slot of its own */
    }
    core->events[EVENT_INSNS_MONITOR] += (flags & UOP_MONITOR) != 0;
}

static inline void dirty_fp(struct hart *hart, const struct uop *uop)
{
    hart->fflags |= uop->fflags;
    hart->mstatus |= MSTATUS_FS;
}

static inline void commit_before(struct core *core, struct uop *uop)
{
    if (uop->flags & UOP_CONTROL)
        control_commit(core, uop);
    if (uop->flags & UOP_FP_DIRTY)
        dirty_fp(core->hart, uop);
    if (uop->flags & ACTS_AT_COMMIT)
        commit_act(core, uop);
}

/* For an instruction that does more than write a register. */
IN_BOTH void commit_more(struct core *core, struct uop *uop)
{
    if (uop->flags & BEFORE_COMMIT)
        commit_before(core, uop);
    if (uop->flags & UOP_IS_LOAD)
        core->loads_used--;
    else if (uop->flags & UOP_IS_STORE)
        commit_store(core, uop);
}

/* The instruction leaves the reorder buffer. True: the group can go on. */
APART bool leave_watched(struct core *core, const struct uop *uop)
{
    count_retired(core, 1);
    if (core->observer != NULL)
        trace_leave(core, uop, true);
    return core->stop == STOP_NONE && (core->observer == NULL || core->hart->led <= 0);
}

/* The load may leave before its value has arrived. */
static inline void note_early(struct core *core, const struct uop *uop)
{
    if ((core_extras(core) & EXTRA_EARLY_LOADS) && (uop->flags & UOP_RETIRES_EARLY))
        core->late_value = later(core->late_value, uop->complete_cycle);
}

/* Commits the head. True: the group can go on, as nothing has stopped it. */
IN_BOTH bool commit_one(struct core *core, struct uop *uop, const uint64_t extras)
{
    uint64_t flags = uop->flags;
    bool go_on = true;
    if (uop->pc >> PHYS_PAGE_BITS != core->commit_page)
        enter_commit_page(core, uop->pc);
    if (flags & DOES_MORE)
        commit_more(core, uop);
    if (extras & EXTRA_WATCHED)
        go_on = retire_watched(core, uop);
    count_kind(core, uop, extras);
    if (!core_is_in_order(core))
        rename_free(core, uop);
    note_early(core, uop);
    if ((extras & EXTRA_FOLD) && (flags & UOP_FOLDED) == 0)
        core->rob_used--;
    if (extras & EXTRA_WATCHED)
        go_on &= leave_watched(core, uop);
    core->commit_seq++;
    core->commit_pc = uop->next_pc;
    if (flags & AFTER_COMMIT)
        go_on &= commit_end_of_group(core, flags);
    return go_on;
}

/* The end of the reorder-buffer entry at the head, which holds several instructions; commit_seq
 * while the entry is not complete. */
static inline uint64_t entry_due(const struct core *core, uint64_t due)
{
    uint64_t seq = core->commit_seq;
    do {
        if (commit_from(core, core_uop(core, seq)) > due)
            return core->commit_seq;
        seq++;
    } while (seq < core->dispatch_seq && (core_uop(core, seq)->flags & UOP_FOLDED));
    return seq;
}

/* True if the head may commit in this cycle. `due`: the last cycle in which it has to be complete;
 * *end: the end of an entry that is known to be complete. */
IN_BOTH bool is_due(const struct core *core, const struct uop *uop, uint64_t due, uint64_t *end,
                    const uint64_t extras)
{
    if (extras & EXTRA_FOLD) {
        if (core->commit_seq == *end)
            *end = entry_due(core, due);
        return core->commit_seq != *end;
    }
    return (extras & EXTRA_EARLY_LOADS ? commit_from(core, uop) : uop->complete_cycle) <= due;
}

/* Squashes the head instead of committing it. It is fetched again, or it traps unless an interrupt
 * of its marks comes first. */
RARELY static void throw_out(struct core *core, struct uop *uop)
{
    if (uop->flags & UOP_REFETCH) {
        squash_after(core, core->commit_seq - 1, uop->pc, SQUASH_ORDER);
        core->fetch_stall_until += port_again_cycles(core);
        core->fetch_events |= EVENT_BIT(ORDER_VIOLATIONS);
    } else if (retire_trap(core, uop)) {
        squash_all(core, uop->pc);
        core->commit_page = NEVER;
    } else {
        take_trap(core, uop);
    }
}

/* A debug trigger may turn the head into a breakpoint. For an instruction that acted at the head
 * the triggers were checked then. */
static void ask_triggers(struct core *core, struct uop *uop)
{
    uint64_t tval;
    struct cpu_next next = {
        .insn = &uop->insn, .pc = uop->pc, .va = uop_has_address(uop) ? uop->va : 0,
        .is_fetched = uop->trap == TRAP_NONE || uop->trap == TRAP_ILLEGAL ||
                      (uop->flags & UOP_ADDRESSED) != 0,
        .has_address = (uop->flags & UOP_ADDRESSED) != 0 && uop->trap != TRAP_ILLEGAL,
    };
    if ((uop->flags & (UOP_EXECUTED | UOP_REFETCH)) || !cpu_breaks(core->cpu, &next, &tval))
        return;
    uop->trap = TRAP_BREAKPOINT;
    uop->tval = tval;
}

/* The run stops before the head, once each time that the head is there. */
APART bool stops_before(struct core *core, const struct uop *uop)
{
    if (core->cpu->pauses != NULL && core_pauses(core, uop))
        return true;
    if (uop->pc != core->stop_pc || core->stopped_seq == core->commit_seq)
        return false;
    core->stopped_seq = core->commit_seq;
    core->active = true;
    core_end(core, STOP_MARKER);
    return true;
}

/* A stop of another kind, which the last instruction caused, comes first. */
static inline void end_at_limit(struct core *core)
{
    if (core->commit_seq >= core->limit_seq && core->stop == STOP_NONE)
        core_end(core, STOP_QUOTA);
}

/* As many as are done, up to the width. Returns the instruction that has to be thrown out, or
 * NULL. */
IN_BOTH struct uop *commit_heads(struct core *core, const uint64_t extras)
{
    uint32_t width = core_config(core)->commit_width;
    uint64_t due = commit_due(core), end = core->commit_seq;
    uint64_t row = core_uop(core, core->commit_seq)->decode_cycle;
    for (uint32_t n = 0; n < width && !core_is_empty(core);) {
        struct uop *uop = core_uop(core, core->commit_seq);
        if (!is_due(core, uop, due, &end, extras))
            return NULL;
        if ((extras & EXTRA_COMMIT_ROWS) && uop->decode_cycle != row)
            return NULL;
        if ((extras & EXTRA_COMMIT_ASKS) && !port_may_commit(core, uop, n))
            return NULL;
        if ((extras & EXTRA_WATCHED) && stops_before(core, uop))
            return NULL;
        if (extras & EXTRA_TRIGGERS)
            ask_triggers(core, uop);
        if ((uop->flags & UOP_REFETCH) || uop->trap != TRAP_NONE)
            return uop;
        if ((extras & EXTRA_METADATA) && !metadata_is_there(core, uop)) {
            core->active = true;                    /* checked again in the next cycle */
            return NULL;
        }
        if (!commit_one(core, uop, extras) || core->commit_seq >= core->limit_seq) {
            end_at_limit(core);
            return NULL;
        }
        n += (extras & EXTRA_FOLD) == 0 || core->commit_seq == end;
    }
    return NULL;
}

/* Does what every instruction does as it leaves. *cycles: sum over the group of the cycles from
 * issue to completion. */
static inline void leave_head(struct core *core, const struct uop *uop, uint64_t seq,
                              uint64_t *cycles)
{
    tally_add(core, uop->events);
    *cycles += uop->complete_cycle - uop->issue_cycle;
    if (!core_is_in_order(core))
        rename_free(core, uop);
    core->commit_seq = seq + 1;
    core->commit_pc = uop->next_pc;
}

/* Commits the head, `seq`, which may do more than write a register. True: the group can go on. */
IN_BOTH bool commit_special(struct core *core, struct uop *uop, uint64_t seq, uint64_t *cycles)
{
    uint64_t flags = uop->flags;
    if (flags & DOES_MORE)
        commit_more(core, uop);
    note_early(core, uop);
    leave_head(core, uop, seq, cycles);
    if ((flags & AFTER_COMMIT) == 0)
        return true;
    core->events[EVENT_EXEC_CYCLES] += *cycles;
    *cycles = 0;
    return commit_end_of_group(core, flags);
}

/* The same without extras but early loads and rows, and with nobody watching. What most
 * instructions do is in this loop. */
IN_BOTH struct uop *commit_plain(struct core *core, const uint64_t extras)
{
    const uint64_t due = commit_due(core);
    uint64_t seq = core->commit_seq, exec_cycles = 0;
    const uint64_t row = extras & EXTRA_COMMIT_ROWS ? core_uop(core, seq)->decode_cycle : 0;
    uint64_t end = earlier(core->dispatch_seq, seq + core_config(core)->commit_width);
    struct uop *uop, *thrown_out = NULL;
    end = earlier(end, core->limit_seq);
    for (; seq != end && commit_from(core, uop = core_uop(core, seq)) <= due; seq++) {
        if ((extras & EXTRA_COMMIT_ROWS) && uop->decode_cycle != row)
            break;
        bool is_special = (uop->flags & (UOP_SPECIAL | UOP_REFETCH | DOES_MORE)) != 0;
        if (is_special && ((uop->flags & UOP_REFETCH) || uop->trap != TRAP_NONE)) {
            thrown_out = uop;
            break;
        }
        if (uop->pc >> PHYS_PAGE_BITS != core->commit_page)
            enter_commit_page(core, uop->pc);
        if (!is_special)
            leave_head(core, uop, seq, &exec_cycles);
        else if (!commit_special(core, uop, seq, &exec_cycles))
            break;
    }
    core->events[EVENT_EXEC_CYCLES] += exec_cycles;
    end_at_limit(core);
    return thrown_out;
}

/* For a model that lets all instructions commit in nearly all cycles. */
APART struct uop *commit_asked(struct core *core)
{
    return commit_heads(core, core_extras(core) & ~OBSERVERS);
}

/* As commit_heads. The model is asked about each instruction, unless it answers for all at once. */
IN_BOTH struct uop *commit_some(struct core *core, const uint64_t extras)
{
    if ((extras & EXTRA_UNDO) && core->recover_until > core->now)
        return NULL;
    if ((extras & EXTRAS_OF_HEADS) == EXTRA_COMMIT_ASKS && port_answers_for_all(core))
        return port_may_all_commit(core) ? commit_plain(core, extras) : commit_asked(core);
    return extras & EXTRAS_OF_HEADS ? commit_heads(core, extras) : commit_plain(core, extras);
}

/* Returns the instruction that trapped or is fetched again, or NULL. Instructions that nobody
 * watches are counted once a cycle. */
IN_BOTH const struct uop *commit_group(struct core *core, const uint64_t extras)
{
    uint64_t first = core->commit_seq;
    struct uop *thrown_out = commit_some(core, extras);
    if ((extras & EXTRA_WATCHED) == 0)
        count_retired(core, core->commit_seq - first);
    if (thrown_out != NULL)
        throw_out(core, thrown_out);
    return thrown_out;
}

/* An instruction that may change the set of observers ends its group. */
APART const struct uop *commit_observed(struct core *core)
{
    return core_extras(core) & EXTRAS_OF_COMMIT ? commit_group(core, core_extras(core))
                                                : commit_group(core, EXTRA_WATCHED);
}

IN_BOTH const struct uop *commit_by_extras(struct core *core)
{
    return core_extras(core) & OBSERVERS ? commit_observed(core)
                                         : commit_group(core, core_extras(core) & ~OBSERVERS);
}

APART const struct uop *commit_otherwise(struct core *core)
{
    return commit_by_extras(core);
}

void commit_step(struct core *core)
{
    uint64_t first = core->commit_seq;
    const struct uop *thrown_out = core_always_has(core, EXTRAS_OF_COMMIT) ? commit_by_extras(core)
                                   : core_extras(core) & (EXTRAS_OF_COMMIT | EXTRA_WATCHED)
                                       ? commit_otherwise(core) : commit_group(core, 0);
    if (core->commit_seq != first) {
        core->active = true;
        account_commit(core, first);
        if ((core_extras(core) & EXTRA_BESIDE) && core->oracle != NULL)
            account_charge(core, first);
        port_committed(core, first);
    }
    if (thrown_out != NULL)
        account_flush(core, core->now, thrown_out);
}
