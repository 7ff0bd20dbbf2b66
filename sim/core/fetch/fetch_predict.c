/* Transfers in fetch: what the predictor says, and the bubble that follows them. */
#include "sim/core/bpred/run_on.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/port.h"

/* What the slots between a transfer and the instruction at its predicted target are lost to. */
static uint8_t bubble_cause(const struct uop *uop, const struct prediction *prediction)
{
    if (prediction->next_pc == uop->pc + uop->insn.length && prediction->bubble == 0)
        return EVENT_LOST_BANDWIDTH;
    if (prediction->bubble == 0)
        return EVENT_LOST_CUT;
    return prediction->btb_miss ? EVENT_LOST_BTB_MISS : EVENT_LOST_TAKEN;
}

static void tell_loop(struct core *core, const struct uop *uop, const struct loop_branch *branch)
{
    const struct config *settings = core_config(core);
    if (uop->kind != KIND_BRANCH)
        loop_buffer_refuse(&core->loop, uop->pc);
    else
        loop_buffer_branch(&core->loop, branch, settings->fetch_loop_bytes,
                           settings->fetch_loop_branches);
}

static void look_for_loop(struct core *core, const struct uop *uop)
{
    const struct loop_branch branch = {
        .pc = uop->pc, .target = uop->pc + (uint64_t)(int64_t)uop->insn.imm,
        .length = uop->insn.length,
        .is_taken = uop->predicted_pc != uop->pc + uop->insn.length,
    };
    if (!loop_buffer_may_learn(&core->loop, &branch)) {
        tell_loop(core, uop, &branch);
        return;
    }
    struct loop_change before = {.cycle = core->now, .newest = core->loop.newest};
    for (unsigned i = 0; i < LOOP_RECORDS; i++)
        before.record[i] = core->loop.record[i];
    tell_loop(core, uop, &branch);
    loop_buffer_note(&core->loop, &before);
}

/* The line that fetch asks for before decode corrects it; a miss there has to end first. */
static uint64_t run_ahead(struct core *core, uint64_t wrong_pc, uint64_t until)
{
    struct mem_response response;
    uint64_t offset = wrong_pc & (PHYS_PAGE_BYTES - 1);
    if (wrong_pc >> PHYS_PAGE_BITS != core->fetch_page_va >> PHYS_PAGE_BITS ||
        !memsys_fetch(core->mem, core->fetch_page_pa + offset, core->now + 1, &response))
        return until;
    fetch_follow_fill(core, &response, wrong_pc);
    return response.ready > until ? response.ready : until;
}

/* The loop buffer feeds decode itself: the code after it is asked for when its last branch is. */
static void leave_loop(struct core *core, const struct uop *uop)
{
    uint32_t bubble = core_config(core)->fetch_loop_exit_bubble;
    core->fetch_cause = EVENT_LOST_TAKEN;
    core->fetch_stall_until = core->now + 1 + bubble;
    bpred_leaves_loop(core->bpred, core->now + bubble, uop->predicted_pc);
}

/* The next branch or direct jump after it in its block. */
static enum bpred_behind behind_in_block(struct core *core, const struct uop *uop)
{
    uint64_t pc = uop->pc + uop->insn.length, bytes = core_config(core)->fetch_bytes;
    for (uint64_t end = ((pc - 1) & ~(bytes - 1)) + bytes; pc < end;) {
        const struct predecode_slot *slot = fetch_slot_at(core, pc);
        bool is_direct = slot->kind == KIND_BRANCH || slot->kind == KIND_JAL;
        pc += slot->insn.length;
        if (!slot->is_valid || (is_direct && pc > end))
            return BLOCK_ENDS;
        if (is_direct)
            return slot->kind == KIND_BRANCH ? BLOCK_BRANCHES : BLOCK_JUMPS;
    }
    return BLOCK_ENDS;
}

/* The instruction that reaches into the block of the one fetched last, and was fetched in front of
 * it; 0: none. */
static uint64_t reaching(const struct core *core, uint64_t pc)
{
    uint64_t block = pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1);
    for (uint64_t seq = core->fetch_seq - 1; pc > block;) {
        const struct uop *before = core_uop(core, --seq);
        if (before->pc + before->insn.length != pc)
            return 0;
        pc = before->pc;
    }
    return pc < block ? pc : 0;
}

/* What was fetched in this cycle comes later. */
static void hold_block(struct core *core, uint8_t cycles)
{
    for (uint64_t seq = core->fetch_seq; core_uop(core, --seq)->fetch_cycle == core->now;)
        core_uop(core, seq)->fetch_cycle += cycles;
}

bool fetch_predict_is_extra(const struct config *config)
{
    return config->fetch_loop_bytes != 0 || config->part_l0_kind != 0 ||
           config->part_ras_miss != 0 || config->part_btb_waiting != 0 ||
           config->part_indirect_wait != 0;
}

/* What the predictor is told before it is asked, with EXTRA_TRANSFERS. */
APART void tell_before(struct core *core, const struct uop *uop)
{
    if (core_config(core)->fetch_loop_bytes != 0)
        bpred_in_loop(core->bpred, core->loop.is_active, core->loop.is_filling);
    if (core->config->part_l0_kind != 0)
        bpred_block_behind(core->bpred, behind_in_block(core, uop));
    if (core->config->part_ras_miss != 0 && uop->kind == KIND_JALR)
        bpred_reaches(core->bpred, reaching(core, uop->pc));
}

/* What else follows from its answer. */
APART void act_behind(struct core *core, const struct uop *uop, const struct prediction *prediction)
{
    if (core->config->part_btb_waiting != 0 &&
        core->fetch_seq - core->dispatch_seq > core->config->part_btb_waiting)
        core_snapshot(core, uop)->stays_out = true;
    if (prediction->wait != 0)
        hold_block(core, prediction->wait);
}

/* The prediction, as the instruction and the events keep it. */
IN_BOTH struct prediction ask(struct core *core, struct uop *uop)
{
    struct prediction prediction;
    bool is_extra = (core_extras(core) & EXTRA_TRANSFERS) != 0;
    if (is_extra)
        tell_before(core, uop);
    bpred_predict(core->bpred, core->now, uop->pc, &uop->insn, uop->kind, core_snapshot(core, uop),
                  &prediction);
    if (is_extra)
        act_behind(core, uop, &prediction);
    uop->flags |= UOP_CONTROL;
    uop->predicted_pc = prediction.next_pc;
    core->events[EVENT_BTB_MISS] += prediction.btb_miss;
    core->events[EVENT_RAS_UNDERFLOW] += prediction.ras_underflow;
    if (prediction.ras_underflow)
        port_return_unknown(core, uop);
    return prediction;
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

/* The transfers of the loop and of the blocks after it, in its page. */
static void tell_of_loop(struct core *core)
{
    const struct loop_record *record = &core->loop.record[core->loop.current];
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

/* The loop buffer takes over when decode has taken what was fetched before; at the soonest
 * STAGES_BEFORE cycles after the branch (C910, ct_ifu_lbuf.v: state ACTIVE). */
static void enter_loop(struct core *core, struct prediction *prediction)
{
    enum { STAGES_BEFORE = 4 };
    uint32_t width = core_config(core)->fetch_loop_width, now_fetched = 0, waiting;
    for (uint64_t seq = core->fetch_seq; seq != core->decode_seq &&
                                         core_uop(core, seq - 1)->fetch_cycle == core->now; seq--)
        now_fetched++;
    waiting = (uint32_t)(core->fetch_seq - core->decode_seq) - now_fetched;
    waiting = (waiting > 2 * width ? waiting - 2 * width : 0) + now_fetched;
    uint32_t extra = waiting > width ? (waiting - 1) / width : 0;
    tell_of_loop(core);
    bpred_enters_loop(core->bpred, core->now, core->now + STAGES_BEFORE + extra,
                      core->loop.record[core->loop.current].start, prediction->bubble);
    prediction->bubble = (uint8_t)(core->config->bpred_taken_bubble + extra);
}

/* True: the loop buffer held the transfer, so that no bubble follows but that of its end. */
static bool is_in_loop(struct core *core, const struct uop *uop, struct prediction *prediction)
{
    bool was_in_loop = core->loop.is_active;
    if (core_config(core)->fetch_loop_bytes != 0)
        look_for_loop(core, uop);
    if (!was_in_loop) {
        if (core->loop.is_active)
            enter_loop(core, prediction);
        return false;
    }
    if (core_config(core)->fetch_loop_exit_bubble != 0 &&
        (!core->loop.is_active || !loop_buffer_has(&core->loop, uop->predicted_pc)))
        leave_loop(core, uop);
    return true;
}

static void take_bubble(struct core *core, const struct uop *uop,
                        const struct prediction *prediction)
{
    if (core->ftq.size != 0 && prediction->btb_miss)
        ftq_wait_for_decode(core, prediction->bubble);
    else
        core->fetch_stall_until = core->now + 1 + prediction->bubble;
    core->fetch_stall_until += port_turn_cycles(core, uop);
    if (core_config(core)->fetch_runs_ahead != 0 && prediction->wrong_pc != 0)
        core->fetch_stall_until = run_ahead(core, prediction->wrong_pc, core->fetch_stall_until);
}

bool fetch_predict(struct core *core, struct uop *uop)
{
    struct prediction prediction = ask(core, uop);
    if (prediction.next_pc == BPRED_UNKNOWN) {
        core->fetch_blocked = true;
        return false;
    }
    if ((core_extras(core) & EXTRA_TRANSFERS) && is_in_loop(core, uop, &prediction))
        return true;
    core->fetch_cause = bubble_cause(uop, &prediction);
    if (prediction.bubble != 0)
        take_bubble(core, uop, &prediction);
    return !prediction.turns;
}

/* With perfect prediction: only what a taken transfer costs in any case. */
void fetch_follow(struct core *core, const struct uop *uop)
{
    if (core_config(core)->fetch_loop_bytes != 0)
        look_for_loop(core, uop);
    if (core->loop.is_active || uop->predicted_pc == uop->pc + uop->insn.length)
        return;
    uint32_t bubble = core->config->bpred_taken_bubble;
    core->fetch_cause = bubble == 0 ? EVENT_LOST_CUT : EVENT_LOST_TAKEN;
    if (bubble != 0)
        core->fetch_stall_until = core->now + 1 + bubble;
}

/* The block that is in the first stage: of an instruction whose first half is kept, the second's.
 * What is left of a block after its first branch is not read again. */
struct fetch_place fetch_place(const struct core *core)
{
    uint64_t pc = core->fetch_pc + (core->fetch_half_pc == core->fetch_pc ? 2 : 0);
    return (struct fetch_place){
        .block = pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1), .first = core->fetch_seq,
        .is_rest = core->hold.rest_pc == core->fetch_pc, .was_in_loop = core->loop.is_active,
    };
}

/* Nothing of it came, but for the first half of its last instruction. */
static bool has_stayed(const struct core *core, const struct fetch_place *place)
{
    uint64_t block = core->fetch_pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1);
    return core->fetch_seq == place->first && !core->hold.jump_waits &&
           (core->fetch_half_pc != core->fetch_pc || block != place->block);
}

void fetch_moved(struct core *core, const struct fetch_place *place)
{
    const struct uop *last = core_uop(core, core->fetch_seq - 1);
    uint64_t behind = place->block + core_config(core)->fetch_bytes;
    bool turns = core->fetch_seq != place->first &&
                 last->predicted_pc != last->pc + last->insn.length;
    uint64_t until = later(core->now + 1, core->fetch_stall_until);
    struct bpred_move move = {
        .now = core->now, .block = place->block, .until = until,
        .next = turns || place->was_in_loop ? core->fetch_pc : behind,
        .goes_on = !place->is_rest && !place->was_in_loop,
    };
    if (has_stayed(core, place))
        return;
    bool has_rest = !turns && core->fetch_pc < behind && core->fetch_half_pc != core->fetch_pc;
    core->hold.rest_pc = has_rest ? core->fetch_pc : NEVER;
    if (core->loop.is_active || core->hold.jump_waits)
        move.next = 0;
    bpred_fetched(core->bpred, &move);
}

bool fetch_is_cut(struct core *core, uint64_t end)
{
    if (core->loop.is_active)
        return false;
    for (uint64_t pc = core->fetch_pc; pc < end;) {
        const struct predecode_slot *slot = fetch_slot_at(core, pc);
        pc += slot->insn.length;
        if (!slot->is_valid)
            return false;
        if (slot->kind == KIND_BRANCH && pc <= end) {
            core->hold.cut_cycle = core->now;
            return true;
        }
    }
    return false;
}
