/* What the predictor is told: the code around a transfer, and the blocks that fetch reads. */
#include "sim/base/cycle.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/port.h"

/* The kind of the next branch or direct jump after the transfer in its block. */
static enum bpred_rest rest_of_block(struct core *core, const struct uop *uop)
{
    uint64_t pc = uop->pc + uop->insn.length, bytes = core_config(core)->fetch_bytes;
    for (uint64_t end = ((pc - 1) & ~(bytes - 1)) + bytes; pc < end;) {
        const struct predecode_slot *slot = fetch_slot_at(core, pc);
        bool is_direct = slot->kind == KIND_BRANCH || slot->kind == KIND_JAL;
        if (slot->run != 0 && (slot->run & PREDECODE_RUN_TRANSFER) == 0)
            return BLOCK_ENDS;
        pc += slot->insn.length;
        if (!slot->is_valid || (is_direct && pc > end))
            return BLOCK_ENDS;
        if (is_direct)
            return slot->kind == KIND_BRANCH ? BLOCK_BRANCHES : BLOCK_JUMPS;
    }
    return BLOCK_ENDS;
}

/* The address of an instruction that was fetched before the one at pc, the last fetched, and
 * reaches into its block; 0: none. */
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

/* Delays the instructions fetched in this cycle. */
void c910_predict_hold(struct core *core, uint8_t cycles)
{
    for (uint64_t seq = core->fetch_seq; core_uop(core, --seq)->fetch_cycle == core->now;)
        core_uop(core, seq)->fetch_cycle += cycles;
}

void c910_predict_tell(struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    if (settings->c910_loop_bytes != 0)
        bpred_in_loop(core->bpred, core->model->loop.is_active, core->model->loop.is_filling);
    if (settings->part_l0_kind != 0)
        bpred_rest_of_block(core->bpred, rest_of_block(core, uop));
    if (settings->part_ras_miss != 0 && uop->kind == KIND_JALR)
        bpred_reaches(core->bpred, reaching(core, uop->pc));
}

/* ---- where fetch reads ----------------------------------------------------------------------- */

/* The block in the first stage of fetch. If the first half of an instruction is kept, this is the
 * block of the second half. The rest of a block after its first branch is not read again. */
static struct c910_place place_of_fetch(const struct core *core)
{
    uint64_t pc = core->fetch_pc + (core->fetch_half_pc == core->fetch_pc ? 2 : 0);
    return (struct c910_place){
        .block = pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1), .first = core->fetch_seq,
        .is_rest = core->model->front.rest_pc == core->fetch_pc,
        .was_in_loop = core->model->loop.is_active,
    };
}

/* True if nothing of the block arrived, not even the first half of an instruction. */
static bool has_stayed(const struct core *core, const struct c910_place *place)
{
    uint64_t block = core->fetch_pc & ~(uint64_t)(core_config(core)->fetch_bytes - 1);
    return core->fetch_seq == place->first && !core->model->front.jump_waits &&
           (core->fetch_half_pc != core->fetch_pc || block != place->block);
}

static void tell_moved(struct core *core, const struct c910_place *place)
{
    const struct uop *last = core_uop(core, core->fetch_seq - 1);
    uint64_t after = place->block + core_config(core)->fetch_bytes;
    bool turns = core->fetch_seq != place->first &&
                 last->predicted_pc != last->pc + last->insn.length;
    uint64_t until = later(core->now + 1, core->fetch_stall_until);
    struct bpred_move move = {
        .now = core->now, .block = place->block, .until = until,
        .next = turns || place->was_in_loop ? core->fetch_pc : after,
        .goes_on = !place->is_rest && !place->was_in_loop,
    };
    if (has_stayed(core, place))
        return;
    bool has_rest = !turns && core->fetch_pc < after && core->fetch_half_pc != core->fetch_pc;
    core->model->front.rest_pc = has_rest ? core->fetch_pc : NEVER;
    if (core->model->loop.is_active || core->model->front.jump_waits)
        move.next = 0;
    bpred_fetched(core->bpred, &move);
}

void c910_predict_group(struct core *core)
{
    core->model->front.place = place_of_fetch(core);
    core->model->front.has_group = true;
}

void c910_predict_fetched(struct core *core)
{
    if (core->model->front.has_group)
        tell_moved(core, &core->model->front.place);
    core->model->front.has_group = false;
}
