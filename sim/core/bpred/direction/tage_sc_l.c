/* TAGE-SC-L: TAGE, overridden by the loop predictor if that is confident, and both by the
 * statistical corrector (Seznec, "TAGE-SC-L Branch Predictors Again", CBP 2016). */
#include "sim/core/bpred/direction/corrector_train.h"
#include "sim/core/bpred/direction/lanes_wide.h"
#include "sim/core/bpred/direction/loop_predict.h"
#include "sim/core/bpred/direction/tage_train.h"

enum { LOOP_HELPS_BITS = 7 };

struct tage_sc_l {
    struct tage tage;
    struct loop loop;
    struct corrector corrector;
    int8_t loop_helps;                  /* chooser: the loop predictor was right where TAGE was
                                         * not */
};

static void init(void *self, const struct predictor_parts *parts)
{
    struct tage_sc_l *predictor = self;
    tage_init(&predictor->tage, parts->config, parts->history, parts->arena);
    loop_init(&predictor->loop, parts->config, parts->arena);
    corrector_init(&predictor->corrector, parts->config, parts->arena);
    predictor->loop_helps = -1;
}

/* TAGE predicts `taken`; a confident loop predictor overrides it. */
static ALWAYS_INLINE void settle_inner(const struct tage_sc_l *predictor, uint64_t pc,
                                       struct record *record, bool taken)
{
    loop_predict(&predictor->loop, pc, record);
    if ((record->flags & RECORD_LOOP_VALID) && predictor->loop_helps >= 0)
        taken = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if (taken)
        record->flags |= RECORD_INNER_TAKEN;
}

static FOR_WIDE_LANES ALWAYS_INLINE bool predict_wide(const struct tage_sc_l *predictor,
                                                      uint64_t pc, uint64_t history,
                                                      struct record *record)
{
    bool taken = tage_predict_by(&predictor->tage, pc, record, lane_ops_of_wide);
    settle_inner(predictor, pc, record, taken);
    return corrector_predict_by(&predictor->corrector, pc, history, record, corrector_find_usual,
                                lane_ops_of_wide);
}

static bool predict_any(const struct tage_sc_l *predictor, uint64_t pc, uint64_t history,
                        struct record *record)
{
    settle_inner(predictor, pc, record, tage_predict(&predictor->tage, pc, record));
    return corrector_predict(&predictor->corrector, pc, history, record);
}

static FOR_WIDE_LANES NOT_INLINE bool predict_on_wide(const struct tage_sc_l *predictor,
                                                      uint64_t pc, uint64_t history,
                                                      struct record *record)
{
    return predict_wide(predictor, pc, history, record);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    const struct tage_sc_l *predictor = self;
    (void)insn;
    return predictor->corrector.is_wide ? predict_on_wide(predictor, pc, history, record)
                                        : predict_any(predictor, pc, history, record);
}

static void advance(void *self, const struct record *record, bool taken)
{
    struct tage_sc_l *predictor = self;
    loop_advance(&predictor->loop, record, taken);
}

static NOT_INLINE bool follow_any(struct tage_sc_l *predictor, uint64_t pc, uint64_t history,
                                  const struct insn *insn, struct record *record)
{
    bool taken = predict_any(predictor, pc, history, record);
    (void)insn;
    advance(predictor, record, taken);
    return taken;
}

static FOR_WIDE_LANES NOT_INLINE bool follow_wide(struct tage_sc_l *predictor, uint64_t pc,
                                                  uint64_t history, const struct insn *insn,
                                                  struct record *record)
{
    bool taken = predict_wide(predictor, pc, history, record);
    (void)insn;
    loop_advance(&predictor->loop, record, taken);
    return taken;
}

static bool follow(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                   struct record *record)
{
    struct tage_sc_l *predictor = self;
    return predictor->corrector.is_wide ? follow_wide(predictor, pc, history, insn, record)
                                        : follow_any(predictor, pc, history, insn, record);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    struct tage_sc_l *predictor = self;
    bool predicted = snapshot->predicted_taken;
    bool tage_taken = (record->flags & RECORD_TAGE_TAKEN) != 0;
    bool loop_taken = (record->flags & RECORD_LOOP_TAKEN) != 0;
    if ((record->flags & RECORD_LOOP_VALID) && tage_taken != loop_taken)
        weight_move(&predictor->loop_helps, loop_taken == taken, LOOP_HELPS_BITS);
    if (record->loop_entry != NO_LOOP || predicted != taken)
        loop_train(&predictor->loop, pc, record, tage_taken, predicted != taken, taken);
    corrector_train(&predictor->corrector, pc, snapshot->history, record, taken);
    tage_train(&predictor->tage, pc, record, taken);
}

static void undo(void *self, const struct record *record)
{
    struct tage_sc_l *predictor = self;
    loop_undo(&predictor->loop, record);
}

static uint64_t storage(const void *self)
{
    const struct tage_sc_l *predictor = self;
    return tage_storage(&predictor->tage) + loop_storage(&predictor->loop) +
           corrector_storage(&predictor->corrector) + LOOP_HELPS_BITS;
}

const struct direction_predictor direction_tage_sc_l = {
    .state_bytes = sizeof(struct tage_sc_l), .has_record = true, .has_long_history = true,
    .init = init, .predict = predict, .train = train, .advance = advance, .undo = undo,
    .follow = follow, .storage = storage,
};
