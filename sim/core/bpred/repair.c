/* Undo of predictions after a squash, and correction of a mispredicted instruction; see bpred.h.
 *
 * Instructions are undone from the youngest back. The return stack and the loop predictor are
 * undone one by one. Of the long history only the oldest snapshot matters, so its position is set
 * back once, at the next prediction. */
#include "sim/core/bpred/bpred_internal.h"

static void repair(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    if (shape->is_at_decode) {
        bpred->next_record = snapshot->record;
        return;
    }
    ras_undo(&bpred->ras, snapshot->ras_value, snapshot->ras_top);
    if (shape->is_speculative) {
        bpred->history = snapshot->history;
        bpred->path = snapshot->path;
    }
    if (shape->is_plain)
        return;
    bpred->next_record = snapshot->record;
    bpred->must_restore = shape->is_speculative && shape->has_long_history;
    if (bpred->predictor->undo != NULL)
        bpred->predictor->undo(&bpred->by, record_of(bpred, snapshot));
}

/* Drops the lesson of an instruction squashed before it executed. */
static void drop_lesson(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    uint32_t kept = bpred->lesson_head;
    for (uint32_t i = bpred->lesson_head; i != bpred->lesson_tail; i++)
        if (lesson_at(bpred, i)->snapshot.record != snapshot->record)
            *lesson_at(bpred, kept++) = *lesson_at(bpred, i);
    bpred->lesson_tail = kept;
}

void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    ELSEWHERE(bpred_undo, bpred, snapshot);
    if (bpred->lesson_head != bpred->lesson_tail)
        drop_lesson(bpred, snapshot);
    repair(bpred, snapshot);
}

void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken, uint64_t next_pc)
{
    const struct bpred_shape *shape = bpred_shape(bpred);
    ELSEWHERE(bpred_correct, bpred, pc, insn, kind, snapshot, taken, next_pc);
    if (bpred->rows.entries != 0) {
        rows_correct(bpred, pc, insn, kind, taken, next_pc);
        return;
    }
    repair(bpred, snapshot);
    if (bpred->must_restore)
        bpred_restore(bpred);
    if (!shape->is_plain)
        bpred->next_record++;
    if (shape->is_at_decode) {
        bpred_correct_history(bpred, kind, snapshot, taken);
        return;
    }
    if (shape->is_speculative)
        bpred_advance(bpred, pc, insn, kind, taken, next_pc);
    if (shape->reads_ahead && kind == KIND_BRANCH)
        gshare_port_restart(bpred);
    if (bpred->predictor->advance != NULL && kind == KIND_BRANCH)
        bpred->predictor->advance(&bpred->by, record_of(bpred, snapshot), taken);
    if (ras_shape(&bpred->ras)->repair >= RAS_NONE)
        return;
    if (kind == KIND_JALR && insn_is_return(insn))
        ras_pop(&bpred->ras);
    if (insn_is_call(insn))
        ras_push(&bpred->ras, pc + insn->length);
    if (shape->runs_past && kind == KIND_JALR && !insn_is_return(insn) && insn_is_call(insn))
        bpred->ras.top = bpred->live_top;
}
