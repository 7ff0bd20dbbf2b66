/* The table of predictors of directions; see predictor.h. Predictors without a table are here.
 * Perfect prediction is in fetch (sim/core/fetch/ahead.c). */
#include "sim/core/bpred/predictor.h"

static bool predict_not_taken(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                              struct record *record)
{
    (void)self, (void)pc, (void)history, (void)insn, (void)record;
    return false;
}

static bool predict_static(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                           struct record *record)
{
    (void)self, (void)pc, (void)history, (void)record;
    return insn->imm < 0;
}

#define DIRECTION(id, name, settings, meaning)                                                     \
    extern const struct direction_predictor direction_##name;
#include "sim/base/direction.def"
#undef DIRECTION

const struct direction_predictor direction_not_taken = {.predict = predict_not_taken};
const struct direction_predictor direction_perfect = {.predict = predict_not_taken};
const struct direction_predictor direction_static = {.predict = predict_static};

const struct direction_predictor *direction_predictor_at(uint32_t choice)
{
    static const struct direction_predictor *const predictors[] = {
#define DIRECTION(id, name, settings, meaning) &direction_##name,
#include "sim/base/direction.def"
#undef DIRECTION
    };

    return predictors[choice];
}
