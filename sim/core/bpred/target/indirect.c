/* The table of predictors of indirect targets; see predictor.h. Those without targets of their own
 * are here. */
#include "sim/core/bpred/predictor.h"

#define INDIRECT(id, name, settings, meaning)                                                      \
    extern const struct indirect_predictor indirect_##name;
#include "sim/base/indirect.def"
#undef INDIRECT

const struct indirect_predictor indirect_btb = {.state_bytes = 0};
const struct indirect_predictor indirect_none = {.state_bytes = 0};

const struct indirect_predictor *indirect_predictor_at(uint32_t choice)
{
    static const struct indirect_predictor *const predictors[] = {
#define INDIRECT(id, name, settings, meaning) &indirect_##name,
#include "sim/base/indirect.def"
#undef INDIRECT
    };

    return predictors[choice];
}
