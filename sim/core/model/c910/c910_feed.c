/* Fetch from the loop buffer: when the buffer takes over from the cache, and where fetch goes when
 * the loop ends. c910_loop.c decides which loops the buffer holds. */
#include "pmu/event.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/run_on.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/fetch/fetch_port.h"

static void tell_loop(struct core *core, const struct uop *uop, const struct loop_branch *branch)
{
    const struct config *settings = core_config(core);
    if (uop->kind != KIND_BRANCH)
        c910_loop_refuse(&core->model->loop, uop->pc);
    else
        c910_loop_branch(&core->model->loop, branch, settings->c910_loop_bytes,
                           settings->c910_loop_branches);
}

void c910_feed_look(struct core *core, const struct uop *uop)
{
    const struct loop_branch branch = {
        .pc = uop->pc, .target = uop->pc + (uint64_t)(int64_t)uop->insn.imm,
        .length = uop->insn.length,
        .is_taken = uop->predicted_pc != uop->pc + uop->insn.length,
    };
    if (!c910_loop_may_learn(&core->model->loop, &branch)) {
        tell_loop(core, uop, &branch);
        return;
    }
    struct loop_change before = {.cycle = core->now, .newest = core->model->loop.newest};
    for (unsigned i = 0; i < LOOP_RECORDS; i++)
        before.record[i] = core->model->loop.record[i];
    tell_loop(core, uop, &branch);
    c910_loop_note(&core->model->loop, &before);
}

/* Fetch leaves the loop buffer. The code after the loop is requested only now, when the last branch
 * of the loop is fetched. */
static void leave_loop(struct core *core, const struct uop *uop)
{
    uint32_t bubble = core_config(core)->c910_loop_exit_bubble;
    core->fetch_cause = EVENT_LOST_TAKEN;
    core->fetch_stall_until = core->now + 1 + bubble;
    bpred_leaves_loop(core->bpred, core->now + bubble, uop->predicted_pc);
}

static void add_transfer(struct run_on_text *text, const struct predecode_slot *slot, uint64_t pc)
{
    enum run_on_kind kind = slot->kind == KIND_BRANCH ? RUN_ON_BRANCH
                            : slot->kind == KIND_JAL ? RUN_ON_JUMP
                            : insn_is_return(&slot->insn) ? RUN_ON_RETURN : RUN_ON_OTHER;
    const struct run_on_transfer transfer = {
        .pc = pc, .end = pc + slot->insn.length - 2, .kind = kind,
    };
    if (slot->kind == KIND_BRANCH || slot->kind == KIND_JAL || slot->kind == KIND_JALR)
        run_on_add(text, &transfer);
}

/* Tells the predictor the transfers in the loop and in the blocks after it, within the page. */
static void tell_of_loop(struct core *core)
{
    const struct loop_record *record = &core->model->loop.record[core->model->loop.current];
    uint64_t end = record->end + RUN_ON_BEHIND * RUN_ON_BLOCK_BYTES;
    struct run_on_text text = {.start = record->start, .end = record->end};
    if (bpred_knows_loop(core->bpred, record->start, record->end))
        return;
    end |= RUN_ON_BLOCK_BYTES - 1;
    for (uint64_t pc = record->start; pc < end && pc >> PHYS_PAGE_BITS ==
                                                      record->start >> PHYS_PAGE_BITS;) {
        const struct predecode_slot *slot = fetch_slot_at(core, pc);
        if (!slot->is_valid)
            break;
        add_transfer(&text, slot, pc);
        pc += slot->insn.length;
    }
    run_on_close(&text);
    bpred_loop_text(core->bpred, &text);
}

/* The loop buffer takes over when decode has taken the instructions fetched before, at the soonest
 * STAGES_BEFORE cycles after the branch (C910, ct_ifu_lbuf.v: state ACTIVE). */
static void enter_loop(struct core *core, struct prediction *prediction)
{
    enum { STAGES_BEFORE = 4 };
    uint32_t width = core_config(core)->c910_loop_width, now_fetched = 0, waiting;
    for (uint64_t seq = core->fetch_seq; seq != core->decode_seq &&
                                         core_uop(core, seq - 1)->fetch_cycle == core->now; seq--)
        now_fetched++;
    waiting = (uint32_t)(core->fetch_seq - core->decode_seq) - now_fetched;
    waiting = (waiting > 2 * width ? waiting - 2 * width : 0) + now_fetched;
    uint32_t extra = waiting > width ? (waiting - 1) / width : 0;
    tell_of_loop(core);
    const struct c910_loop *loop = &core->model->loop;
    bpred_enters_loop(core->bpred, core->now, core->now + STAGES_BEFORE + extra,
                      loop->record[loop->current].start, prediction->bubble);
    prediction->bubble = (uint8_t)(core->config->bpred_taken_bubble + extra);
}

bool c910_feed_had(struct core *core, const struct uop *uop, struct prediction *prediction)
{
    bool was_in_loop = core->model->loop.is_active;
    if (core_config(core)->c910_loop_bytes != 0)
        c910_feed_look(core, uop);
    if (!was_in_loop) {
        if (core->model->loop.is_active)
            enter_loop(core, prediction);
        return false;
    }
    if (core_config(core)->c910_loop_exit_bubble != 0 &&
        (!core->model->loop.is_active || !c910_loop_has(&core->model->loop, uop->predicted_pc)))
        leave_loop(core, uop);
    return true;
}
