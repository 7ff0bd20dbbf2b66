/* Effects of changes of flow on tables that are read along fetch: the chained first level of
 * targets, and direction tables with a port. */
#include "sim/core/bpred/bpred_internal.h"

void flow_init(struct bpred *bpred)
{
    struct bpred_shape *shape = &bpred->shape;
    shape->has_port = shape->buffers_writes || shape->reads_ahead;
    shape->has_flow = bpred->chain.shape.entries != 0 || shape->buffers_writes;
    shape->has_stages = shape->by_path || bpred->ras.shape.repair == RAS_COMMITTED;
    bpred->run_on.chain = &bpred->chain;
    if (shape->direction == DIR_BIMODE)
        bpred->by.bimode.run_on = &bpred->run_on;
}

/* Asks the chained first level. No entries are made for indirect jumps. */
static enum chain_verdict ask_chain(struct bpred *bpred, uint64_t now, uint64_t pc,
                                    const struct insn *insn, unsigned kind,
                                    const struct bpred_snapshot *snapshot,
                                    struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    bool is_return = kind == KIND_JALR && insn_is_return(insn);
    const struct chain_step step = {
        .now = now, .pc = pc, .end = pc + insn->length - 2, .next_pc = prediction->next_pc,
        .early_top = bpred->early_top,
        .bubble = prediction->bubble, .is_taken = prediction->turns,
        .back_bubble = (uint8_t)(shape->taken_bubble + shape->return_bubble),
        .is_return = is_return, .is_branch = kind == KIND_BRANCH,
        .is_last = bpred->rest == BLOCK_ENDS, .is_cut = bpred->rest == BLOCK_BRANCHES,
        .is_sure = !shape->buffers_writes ||
                   bimode_counter_of(snapshot->counter) == bimode_shape(&bpred->by.bimode)->max,
        .is_unknown = prediction->btb_miss && kind != KIND_JALR,
        .may_enter = is_return || (kind != KIND_JALR && !prediction->btb_miss),
    };
    enum chain_verdict verdict = chain_take(&bpred->chain, &step);
    if (verdict == CHAIN_HIT)
        prediction->bubble = 0;
    else if (verdict == CHAIN_WRONG && !step.is_taken)
        prediction->bubble = shape->taken_bubble;
    else if (verdict == CHAIN_BACK)
        prediction->bubble = step.back_bubble;
    return verdict;
}

uint8_t flow_counter(struct bpred *bpred, uint64_t now, uint64_t pc)
{
    struct bimode *bimode = &bpred->by.bimode;
    if (bpred_shape(bpred)->reads_ahead)
        return gshare_port_see(bpred, now);
    uint8_t counters = bimode_seen(bimode, now, pc, bpred->history, bpred->in_loop);
    if (bpred->fills_loop)
        bimode_keep(bimode, pc, counters);
    return counters;
}

/* Without a target, fetch goes back to the address at which it entered the block, and reads the
 * tables for that address. */
static void read_in_error(struct bimode *bimode, uint64_t now, uint64_t end)
{
    bimode_reads(bimode, now + 1);
    if (bimode_ends_row(bimode, end))
        bimode_reads(bimode, now + 2);
}

/* Direction tables are read in the stage after fetch for a branch, and at every redirect. */
void flow_note(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, const struct bpred_snapshot *snapshot,
               struct prediction *prediction)
{
    struct bimode *bimode = &bpred->by.bimode;
    enum chain_verdict verdict = CHAIN_MISS;
    if (chain_shape(&bpred->chain)->entries != 0 && !bpred->in_loop)
        verdict = ask_chain(bpred, now, pc, insn, kind, snapshot, prediction);
    if (!bpred_shape(bpred)->buffers_writes)
        return;
    if (verdict == CHAIN_HIT)
        bimode_reads_choices(bimode, now, prediction->next_pc, false);
    else if (verdict != CHAIN_MISS)
        bimode_reads_choices(bimode, now, bpred->chain.led_to, false);
    if (prediction->turns && prediction->btb_miss && kind != KIND_JALR && !bpred->in_loop)
        read_in_error(bimode, now, pc + insn->length - 2);
    if (prediction->turns || bpred->in_loop)
        bimode_turns(bimode);
    else if (kind == KIND_BRANCH)
        bimode_passes(bimode, pc + insn->length - 2, snapshot->counter);
    if (kind == KIND_BRANCH)
        bimode_reads_counters(bimode, now + 1 + bpred->in_loop, snapshot->history, bpred->in_loop,
                              snapshot->predicted_taken);
    if (verdict != CHAIN_HIT && prediction->bubble != 0 && !bpred->in_loop)
        bimode_reads_choices(bimode, now + prediction->bubble, prediction->next_pc, false);
}

/* The port is read in each cycle in which fetch is in the last block of a row (pcgen_bht_seq_read),
 * whether or not it moves on; the choices of the next row are taken over when it does. */
static inline void move_to(struct bpred *bpred, uint64_t now, uint64_t from, uint64_t pc)
{
    struct bimode *bimode = &bpred->by.bimode;
    if (!bimode_is_moved(bimode, now, pc))
        return;
    if (now != 0)
        lessons_learn_due(bpred, now - 1);
    bimode_moves(bimode, now, from, pc);
}

void bpred_fetched(struct bpred *bpred, const struct bpred_move *move)
{
    ELSEWHERE(bpred_fetched, bpred, move);
    struct bimode *bimode = &bpred->by.bimode;
    const struct bimode_shape *shape = bimode_shape(bimode);
    if (!bpred_shape(bpred)->buffers_writes || !shape->reads_rows)
        return;
    uint64_t after = move->block + (UINT64_C(1) << shape->shift);
    bool is_led = bimode_is_led(bimode, move->now);
    if (move->goes_on && !is_led && bimode_ends_row(bimode, move->block))
        bimode_reads_choices(bimode, move->now, after, false);
    uint64_t next = move->next;
    if (is_led && next == after && move->until == move->now + 1)
        next = bpred->chain.led_to;
    if (is_led)
        after = bpred->chain.led_to;
    if (move->until > move->now + 1 && bimode_ends_row(bimode, after))
        bimode_reads(bimode, move->now + 1);
    move_to(bpred, move->now, move->until, next);
}

void bpred_redirected(struct bpred *bpred, uint64_t now, uint64_t pc, bool is_held, bool is_branch)
{
    ELSEWHERE(bpred_redirected, bpred, now, pc, is_held, is_branch);
    const struct run_on *run_on = &bpred->run_on;
    bool runs_on = run_on->until > now;
    bpred->entered = pc;
    if (!is_branch)                     /* the program may have changed */
        bpred->run_on.text.end = 0;
    if (bpred_shape(bpred)->buffers_writes) {
        if (now != 0)
            lessons_learn_due(bpred, now - 1);
        bimode_redirect(&bpred->by.bimode, now, pc, bpred->history, is_held);
        move_to(bpred, now, now + 1, pc);
    }
    if (btb_shape(&bpred->btb)->has_buffer)
        btb_squash(&bpred->btb, now);
    if (runs_on)
        bpred->chain.settled = now + run_on->waits;
    if (chain_shape(&bpred->chain)->entries != 0)
        chain_restart(&bpred->chain, now, pc, is_branch);
}

bool bpred_stands_still(struct bpred *bpred, uint64_t cycle)
{
    RETURN_ELSEWHERE(bpred_stands_still, bpred, cycle);
    return chain_waits(&bpred->chain, cycle);
}

bool bpred_was_led(const struct bpred *bpred, uint64_t cycle)
{
    return bpred->chain.led_at == cycle;
}

void bpred_rest_of_block(struct bpred *bpred, enum bpred_rest rest)
{
    bpred->rest = rest;
}

void bpred_in_loop(struct bpred *bpred, bool in_loop, bool fills_loop)
{
    bpred->in_loop = in_loop;
    bpred->fills_loop = fills_loop;
    if (!in_loop && bpred->run_on.until == UINT64_MAX)
        bpred->run_on.until = 0;
}

bool bpred_knows_loop(const struct bpred *bpred, uint64_t start, uint64_t end)
{
    RETURN_ELSEWHERE(bpred_knows_loop, bpred, start, end);
    const struct run_on_text *text = &bpred->run_on.text;
    return !bpred_shape(bpred)->buffers_writes || (text->end == end && text->start == start);
}

void bpred_loop_text(struct bpred *bpred, const struct run_on_text *text)
{
    bpred->run_on.text = *text;
}

/* The target buffer's entries do not change while the loop buffer feeds decode. */
static void ask_targets(struct bpred *bpred)
{
    struct run_on_text *text = &bpred->run_on.text;
    for (unsigned i = 0; i < text->count; i++) {
        struct run_on_transfer *transfer = &text->transfer[i];
        if (transfer->kind == RUN_ON_BRANCH || transfer->kind == RUN_ON_JUMP)
            transfer->is_known = btb_find(&bpred->btb, transfer->pc, &transfer->target) != BTB_MISS;
    }
}

/* The second stage has the first block of the loop. It shifts the prediction of its branch into the
 * history, before the loop buffer supplies that branch again. */
static bool predict_again(struct bpred *bpred, uint64_t now, uint64_t head)
{
    struct bimode *bimode = &bpred->by.bimode;
    const struct run_on_transfer *branch = run_on_first_branch(&bpred->run_on, head);
    if (branch == NULL)
        return false;
    uint8_t counters = bimode_seen(bimode, now + 1, branch->pc, bpred->history, false);
    bool taken = bimode_counter_of(counters) >= bimode_shape(bimode)->half;
    bimode_reads_counters(bimode, now + 2, bpred->history, false, taken);
    bpred->history = bpred->history << 1 | taken;
    return taken;
}

void bpred_enters_loop(struct bpred *bpred, uint64_t now, uint64_t from, uint64_t head,
                       unsigned bubble)
{
    ELSEWHERE(bpred_enters_loop, bpred, now, from, head, bubble);
    if (!bpred_shape(bpred)->buffers_writes || !bimode_shape(&bpred->by.bimode)->reads_rows)
        return;
    ask_targets(bpred);
    bool taken = bubble == 0 && predict_again(bpred, now, head);
    bpred->run_on.top = ras_peek(&bpred->ras);
    bool has_stack = ras_shape(&bpred->ras)->entries != 0;
    bpred->run_on.early_top = has_stack ? ras_early_top(&bpred->ras, now) : 0;
    struct run_on_busy busy = run_on_begin(&bpred->run_on, from, head, bubble, taken);
    bpred->run_on.history = bpred->history;
    for (unsigned i = 1; i < 3; i++)
        if (busy.at[i])
            bimode_reads_choices(&bpred->by.bimode, now + i, head, false);
    bimode_reads_choices(&bpred->by.bimode, now + 3, head, true);
}

void bpred_leaves_loop(struct bpred *bpred, uint64_t cycle, uint64_t pc)
{
    ELSEWHERE(bpred_leaves_loop, bpred, cycle, pc);
    bpred->entered = pc;
    if (bpred->run_on.until == UINT64_MAX)
        bpred->run_on.until = cycle;
    if (chain_shape(&bpred->chain)->entries != 0)
        chain_leave_loop(&bpred->chain, cycle + 1, pc);
    if (bpred_shape(bpred)->buffers_writes)
        bimode_reads_choices(&bpred->by.bimode, cycle, pc, false);
}
