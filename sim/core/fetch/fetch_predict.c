/* Transfers in fetch: their prediction, and the bubble after them. */
#include "pmu/event.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/pipe/snapshot.h"
#include "sim/core/pipe/stage_front.h"

/* The cause of the slots lost between a transfer and the instruction at its predicted target. */
static uint8_t bubble_cause(const struct uop *uop, const struct prediction *prediction)
{
    if (prediction->next_pc == uop->pc + uop->insn.length && prediction->bubble == 0)
        return EVENT_LOST_BANDWIDTH;
    if (prediction->bubble == 0)
        return EVENT_LOST_CUT;
    return prediction->btb_miss ? EVENT_LOST_BTB_MISS : EVENT_LOST_TAKEN;
}

/* Asks for the prediction, and stores it in the instruction and its events. */
IN_BOTH struct prediction ask(struct core *core, struct uop *uop)
{
    struct bpred_snapshot *snapshot =   /* of the youngest instruction */
        core_snapshot_at(core, core->fetch_seq - 1);
    struct prediction prediction;
    bool is_extra = (core_extras(core) & EXTRA_TRANSFERS) != 0;
    if (is_extra)
        port_asks(core, uop);
    bpred_predict(core->bpred, core->now, uop->pc, &uop->insn, uop->kind, snapshot, &prediction);
    if (is_extra)
        port_predicted(core, uop, &prediction);
    uop->flags |= UOP_CONTROL;
    uop->predicted_pc = prediction.next_pc;
    if (prediction.btb_miss)
        core->events[EVENT_BTB_MISS]++;
    if (prediction.ras_underflow) {
        core->events[EVENT_RAS_UNDERFLOW]++;
        port_return_unknown(core, uop);
    }
    return prediction;
}

static void take_bubble(struct core *core, const struct uop *uop,
                        const struct prediction *prediction)
{
    if (core_config(core)->fetch_ftq != 0 && prediction->btb_miss)
        ftq_wait_for_decode(core, prediction->bubble);
    else
        core->fetch_stall_until = core->now + 1 + prediction->bubble;
    core->fetch_stall_until += port_turn_cycles(core, uop);
}

bool fetch_predict(struct core *core, struct uop *uop)
{
    struct prediction prediction = ask(core, uop);
    if (prediction.next_pc == BPRED_UNKNOWN) {
        core->fetch_blocked = true;
        return false;
    }
    if ((core_extras(core) & EXTRA_TRANSFERS) && port_is_in_loop(core, uop, &prediction))
        return true;
    core->fetch_cause = bubble_cause(uop, &prediction);
    if (prediction.bubble != 0)
        take_bubble(core, uop, &prediction);
    return !prediction.turns;
}

/* With perfect prediction: only the cost of every taken transfer. */
void fetch_follow(struct core *core, const struct uop *uop)
{
    if (port_has_loops(core))
        port_loop_follows(core, uop);
    if (port_feeds(core) || uop->predicted_pc == uop->pc + uop->insn.length)
        return;
    uint32_t bubble = core->config->bpred_taken_bubble;
    core->fetch_cause = bubble == 0 ? EVENT_LOST_CUT : EVENT_LOST_TAKEN;
    if (bubble != 0)
        core->fetch_stall_until = core->now + 1 + bubble;
}
