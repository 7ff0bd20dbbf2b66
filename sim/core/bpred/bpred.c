/* Branch prediction as a whole; see bpred.h. Predictions at fetch; repair.c undoes them after a
 * squash. train.c decides when tables learn; each predictor has a file of its own. */
#include "sim/core/bpred/bpred_internal.h"

#define TARGET_HASH UINT32_C(0x9e3779b1)        /* odd, 2^32 over the golden ratio */

/* ---- histories ------------------------------------------------------------------------------- */

/* Directions of branches; two bits of the target of an indirect jump; a bit of every pc. */
static ALWAYS_INLINE void advance_long(struct history *history, uint64_t pc,
                                       const struct insn *insn, unsigned kind, bool taken,
                                       uint64_t next_pc)
{
    if (kind == KIND_JALR && !insn_is_return(insn)) {
        uint32_t hash = (uint32_t)(next_pc >> 1) * TARGET_HASH;
        history_push(history, hash >> 31 & 1);
        taken = (hash >> 30 & 1) != 0;
    }
    if (kind == KIND_BRANCH || (kind == KIND_JALR && !insn_is_return(insn)))
        history_push(history, taken);
    if (kind == KIND_BRANCH && insn->imm < 0)
        history->at.inner = taken ? (uint16_t)((history->at.inner + 1) & 1023) : 0;
    history_path(history, pc);
}

static ALWAYS_INLINE void advance_histories(struct bpred *bpred, uint64_t pc,
                                            const struct insn *insn, unsigned kind, bool taken,
                                            uint64_t next_pc)
{
    if (kind == KIND_BRANCH)
        bpred->history = bpred->history << 1 | taken;
    else if (kind == KIND_JALR && !insn_is_return(insn))
        bpred->path = target_cache_path(bpred->path, next_pc);
    if (bpred_shape(bpred)->has_long_history)
        advance_long(&bpred->long_history, pc, insn, kind, taken, next_pc);
}

void bpred_advance(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   bool taken, uint64_t next_pc)
{
    advance_histories(bpred, pc, insn, kind, taken, next_pc);
}

/* The data that undoing an instruction needs beyond the snapshot. */
static ALWAYS_INLINE struct record *begin_record(struct bpred *bpred,
                                                struct bpred_snapshot *snapshot)
{
    if (bpred->must_restore)
        bpred_restore(bpred);
    snapshot->record = (uint16_t)bpred->next_record++;
    struct record *record = record_of(bpred, snapshot);
    if (record != NULL)
        record->loop_entry = NO_LOOP;
    if (bpred_shape(bpred)->has_long_history)
        record->point = bpred->long_history.at;
    return record;
}

struct record *bpred_begin_record(struct bpred *bpred, struct bpred_snapshot *snapshot)
{
    return begin_record(bpred, snapshot);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* Fetch's knowledge of the instruction before it is decoded. */
struct sight { enum btb_level level; uint64_t target; };

static ALWAYS_INLINE struct sight look_in_btb(struct bpred *bpred, uint64_t pc)
{
    struct sight sight = {.target = 0};
    sight.level = btb_find(&bpred->btb, pc, &sight.target);
    return sight;
}

/* Fetch cannot follow the BTB to the target: the BTB misses, or has another target. */
static NOT_INLINE void miss_direct(struct bpred *bpred, uint64_t now, uint64_t pc, uint64_t target,
                                   const struct sight *sight, struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    bool lies = sight->level != BTB_MISS;
    prediction->btb_miss = true;
    if (btb_shape(&bpred->btb)->has_buffer && !bpred->in_loop)
        btb_refill(&bpred->btb, now, pc, target, !lies);
    if (shape->btb_miss != MISS_NONE) {
        prediction->next_pc = target;
        prediction->bubble = shape->miss_bubble;
    } else if (lies) {
        prediction->next_pc = sight->target;
    }
}

/* Predicts a transfer to pc + imm that is taken, or predicted so. */
static ALWAYS_INLINE void predict_direct(struct bpred *bpred, uint64_t now, uint64_t pc,
                                         const struct insn *insn, const struct sight *sight,
                                         struct prediction *prediction)
{
    uint64_t target = pc + (uint64_t)(int64_t)insn->imm;
    if (sight->level == BTB_MISS || (sight->target != target && btb_may_lie(&bpred->btb))) {
        miss_direct(bpred, now, pc, target, sight, prediction);
        return;
    }
    prediction->next_pc = target;
    prediction->bubble = sight->level == BTB_MAIN ? bpred_shape(bpred)->main_bubble : 0;
}

/* Calls gshare, the default, directly. */
static inline bool predict_taken(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                 struct record *record)
{
    return bpred_shape(bpred)->direction == DIR_GSHARE
               ? gshare_predict(&bpred->by.gshare, pc, bpred->history, insn->imm < 0)
               : direction_predict(bpred, pc, insn, record);
}

/* Fetch followed the BTB before the direction was known, and returns. */
static void recall(struct bpred *bpred, uint64_t pc, struct prediction *prediction)
{
    btb_forget(&bpred->btb, pc);
    prediction->bubble = bpred_shape(bpred)->miss_bubble;
}

/* True if fetch knows that it is a branch. With the BTB as the only source, fetch does not
 * recognise a branch that misses in the BTB, and the branch leaves no history. */
static bool predict_branch(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                           struct bpred_snapshot *snapshot, struct record *record,
                           struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    struct sight sight;
    bool taken = !shape->has_port ? predict_taken(bpred, pc, insn, record)
                 : shape->reads_ahead
                     ? snapshot->counter > bimodal_shape(&bpred->by.gshare.table)->max / 2
                     : bimode_counter_of(snapshot->counter) >=
                           bimode_shape(&bpred->by.bimode)->half;
    if (taken || shape->btb_miss != MISS_DECODE || shape->btb_leads) {
        sight = look_in_btb(bpred, pc);
        if (sight.level == BTB_MISS && shape->btb_miss != MISS_DECODE)
            return false;
    }
    snapshot->predicted_taken = taken;
    if (taken)
        predict_direct(bpred, now, pc, insn, &sight, prediction);
    /* cppcheck-suppress uninitvar ; the BTB was looked up if it leads */
    else if (shape->btb_leads && sight.level != BTB_MISS)
        recall(bpred, pc, prediction);
    return true;
}

static __attribute__((noinline)) uint64_t indirect_target(struct bpred *bpred, uint64_t pc,
                                                          struct record *record)
{
    if (bpred->target_predictor->predict == NULL)
        return 0;
    return bpred_shape(bpred)->by_path
               ? path_target(bpred)
               : bpred->target_predictor->predict(&bpred->to, pc, bpred->history, bpred->path,
                                                  record);
}

/* True if the BTB is looked up; for a return, only if returns can be in it. */
static bool asks_btb(const struct bpred *bpred, const struct insn *insn)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    if (shape->by_path)
        return false;
    return shape->btb_allocate != ALLOCATE_INDIRECT || !insn_is_return(insn) ||
           ras_shape(&bpred->ras)->entries == 0;
}

static uint64_t pop_return(struct bpred *bpred, uint64_t now)
{
    if (ras_shape(&bpred->ras)->repair == RAS_COMMITTED && ras_shape(&bpred->ras)->entries != 0) {
        bpred->early_top = ras_early_top(&bpred->ras, now);
        uint64_t seen = ras_pop_at(&bpred->ras, now);
        return bpred->asked == BPRED_UNKNOWN ? seen : bpred->held_target;
    }
    if (!bpred->moves_ras)
        return ras_peek(&bpred->ras);
    if (bpred->ras_delay.stage != 0)
        ras_delay_note(&bpred->ras_delay, now, 0);
    return ras_pop(&bpred->ras);
}

static void push_return(struct bpred *bpred, uint64_t now, uint64_t value)
{
    if (ras_shape(&bpred->ras)->repair == RAS_COMMITTED && ras_shape(&bpred->ras)->entries != 0) {
        ras_push_at(&bpred->ras, now, value);
        return;
    }
    if (bpred->ras_delay.stage != 0)
        ras_delay_note(&bpred->ras_delay, now, value);
    ras_push(&bpred->ras, value);
}

static bool predict_jalr(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                         struct record *record, struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    uint64_t target = 0;
    const struct sight sight = look_in_btb(bpred, pc);
    bool is_seen = shape->btb_miss != MISS_NONE || sight.level != BTB_MISS;
    prediction->btb_miss = sight.level == BTB_MISS;
    if (!insn_is_return(insn)) {
        target = indirect_target(bpred, pc, record);
    } else if (is_seen) {
        target = pop_return(bpred, now);
        prediction->ras_underflow = target == 0;
    }
    if (!is_seen)
        return false;
    if (target == 0 && shape->runs_past && !insn_is_return(insn))
        return true;
    if (target == 0 && shape->indirect == INDIRECT_NONE)
        target = BPRED_UNKNOWN;
    else if (target == 0 && sight.level != BTB_MISS && asks_btb(bpred, insn))
        target = sight.target;
    if (target == 0 && shape->ras_miss_block != 0 &&
        (insn_is_return(insn) || shape->by_path))
        target = path_block_start(bpred, pc);
    if (target == 0)
        return true;
    prediction->next_pc = target;
    if (shape->by_path && !insn_is_return(insn))
        path_follow(bpred, now, target);
    if (shape->ras_at_decode && insn_is_return(insn)) {
        bool follows = sight.level != BTB_MISS && sight.target == target;
        prediction->bubble = follows ? 0 : shape->miss_bubble;
        return true;
    }
    prediction->bubble = sight.level == BTB_MISS ? shape->ras_bubble
                         : sight.level == BTB_MAIN ? shape->main_bubble : 0;
    if (!insn_is_return(insn) && bpred->asked == BPRED_UNKNOWN)
        prediction->wait = shape->indirect_wait;
    prediction->bubble = (uint8_t)(prediction->bubble + prediction->wait +
                                   (insn_is_return(insn) ? shape->return_bubble
                                                         : shape->indirect_bubble));
    return true;
}

static bool predict_jal(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                        struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    const struct sight sight = look_in_btb(bpred, pc);
    predict_direct(bpred, now, pc, insn, &sight, prediction);
    bool is_seen = shape->btb_miss != MISS_NONE || sight.level != BTB_MISS;
    prediction->turns = is_seen && shape->jumps_turn;
    return is_seen;
}

static struct record *begin_otherwise(struct bpred *bpred, uint64_t now, uint64_t pc,
                                      unsigned kind, struct bpred_snapshot *snapshot)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    if (shape->learns_at_resolve || shape->write_slots != 0)
        lessons_learn_due(bpred, now + (shape->reads_ahead || bpred->in_loop));
    struct record *record = begin_record(bpred, snapshot);
    if (shape->by_path)
        path_begin_block(bpred, now);
    if (shape->carries_counters && kind == KIND_BRANCH)
        snapshot->counter = gshare_counter(&bpred->by.gshare, pc, bpred->history);
    return record;
}

/* The transfer changes the flow of instructions. */
static inline void turn(struct bpred *bpred, struct prediction *prediction)
{
    prediction->turns = true;
    prediction->bubble = (uint8_t)(prediction->bubble + bpred_shape(bpred)->taken_bubble);
    bpred->entered = prediction->next_pc;
}

/* Begins a prediction that depends on the predictor alone. */
static ALWAYS_INLINE struct record *begin_usual(struct bpred *bpred, uint64_t pc,
                                                const struct insn *insn,
                                                struct bpred_snapshot *snapshot,
                                                struct prediction *prediction)
{
    if (bpred->must_restore)
        bpred_restore(bpred);
    snapshot->record = (uint16_t)bpred->next_record;
    struct record *record = &bpred->record[bpred->next_record++ & bpred->record_mask];
    record->point = bpred->long_history.at;
    snapshot->history = bpred->history;
    snapshot->path = bpred->path;
    snapshot->stays_out = false;
    ras_save(&bpred->ras, &snapshot->ras_value, &snapshot->ras_top);
    *prediction = (struct prediction){.next_pc = pc + insn->length};
    return record;
}

/* The predicted direction, which fetch follows. */
static inline bool follow_direction(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                    struct record *record)
{
    const struct direction_predictor *predictor = bpred->predictor;
    if (predictor->follow != NULL)
        return predictor->follow(&bpred->by, pc, bpred->history, insn, record);
    bool taken = predictor->predict(&bpred->by, pc, bpred->history, insn, record);
    if (predictor->advance != NULL)
        predictor->advance(&bpred->by, record, taken);
    return taken;
}

/* As predict_any, of a branch. */
static NOT_INLINE void predict_usual_branch(struct bpred *bpred, uint64_t now, uint64_t pc,
                                            const struct insn *insn,
                                            struct bpred_snapshot *snapshot,
                                            struct prediction *prediction)
{
    struct record *record = begin_usual(bpred, pc, insn, snapshot, prediction);
    uint64_t following = prediction->next_pc;
    bool taken = follow_direction(bpred, pc, insn, record);
    snapshot->predicted_taken = taken;
    if (taken) {
        const struct sight sight = look_in_btb(bpred, pc);
        predict_direct(bpred, now, pc, insn, &sight, prediction);
    }
    bpred->history = bpred->history << 1 | taken;
    advance_long(&bpred->long_history, pc, insn, KIND_BRANCH, taken, prediction->next_pc);
    bpred->live_top = bpred->ras.top;
    if (prediction->next_pc != following)
        turn(bpred, prediction);
}

/* As predict_any, of a jump with its target in the instruction. */
static NOT_INLINE void predict_usual_jump(struct bpred *bpred, uint64_t now, uint64_t pc,
                                          const struct insn *insn,
                                          struct bpred_snapshot *snapshot,
                                          struct prediction *prediction)
{
    begin_usual(bpred, pc, insn, snapshot, prediction)->loop_entry = NO_LOOP;
    snapshot->predicted_taken = false;
    predict_jal(bpred, now, pc, insn, prediction);
    advance_long(&bpred->long_history, pc, insn, KIND_JAL, false, prediction->next_pc);
    if (insn_is_call(insn))
        push_return(bpred, now, pc + insn->length);
    bpred->live_top = bpred->ras.top;
    bpred->asked = BPRED_UNKNOWN;
    if (prediction->next_pc != pc + insn->length || prediction->turns)
        turn(bpred, prediction);
}

/* As predict_any, of a branch with is_simple. */
static NOT_INLINE void predict_simple_branch(struct bpred *bpred, uint64_t now, uint64_t pc,
                                             const struct insn *insn,
                                             struct bpred_snapshot *snapshot,
                                             struct prediction *prediction)
{
    uint64_t following = pc + insn->length;
    bool taken = gshare_predict(&bpred->by.gshare, pc, bpred->history, insn->imm < 0);
    snapshot->history = bpred->history;
    snapshot->path = bpred->path;
    snapshot->stays_out = false;
    snapshot->predicted_taken = taken;
    ras_save(&bpred->ras, &snapshot->ras_value, &snapshot->ras_top);
    *prediction = (struct prediction){.next_pc = following};
    if (taken) {
        const struct sight sight = look_in_btb(bpred, pc);
        predict_direct(bpred, now, pc, insn, &sight, prediction);
    }
    bpred->history = bpred->history << 1 | taken;
    bpred->live_top = bpred->ras.top;
    if (prediction->next_pc != following)
        turn(bpred, prediction);
}

static NOT_INLINE void predict_any(struct bpred *bpred, uint64_t now, uint64_t pc,
                                   const struct insn *insn, unsigned kind,
                                   struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    struct record *record = NULL;
    bool is_seen;
    if (shape->asks_first && bpred->rows.entries != 0) {
        rows_predict(bpred, now, pc, insn, snapshot, prediction);
        return;
    }
    if (shape->asks_first)
        record = begin_otherwise(bpred, now, pc, kind, snapshot);
    else if (!shape->is_plain)
        record = begin_record(bpred, snapshot);
    snapshot->history = bpred->history;
    snapshot->path = bpred->path;
    snapshot->predicted_taken = snapshot->stays_out = false;
    ras_save(&bpred->ras, &snapshot->ras_value, &snapshot->ras_top);
    *prediction = (struct prediction){.next_pc = pc + insn->length};
    if (shape->ras_first) {
        bpred->moves_ras = bpred->transfer_cycle != now;
        bpred->transfer_cycle = now;
    }
    if (shape->has_port && kind == KIND_BRANCH)
        snapshot->counter = flow_counter(bpred, now, pc);
    if (kind == KIND_BRANCH) {
        is_seen = predict_branch(bpred, now, pc, insn, snapshot, record, prediction);
        if (bpred->predictor->advance != NULL)
            bpred->predictor->advance(&bpred->by, record, snapshot->predicted_taken);
    } else if (kind == KIND_JAL) {
        is_seen = predict_jal(bpred, now, pc, insn, prediction);
    } else {
        is_seen = predict_jalr(bpred, now, pc, insn, record, prediction);
    }
    if (is_seen && shape->is_speculative)
        bpred_advance(bpred, pc, insn, kind, snapshot->predicted_taken, prediction->next_pc);
    if (kind != KIND_BRANCH && is_seen && bpred->moves_ras && insn_is_call(insn))
        push_return(bpred, now, pc + insn->length);
    bpred->live_top = bpred->ras.top;
    if (kind != KIND_BRANCH)
        bpred->asked = BPRED_UNKNOWN;
    if (prediction->next_pc != pc + insn->length || prediction->turns)
        turn(bpred, prediction);
    if (shape->has_flow)
        flow_note(bpred, now, pc, insn, kind, snapshot, prediction);
}

void bpred_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                   unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    ELSEWHERE(bpred_predict, bpred, now, pc, insn, kind, snapshot, prediction);
    if (shape->is_usual && kind == KIND_BRANCH)
        predict_usual_branch(bpred, now, pc, insn, snapshot, prediction);
    else if (shape->is_usual && kind == KIND_JAL)
        predict_usual_jump(bpred, now, pc, insn, snapshot, prediction);
    else if (shape->is_simple && kind == KIND_BRANCH)
        predict_simple_branch(bpred, now, pc, insn, snapshot, prediction);
    else
        predict_any(bpred, now, pc, insn, kind, snapshot, prediction);
}
