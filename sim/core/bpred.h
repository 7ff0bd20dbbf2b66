/* Branch prediction: direction, target buffer, return-address stack, indirect target cache.
 *
 * Prediction happens at fetch and updates global history and return stack speculatively; a
 * snapshot in the instruction repairs them when it turns out wrong. Tables learn at commit only. */
#ifndef SIM_CORE_BPRED_H
#define SIM_CORE_BPRED_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "sim/base/config.h"

struct bpred;

/* What is needed to undo this instruction's effect on the predictor, and to learn from it. */
struct bpred_snapshot {
    uint64_t history;           /* before the instruction */
    uint64_t ras_value;         /* overwritten entry of the return stack */
    uint16_t ras_top;           /* before the instruction */
    bool predicted_taken;
};

struct prediction {
    uint64_t next_pc;
    uint8_t bubble;             /* extra cycles before fetch continues at next_pc */
    bool btb_miss;
    bool ras_underflow;
};

struct bpred *bpred_new(const struct config *config);
void bpred_free(struct bpred *bpred);

/* Predicts the control transfer at pc. `kind` is enum insn_kind. */
void bpred_predict(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   struct bpred_snapshot *snapshot, struct prediction *prediction);
/* Repairs history and stack to what they were before the instruction (it is thrown away). */
void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot);
/* The instruction stays but went elsewhere: repair, then apply what really happened. */
void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken);
/* Learns from a committed control transfer. */
void bpred_train(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                 const struct bpred_snapshot *snapshot, bool taken, uint64_t target);
/* Storage of all tables, in bits. */
uint64_t bpred_storage_bits(const struct bpred *bpred);

#endif
