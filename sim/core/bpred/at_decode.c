/* Prediction in a front end that decodes late: fetch takes an instruction for a transfer if the BTB
 * has it. Decode, some stages later, corrects everything known without execution: targets of
 * branches predicted taken, direct jumps, and returns, by a return-address stack that is in decode
 * and is never repaired.
 *
 * The history has the predictions of fetch for branches in the BTB, including wrong paths. Only a
 * mispredicted branch corrects it. Source: rsd-devel/rsd, Gshare.sv, BTB.sv and
 * DecodedBranchResolver.sv.
 * Leaves out: a BTB entry that matches an instruction other than a transfer. */
#include "sim/core/bpred/bpred_internal.h"

void bpred_begin_group(struct bpred *bpred)
{
    bpred->group_history = bpred->history;
}

/* Predicts with the history before the group. */
static bool ask_for_group(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                          struct record *record)
{
    uint64_t history = bpred->history;
    if (bpred_shape(bpred)->direction == DIR_GSHARE)
        return gshare_predict(&bpred->by.gshare, pc, bpred->group_history, insn->imm < 0);
    bpred->history = bpred->group_history;
    bool taken = direction_predict(bpred, pc, insn, record);
    bpred->history = history;
    return taken;
}

void bpred_see(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    ELSEWHERE(bpred_see, bpred, now, pc, insn, kind, snapshot, prediction);
    uint64_t target = 0;
    lessons_learn_due(bpred, now);
    struct record *record = bpred_begin_record(bpred, snapshot);
    *prediction = (struct prediction){.next_pc = pc + insn->length};
    snapshot->history = bpred->group_history;
    snapshot->stays_out = false;
    snapshot->is_known = btb_find(&bpred->btb, pc, &target) != BTB_MISS;
    prediction->btb_miss = !snapshot->is_known;
    if (shape->carries_counters)
        snapshot->counter = gshare_counter(&bpred->by.gshare, pc, bpred->group_history);
    bool is_jump = kind != KIND_BRANCH && !shape->jumps_ask;
    bool taken = is_jump || ask_for_group(bpred, pc, insn, record);
    snapshot->predicted_taken = taken && snapshot->is_known;
    if (snapshot->predicted_taken)
        prediction->next_pc = target;
    if (snapshot->is_known && kind == KIND_BRANCH)
        bpred->history = bpred->history << 1 | taken;
}

bool bpred_see_again(struct bpred *bpred, uint64_t pc, const struct insn *insn)
{
    RETURN_ELSEWHERE(bpred_see_again, bpred, pc, insn);
    bool taken = ask_for_group(bpred, pc, insn, NULL);
    bpred->history = bpred->history << 1 | taken;
    return taken;
}

void bpred_settle(struct bpred *bpred, uint64_t now)
{
    ELSEWHERE(bpred_settle, bpred, now);
    lessons_learn_due(bpred, now);
}

void bpred_correct_history(struct bpred *bpred, unsigned kind,
                           const struct bpred_snapshot *snapshot, bool taken)
{
    bpred->history = kind == KIND_BRANCH ? snapshot->history << 1 | taken : snapshot->history;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* The pointer wraps around; entries never pushed are zero. */
static uint64_t pop_unrepaired(struct ras *ras)
{
    const struct ras_shape *shape = ras_shape(ras);
    return shape->entries == 0 ? 0 : ras->entry[--ras->top % shape->entries];
}

/* Only ra is a link register here, not t0. */
enum { LINK = 1 };

static enum bpred_verdict check(uint64_t predicted_pc, uint64_t next_pc)
{
    return predicted_pc == next_pc ? DECODE_STOP : DECODE_REDIRECT;
}

enum bpred_verdict bpred_decode(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                unsigned kind, const struct bpred_snapshot *snapshot,
                                uint64_t predicted_pc, uint64_t *next_pc)
{
    RETURN_ELSEWHERE(bpred_decode, bpred, pc, insn, kind, snapshot, predicted_pc, next_pc);
    *next_pc = pc + (uint64_t)(int64_t)insn->imm;
    if (kind == KIND_BRANCH)
        return snapshot->predicted_taken ? check(predicted_pc, *next_pc) : DECODE_PASS;
    if (kind == KIND_JALR && insn->rs1 == LINK && insn->rd != LINK) {
        *next_pc = pop_unrepaired(&bpred->ras);
        return check(predicted_pc, *next_pc);
    }
    if (insn->rd == LINK)
        ras_push(&bpred->ras, pc + insn->length);
    if (kind == KIND_JAL)
        return check(predicted_pc, *next_pc);
    return insn->rd == LINK ? DECODE_STOP : DECODE_PASS;
}
