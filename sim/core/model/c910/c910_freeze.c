/* An instruction buffer whose size is counted in halfwords, and the stages of fetch, which stand
 * still while it is full (ct_ifu_ibuf.v, ct_ifu_ibctrl.v: buf_stall).
 *
 * While the last stage of fetch has a block, and the buffer had no room for another block when the
 * cycle began, no stage of fetch moves, not even an empty one. Instructions in these stages, and
 * bubbles after them, are delayed by that time. A wait for the cache or the TLB is not: that code
 * comes when its line does. */
#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/port.h"

/* The buffer has the instructions that are past the stages of fetch by `cycle` and not decoded.
 * Each is counted once. An instruction has one halfword or two. */
IN_BOTH bool was_full(struct core *core, uint64_t cycle)
{
    const struct config *settings = core_config(core);
    uint32_t most = settings->c910_buffer_halfwords - settings->fetch_bytes / 2;
    struct c910_buffered *buffered = &core->model->front.buffered;
    uint64_t first = core->decode_seq, seq = later(first, buffered->end);
    if ((core->fetch_seq - first) * 2 < most)
        return false;
    for (; seq != core->fetch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        if (uop->fetch_cycle + settings->fetch_stages > cycle)
            break;
        buffered->halfwords += uop->insn.length / 2;
    }
    buffered->end = seq;
    return buffered->halfwords >= most;
}

void c910_freeze_decoded(struct core *core, const struct uop *uop, uint64_t seq)
{
    struct c910_buffered *buffered = &core->model->front.buffered;
    if (seq < buffered->end)
        buffered->halfwords -= uop->insn.length / 2;
}

/* True if an instruction was fetched in `cycle`. */
static bool was_fetched(const struct core *core, uint64_t cycle)
{
    for (uint64_t seq = core->fetch_seq; seq != core->decode_seq;) {
        uint64_t fetched = core_uop(core, --seq)->fetch_cycle;
        if (fetched <= cycle)
            return fetched == cycle;
    }
    return false;
}

static void move_cycles(struct core *core, uint64_t from)
{
    uint64_t cycles = core->now - from, first = from + 1 - core_config(core)->fetch_stages;
    for (uint64_t seq = core->fetch_seq; seq != core->decode_seq;) {
        struct uop *uop = core_uop(core, --seq);
        if (uop->fetch_cycle < first)
            break;
        uop->fetch_cycle += cycles;
    }
    if (core->fetch_stall_until > from && core->fetch_stall_until != NEVER &&
        core->fetch_cause != EVENT_LOST_ICACHE && core->fetch_cause != EVENT_LOST_ITLB)
        core->fetch_stall_until += cycles;
}

/* True if the instructions fetched last have not reached the last stage. No cycle is idle until
 * they do, because room in the buffer is checked then. */
static bool is_on_its_way(const struct core *core)
{
    return core->fetch_seq != core->decode_seq &&
           core_uop(core, core->fetch_seq - 1)->fetch_cycle + core_config(core)->fetch_stages >
               core->now;
}

/* The stages stand still. Returns false if they move again. */
APART bool goes_on_standing(struct core *core)
{
    uint64_t since = core->model->front.still_since;
    if (was_full(core, since))
        return true;
    core->model->front.still_since = 0;
    move_cycles(core, since);
    if (core->model->front.turns_again)
        core->fetch_stall_until = later(core->fetch_stall_until, core->now + 1);
    return false;
}

/* The buffer is full. Returns true if the stages stand still from now on. */
APART bool begins_to_stand(struct core *core)
{
    uint64_t now = core->now;
    uint32_t stages = core_config(core)->fetch_stages;
    if (!was_fetched(core, now + 1 - stages))
        return false;
    core->model->front.still_since = now;
    core->model->front.turns_again = bpred_stands_still(core->bpred, now + 2 - stages);
    return true;
}

bool c910_freeze_holds(struct core *core)
{
    if (core->model->front.still_since != 0) {
        if (goes_on_standing(core))
            return true;
    } else if (!core->model->loop.is_active && core->now >= core_config(core)->fetch_stages &&
               was_full(core, core->now) && begins_to_stand(core)) {
        return true;
    }
    if (is_on_its_way(core))
        core->active = true;
    return false;
}
