/* Answers to a front end about transfers that it does not fetch now, and the front end's reports of
 * squashes. Predictors whose answer depends on records of fetch (has_records) give no answer. */
#include "sim/core/bpred/bpred_internal.h"

bool bpred_follows(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind)
{
    uint64_t target;
    if (kind == KIND_BRANCH)
        return !bpred_shape(bpred)->has_records && direction_predict(bpred, pc, insn, NULL);
    return kind == KIND_JAL || (kind == KIND_JALR && !insn_is_return(insn) &&
                                btb_find(&bpred->btb, pc, &target) != BTB_MISS);
}

void bpred_squash(struct bpred *bpred, uint64_t now)
{
    bpred->rows.now = now;
    if (bpred_shape(bpred)->has_stages)
        path_squash(bpred, now);
    if (ras_shape(&bpred->ras)->repair == RAS_COMMITTED && ras_shape(&bpred->ras)->entries != 0)
        ras_squash(&bpred->ras, now);
    if (bpred->ras_delay.stage != 0)
        ras_delay_squash(&bpred->ras_delay, now, &bpred->ras);
}
