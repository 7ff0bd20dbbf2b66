/* Who looks on from outside: the observer, who is told about each instruction that leaves the
 * pipeline, and who waits for one address to commit. */
#include <string.h>

#include "sim/core/stage.h"

void core_set_observer(struct core *core, const struct core_observer *observer)
{
    core->observer = observer;
    core_profiling_changed(core);
    for (uint32_t i = 0; i <= core->ring_mask; i++)
        memset(core->ring[i].producer_back, 0, sizeof core->ring[i].producer_back);
}

void core_stop_at(struct core *core, uint64_t pc)
{
    core->stop_pc = pc;
    core_profiling_changed(core);
}

/* A load can leave before its value has come (commit.early_loads); what is thrown away before it
 * was done never is. */
static uint64_t completed(const struct core *core, const struct uop *uop, bool committed)
{
    if (uop->complete_cycle <= core->now)
        return uop->complete_cycle;
    return committed ? core->now : 0;
}

void trace_leave(struct core *core, const struct uop *uop, bool committed)
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
        .rd_value = uop->value, .va = uop->va, .pa = uop->pa,
        .store_value = uop->store_value,
        .priv = uop->priv, .fflags = uop->fflags, .committed = committed,
        .mem_bytes = uop->access_bytes,
        .trap = uop->trap,
    };
    if (is_dispatched)
        for (int i = 0; i < 3; i++)
            if (uop->producer_back[i] != 0)
                record.producer_seq[i] = uop->id - uop->producer_back[i];
    core->observer->leave(core->observer->arg, &record);
}
