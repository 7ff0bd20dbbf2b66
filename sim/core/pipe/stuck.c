/* What a pipeline that commits nothing waits for; the runner asks now and then. */
#include "sim/core/core.h"
#include "sim/core/pipe/stage_account.h"


uint64_t core_stuck_cycles(struct core *core)
{
    bool is_asleep = core->hart->waiting && core_is_empty(core);
    if (core->stuck_seq != core->commit_seq || is_asleep) {
        core->stuck_seq = core->commit_seq;
        core->stuck_from = core->counted_cycle;
    }
    return core->now - 1 - core->stuck_from;
}

static const char *stage_of(const struct core *core, uint64_t seq)
{
    const struct uop *uop = core_uop(core, seq);
    if (seq >= core->decode_seq)
        return "fetched";
    if (seq >= core->dispatch_seq)
        return "decoded";
    return uop->state != UOP_ISSUED ? "waiting to issue"
           : uop->complete_cycle < core->now ? "complete" : "executing";
}

struct core_oldest core_oldest(const struct core *core)
{
    uint64_t seq = core->commit_seq;
    struct core_oldest oldest = {
        .pc = core->commit_pc, .stage = "being fetched", .event = account_waiting(core),
    };
    if (core->needs_restart || seq == core->fetch_seq)
        return oldest;
    oldest.insn = &core_uop(core, seq)->insn;
    oldest.pc = core_uop(core, seq)->pc;
    oldest.stage = stage_of(core, seq);
    return oldest;
}
