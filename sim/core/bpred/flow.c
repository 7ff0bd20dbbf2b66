/* What changes of flow ask of tables that fetch reads on its way: the chained first level of
 * targets, and the direction tables where these have a port. */
#include "sim/core/bpred/bpred_internal.h"

/* What the chained first level makes of it. Entries are not made for indirect jumps. */
static enum chain_verdict ask_chain(struct bpred *bpred, uint64_t now, uint64_t pc,
                                    const struct insn *insn, unsigned kind,
                                    const struct bpred_snapshot *snapshot,
                                    struct prediction *prediction)
{
    bool is_return = kind == KIND_JALR && insn_is_return(insn);
    const struct chain_step step = {
        .now = now, .pc = pc, .end = pc + insn->length - 2, .next_pc = prediction->next_pc,
        .early_top = bpred->early_top,
        .bubble = prediction->bubble, .is_taken = prediction->next_pc != pc + insn->length,
        .is_return = is_return, .is_branch = kind == KIND_BRANCH, .is_last = bpred->is_last,
        .is_sure = !bpred->buffers_writes ||
                   bimode_counter_of(snapshot->counter) == bpred->by.bimode.max,
        .is_unknown = prediction->btb_miss && kind != KIND_JALR,
        .may_enter = is_return || (kind != KIND_JALR && !prediction->btb_miss),
    };
    enum chain_verdict verdict = chain_take(&bpred->chain, &step);
    if (verdict == CHAIN_HIT)
        prediction->bubble = 0;
    else if (verdict == CHAIN_WRONG && !step.is_taken)
        prediction->bubble = bpred->taken_bubble;
    return verdict;
}

uint8_t flow_counter(struct bpred *bpred, uint64_t now, uint64_t pc)
{
    struct bimode *bimode = &bpred->by.bimode;
    if (bpred->reads_ahead)
        return gshare_port_see(bpred, now);
    uint8_t counters = bimode_seen(bimode, now, pc, bpred->history, bpred->in_loop);
    if (bpred->fills_loop)
        bimode_keep(bimode, pc, counters);
    return counters;
}

/* Direction tables are read in the stage behind fetch for a branch, and whenever fetch goes
 * elsewhere. */
void flow_note(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, const struct bpred_snapshot *snapshot,
               struct prediction *prediction)
{
    struct bimode *bimode = &bpred->by.bimode;
    enum chain_verdict verdict = CHAIN_MISS;
    if (bpred->chain.entries != 0 && !bpred->in_loop)
        verdict = ask_chain(bpred, now, pc, insn, kind, snapshot, prediction);
    if (!bpred->buffers_writes)
        return;
    if (verdict == CHAIN_HIT)
        bimode_reads_choices(bimode, now, prediction->next_pc);
    else if (verdict == CHAIN_WRONG)
        bimode_reads_choices(bimode, now, bpred->chain.led_to);
    if (kind == KIND_BRANCH)
        bimode_reads_counters(bimode, now + 1 + bpred->in_loop, snapshot->history, bpred->in_loop);
    if (verdict != CHAIN_HIT && prediction->bubble != 0 && !bpred->in_loop)
        bimode_reads_choices(bimode, now + prediction->bubble, prediction->next_pc);
}

void bpred_redirected(struct bpred *bpred, uint64_t now, uint64_t pc, bool is_held, bool is_branch)
{
    bpred->entered = pc;
    if (bpred->chain.entries != 0)
        chain_restart(&bpred->chain, now, pc, is_branch);
    if (bpred->buffers_writes)
        bimode_redirect(&bpred->by.bimode, now, pc, bpred->history, is_held);
}

void bpred_ends_block(struct bpred *bpred, bool is_last)
{
    bpred->is_last = is_last;
}

void bpred_in_loop(struct bpred *bpred, bool in_loop, bool fills_loop)
{
    bpred->in_loop = in_loop;
    bpred->fills_loop = fills_loop;
}

void bpred_leaves_loop(struct bpred *bpred, uint64_t cycle, uint64_t pc)
{
    bpred->entered = pc;
    if (bpred->chain.entries != 0)
        chain_leave_loop(&bpred->chain, cycle + 1, pc);
    if (bpred->buffers_writes)
        bimode_reads_choices(&bpred->by.bimode, cycle, pc);
}
