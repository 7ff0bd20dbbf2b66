/* Observers from outside: the trace of each instruction that leaves the pipeline, and the stop
 * before one address. */
#include <string.h>

#include "sim/core/core.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/pause.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_mode.h"

void core_set_observer(struct core *core, const struct core_observer *observer)
{
    core->observer = observer;
    core->extras &= ~EXTRA_TRACED;
    core->extras |= observer != NULL ? EXTRA_TRACED : 0;
    core_profiling_changed(core);
    for (uint32_t i = 0; i <= core->ring_mask; i++)
        memset(core->ring[i].producer_back, 0, sizeof core->ring[i].producer_back);
}

void core_stop_at(struct core *core, uint64_t pc)
{
    if (core->stop_pc != pc)
        core->stopped_seq = NEVER;
    core->stop_pc = pc;
    core_profiling_changed(core);
}

/* A load can leave before its value has arrived (commit.early_loads); a squashed instruction that
 * is not complete never completes. */
static uint64_t completed(const struct core *core, const struct uop *uop, bool committed)
{
    if (uop->complete_cycle <= core->now)
        return uop->complete_cycle;
    return committed ? core->now : 0;
}

struct core_trace_record trace_record_of(const struct core *core, const struct uop *uop,
                                         bool committed)
{
    uint64_t seq = core_seq_of(core, uop);
    bool is_decoded = seq < core->decode_seq, is_dispatched = seq < core->dispatch_seq;
    bool is_issued = is_dispatched && uop->state == UOP_ISSUED && uop->issue_cycle != NEVER;
    struct core_trace_record record = {
        .seq = uop->id, .pc = uop->pc, .insn = &uop->insn,
        .fetch = uop->fetch_cycle < NOT_YET ? uop->fetch_cycle : core->now,
        .decode = is_decoded ? uop->decode_cycle : 0,
        .rename = is_decoded ? uop->decode_cycle + core_config(core)->decode_stages : 0,
        .dispatch = is_dispatched ? uop->dispatch_cycle : 0,
        .issue = is_issued ? uop->issue_cycle : 0,
        .complete = is_issued ? completed(core, uop, committed) : 0,
        .retire = committed ? core->now : 0, .leave = core->now,
        .store_done = committed && uop->kind == KIND_STORE ? core->now : 0,
        .store_number = committed && (uop->flags & UOP_IS_STORE) ? uop->store_number : NEVER,
        .rd_value = uop->value, .va = uop_has_address(uop) ? uop->va : 0,
        .pa = uop_has_address(uop) ? uop->pa : 0,
        .store_value = uop->store_value,
        .priv = uop->priv, .fflags = uop->fflags, .committed = committed,
        .is_marked = (uop->flags & UOP_MARKED) != 0,
        .is_mispredicted = (uop->flags & UOP_MISPREDICTED) != 0,
        .is_monitor = (uop->flags & UOP_MONITOR) != 0,
        .mem_bytes = uop->access_bytes,
        .trap = uop->trap,
    };
    if (is_dispatched)
        for (int i = 0; i < 3; i++)
            if (uop->producer_back[i] != 0)
                record.producer_seq[i] = uop->id - uop->producer_back[i];
    return record;
}

void trace_leave(struct core *core, const struct uop *uop, bool committed)
{
    struct core_trace_record record = trace_record_of(core, uop, committed);

    core->observer->leave(core->observer->arg, &record);
}

/* ---- a debugger -------------------------------------------------------------------------- */

bool core_pauses(struct core *core, const struct uop *uop)
{
    if (pause_passes(core->cpu, uop->pc))
        return false;
    core->active = true;
    core_end(core, STOP_MARKER);
    return true;
}

/* True if the instruction has acted at the head but has not committed. */
static bool has_acted(const struct uop *uop)
{
    const uint64_t acted = UOP_SERIAL | UOP_EXECUTED;

    return (uop->flags & acted) == acted && uop->trap == TRAP_NONE;
}

/* Undoes register writes, the youngest first. An instruction that waits to act at the head has
 * written nothing. */
static void undo_in_flight(const struct core *core, uint64_t first, struct hart *view)
{
    for (uint64_t seq = core->dispatch_seq; seq > first; seq--) {
        const struct uop *uop = core_uop(core, seq - 1);

        if ((uop->flags & (UOP_SERIAL | UOP_EXECUTED)) != UOP_SERIAL)
            view->reg[uop->insn.rd] = uop->old_value;
    }
}

void core_view(const struct core *core, struct hart *view)
{
    const struct uop *head = core_uop(core, core->commit_seq);
    bool is_past_head = !core_is_empty(core) && has_acted(head);

    *view = *core->hart;
    if (core->needs_restart)
        return;
    view->pc = is_past_head ? head->next_pc : core->commit_pc;
    undo_in_flight(core, core->commit_seq + is_past_head, view);
}
