/* The time at which tables learn: when the transfer commits, or when it has executed, as a lesson
 * that waits for its cycle. */
#include "sim/core/bpred/bpred_internal.h"

static bool enters_btb(const struct bpred *bpred, const struct insn *insn, unsigned kind,
                       const struct bpred_snapshot *snapshot, bool taken)
{
    if (btb_shape(&bpred->btb)->has_buffer)
        return false;
    switch (bpred_shape(bpred)->btb_allocate) {
    case ALLOCATE_TAKEN: return taken;
    case ALLOCATE_ALL: return true;
    case ALLOCATE_DIRECT:
        return taken && kind != KIND_JALR && (kind != KIND_BRANCH || snapshot->predicted_taken);
    case ALLOCATE_INDIRECT:
        return kind == KIND_JALR && (!insn_is_return(insn) || ras_shape(&bpred->ras)->entries == 0);
    }
    return false;
}

static void learn_indirect(struct bpred *bpred, uint64_t pc, const struct bpred_snapshot *snapshot,
                           uint64_t target)
{
    if (!bpred_shape(bpred)->by_path && bpred->target_predictor->train != NULL)
        bpred->target_predictor->train(&bpred->to, pc, snapshot, record_of(bpred, snapshot),
                                       target);
}

/* Bimode: after a misprediction the tables are read in this cycle and the next, for the redirected
 * fetch. */
static void learn_from_port(struct bpred *bpred, uint64_t pc,
                            const struct bpred_snapshot *snapshot, bool taken)
{
    struct bimode *bimode = &bpred->by.bimode;
    const struct bimode_write write = {
        .pc = pc, .history = snapshot->history, .counters = snapshot->counter, .taken = taken,
    };
    if (!bimode_shape(bimode)->reads_rows && snapshot->predicted_taken != taken) {
        bimode_reads(bimode, bpred->lesson_cycle);
        bimode_reads(bimode, bpred->lesson_cycle + 1);
    }
    bimode_learn(bimode, bpred->lesson_cycle, &write);
}

static inline void learn_any(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                             unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                             uint64_t target)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    if (kind == KIND_BRANCH || shape->jumps_ask) {
        if (shape->reads_ahead)
            gshare_port_learn(bpred, snapshot, taken);
        else if (shape->carries_counters)
            gshare_write(&bpred->by.gshare, pc, snapshot->history, snapshot->counter, taken);
        else if (shape->direction == DIR_GSHARE)
            gshare_train(&bpred->by.gshare, pc, snapshot->history, taken);
        else if (shape->buffers_writes)
            learn_from_port(bpred, pc, snapshot, taken);
        else if (bpred->predictor->train != NULL)
            bpred->predictor->train(&bpred->by, pc, snapshot, record_of(bpred, snapshot), taken);
    } else if (kind == KIND_JALR && !insn_is_return(insn)) {
        learn_indirect(bpred, pc, snapshot, target);
    }
    if (!shape->is_speculative)
        bpred_advance(bpred, pc, insn, kind, taken, target);
    if (!snapshot->stays_out && enters_btb(bpred, insn, kind, snapshot, taken))
        btb_learn(&bpred->btb, pc, target);
}

static void learn_in_turn(struct bpred *bpred, const struct lesson *lesson)
{
    if (lesson->kind == KIND_BRANCH || bpred_shape(bpred)->jumps_ask)
        table_writes_put(bpred, WRITES_COUNTER, lesson);
    if (enters_btb(bpred, &lesson->insn, lesson->kind, &lesson->snapshot, lesson->taken))
        table_writes_put(bpred, WRITES_TARGET, lesson);
}

static void learn_lesson(struct bpred *bpred, const struct lesson *lesson)
{
    if (bpred_shape(bpred)->write_slots != 0)
        learn_in_turn(bpred, lesson);
    else
        learn_any(bpred, lesson->pc, &lesson->insn, lesson->kind, &lesson->snapshot, lesson->taken,
                  lesson->target);
}

void lessons_learn(struct bpred *bpred, uint64_t now)
{
    while (bpred->lesson_head != bpred->lesson_tail) {
        const struct lesson *lesson = lesson_at(bpred, bpred->lesson_head);
        if (lesson->cycle > now)
            break;
        bpred->lesson_head++;
        bpred->lesson_cycle = lesson->cycle;
        learn_lesson(bpred, lesson);
    }
    if (bpred_shape(bpred)->write_slots != 0)
        table_writes_settle(bpred, now);
}

/* Sorts the lessons of a cycle by their issue ports. */
static void sort_by_port(struct bpred *bpred)
{
    for (uint32_t at = bpred->lesson_tail - 1; at != bpred->lesson_head; at--) {
        struct lesson *last = lesson_at(bpred, at), *before = lesson_at(bpred, at - 1);
        if (before->cycle != last->cycle || before->snapshot.port <= last->snapshot.port)
            return;
        const struct lesson swapped = *last;
        *last = *before;
        *before = swapped;
    }
}

void bpred_resolve(struct bpred *bpred, uint64_t cycle, uint64_t pc, const struct insn *insn,
                   unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                   uint64_t target)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    ELSEWHERE(bpred_resolve, bpred, cycle, pc, insn, kind, snapshot, taken, target);
    if (!shape->learns_at_resolve)
        return;
    if (bpred->rows.entries != 0) {
        rows_resolve(bpred, cycle, pc, taken);
        return;
    }
    if (bpred->lesson_tail - bpred->lesson_head > bpred->record_mask)
        lessons_learn_due(bpred, UINT64_MAX);
    *lesson_at(bpred, bpred->lesson_tail++) = (struct lesson){
        .cycle = cycle, .pc = pc, .target = target, .insn = *insn, .snapshot = *snapshot,
        .kind = (uint8_t)kind, .taken = taken,
    };
    if (shape->write_slots != 0)
        sort_by_port(bpred);
}

/* The predictor of a transfer learns, for settings under which this depends on nothing else. */
static inline void learn_usual(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                               unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                               uint64_t target)
{
    if (kind == KIND_BRANCH && bpred->predictor->train != NULL)
        bpred->predictor->train(&bpred->by, pc, snapshot,
                                &bpred->record[snapshot->record & bpred->record_mask], taken);
    else if (kind == KIND_JALR && !insn_is_return(insn))
        learn_indirect(bpred, pc, snapshot, target);
}

static NOT_INLINE void learn_usual_taken(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                         unsigned kind, const struct bpred_snapshot *snapshot,
                                         uint64_t target)
{
    btb_learn(&bpred->btb, pc, target);
    learn_usual(bpred, pc, insn, kind, snapshot, true, target);
}

static NOT_INLINE void learn_simple(struct bpred *bpred, uint64_t pc,
                                    const struct bpred_snapshot *snapshot, bool taken,
                                    uint64_t target)
{
    gshare_train(&bpred->by.gshare, pc, snapshot->history, taken);
    if (taken && !snapshot->stays_out && !btb_learns_at_once(&bpred->btb, pc, target))
        btb_learn(&bpred->btb, pc, target);
}

static NOT_INLINE void train_any(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                 unsigned kind, const struct bpred_snapshot *snapshot, bool taken,
                                 uint64_t target)
{
    if (ras_shape(&bpred->ras)->repair == RAS_COMMITTED && kind != KIND_BRANCH)
        ras_commit(&bpred->ras, insn_is_call(insn), insn_is_return(insn), pc + insn->length);
    if (!bpred_shape(bpred)->learns_at_resolve)
        learn_any(bpred, pc, insn, kind, snapshot, taken, target);
}

void bpred_train(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                 const struct bpred_snapshot *snapshot, bool taken, uint64_t target)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    ELSEWHERE(bpred_train, bpred, pc, insn, kind, snapshot, taken, target);
    if (!shape->is_usual) {
        if (shape->is_simple && kind == KIND_BRANCH)
            learn_simple(bpred, pc, snapshot, taken, target);
        else
            train_any(bpred, pc, insn, kind, snapshot, taken, target);
    } else if (taken && !snapshot->stays_out && !btb_learns_at_once(&bpred->btb, pc, target)) {
        learn_usual_taken(bpred, pc, insn, kind, snapshot, target);
    } else {
        learn_usual(bpred, pc, insn, kind, snapshot, taken, target);
    }
}
